"""Switching accessibility on, over a real session bus with real and with broken services."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import anyio
import pytest
from dbus_fast import BusType, Message
from dbus_fast.aio import MessageBus

from slate_desktop.errors import Unavailable
from slate_desktop.headless import a11y, recipe, session

pytestmark = pytest.mark.anyio
Bus = Callable[[str], str]


@pytest.fixture
def bus(tmp_path: Path) -> Iterator[Bus]:
    """A function that starts a session bus with services from a data directory; its address."""
    with ExitStack() as stack:

        def start(data_dirs: str) -> str:
            place = recipe.Place("a11y-test", str(tmp_path), str(tmp_path), "x")
            (tmp_path / "bus.conf").write_text(recipe.bus_config(place))
            env = recipe.app_env(place) | {"XDG_DATA_DIRS": data_dirs, "XDG_DATA_HOME": data_dirs}
            daemon = stack.enter_context(
                subprocess.Popen(
                    [
                        "dbus-daemon",
                        "--nofork",
                        "--print-address",
                        f"--config-file={tmp_path}/bus.conf",
                    ],
                    env=env,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                )
            )
            stack.callback(daemon.terminate)
            assert daemon.stdout is not None
            daemon.stdout.readline()
            return place.bus_address

        yield start


def service(tmp_path: Path, executable: str) -> str:
    """A data directory whose only service is an accessibility bus of the given program."""
    services = tmp_path / "data/dbus-1/services"
    services.mkdir(parents=True)
    text = f"[D-BUS Service]\nName={a11y.NAME}\nExec={executable}\n"
    (services / "a.service").write_text(text)
    return str(tmp_path / "data")


async def test_r59_the_address_is_asked_for_and_accessibility_is_on(
    bus: Bus, wait_s: float
) -> None:
    address = bus(recipe.DATA_DIRS)
    with anyio.fail_after(wait_s):
        found = await a11y.switch_on(address)
        if found is None:
            pytest.skip("at-spi2-core is not installed")
        connection = await MessageBus(bus_address=address, bus_type=BusType.SESSION).connect()
        try:
            for name in ("IsEnabled", "ScreenReaderEnabled"):
                reply = await connection.call(
                    Message(
                        destination=a11y.NAME,
                        path=a11y.PATH,
                        interface="org.freedesktop.DBus.Properties",
                        member="Get",
                        signature="ss",
                        body=["org.a11y.Status", name],
                    )
                )
                assert reply.body[0].value is True
        finally:
            connection.disconnect()
        other = await MessageBus(bus_address=found, bus_type=BusType.SESSION).connect()
        other.disconnect()


async def test_without_the_service_there_is_no_address_and_no_error(
    bus: Bus, tmp_path: Path, wait_s: float
) -> None:
    address = bus(str(tmp_path / "nothing"))
    with anyio.fail_after(wait_s):
        assert await a11y.switch_on(address) is None


async def test_r69_a_service_that_never_answers_is_given_up(
    bus: Bus, tmp_path: Path, wait_s: float, caplog: pytest.LogCaptureFixture
) -> None:
    address = bus(service(tmp_path, "/bin/sleep 3"))
    with anyio.fail_after(wait_s):
        assert await session.accessibility(address, 0.2) is None
    assert "does not answer" in caplog.text


async def test_a_bus_that_is_not_there_is_unavailable(tmp_path: Path, wait_s: float) -> None:
    with anyio.fail_after(wait_s), pytest.raises(Unavailable) as failure:
        await a11y.switch_on(f"unix:path={tmp_path}/none")
    assert failure.value.code == "unavailable.bus"
