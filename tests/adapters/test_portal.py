"""Documents of a sandboxed application are asked of the portal, on a real bus; without either there are none."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from dbus_fast import Message, MessageType
from dbus_fast.aio import MessageBus

from slate_desktop.headless import recipe
from slated import portal

pytestmark = pytest.mark.anyio
APP = "org.example.Editor"


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """A session bus without services."""
    place = recipe.Place("portal-test", str(tmp_path), str(tmp_path), "x")
    (tmp_path / "bus.conf").write_text(recipe.bus_config(place), encoding="utf-8")
    command = ["dbus-daemon", "--nofork", "--print-address", f"--config-file={tmp_path}/bus.conf"]
    with subprocess.Popen(
        command, env=recipe.app_env(place), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as daemon:
        assert daemon.stdout is not None
        daemon.stdout.readline()
        yield place.bus_address
        daemon.terminate()


async def portal_on(
    address: str, answer: tuple[str, list[Any]] | None
) -> tuple[MessageBus, list[Any]]:
    """A portal that gives this answer, or none at all; and what it was asked."""
    bus = await MessageBus(bus_address=address).connect()
    asked: list[Any] = []

    def handle(message: Message) -> Message | bool | None:
        if message.message_type is not MessageType.METHOD_CALL or message.path != portal.PATH:
            return None
        asked.append((message.interface, message.member, message.body))
        if answer is None:
            return True
        return Message.new_method_return(message, *answer)

    bus.add_message_handler(handle)
    await bus.request_name(portal.NAME)
    return bus, asked


async def test_the_portal_tells_where_the_files_really_are(address: str) -> None:
    raw = os.fsencode("/home/p/odd\udcff.txt") + b"\0"
    answer = ("a{say}", [{"1a": b"/home/p/letter.txt\0", "2b": raw}])
    bus, asked = await portal_on(address, answer)
    try:
        found = await portal.documents(address, APP)
        assert found == ("/home/p/letter.txt", "/home/p/odd\udcff.txt")
        assert asked == [(portal.NAME, "List", [APP])]
    finally:
        bus.disconnect()


@pytest.mark.parametrize("answer", [None, ("s", ["no"]), ("a{say}", [{"1a": b"relative\0"}])])
async def test_a_portal_that_says_nothing_or_nonsense_gives_no_documents(
    address: str, answer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(portal, "CALL_S", 0.3)
    bus, asked = await portal_on(address, answer)
    try:
        assert await portal.documents(address, APP) == ()
        assert asked
    finally:
        bus.disconnect()


async def test_without_a_portal_or_a_bus_there_are_no_documents(address: str) -> None:
    assert await portal.documents(address, APP) == ()
    assert await portal.documents("unix:path=/nowhere/bus", APP) == ()
