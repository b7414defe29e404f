"""Notifications over a real bus: shown, taken away, denied; never a way to allow."""

from __future__ import annotations

import os
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from dbus_fast import Message, MessageType
from dbus_fast.aio import MessageBus

from slate_desktop.headless import recipe
from slated import notify
from slated.audit.reader import Wanted, records
from slated.daemon import serving
from slated.errors import Refused
from slated.opening import Opening
from slated.switchboard import Switchboard
from tests.fakes.conscience import RISKY, ask, caller, directories
from tests.live.bed.patience import until

pytestmark = pytest.mark.anyio


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """A session bus without services."""
    place = recipe.Place("notify-test", str(tmp_path), str(tmp_path), "x")
    (tmp_path / "bus.conf").write_text(recipe.bus_config(place), encoding="utf-8")
    command = ["dbus-daemon", "--nofork", "--print-address", f"--config-file={tmp_path}/bus.conf"]
    with subprocess.Popen(
        command, env=recipe.app_env(place), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as daemon:
        assert daemon.stdout is not None
        daemon.stdout.readline()
        yield place.bus_address
        daemon.terminate()


def forgeries(tmp_path: Path) -> list[int]:
    """The processes whose forged clicks are in the log; 0 for one that had left the bus."""
    log = directories(tmp_path).audit
    return [line["pid"] for line in records(log, Wanted(kind="forged_click"))]


class Server:
    """Whoever shows notifications on that bus."""

    def __init__(self, bus: MessageBus) -> None:
        self.bus = bus
        self.shown: dict[int, list[Any]] = {}
        self.moved = anyio.Event()
        bus.add_message_handler(self._handle)

    def _handle(self, message: Message) -> Message | None:
        if message.message_type is not MessageType.METHOD_CALL or message.path != notify.PATH:
            return None
        signature: str = ""
        body: list[Any] = []
        if message.member == "Notify":
            self.shown[len(self.shown) + 1] = message.body
            signature, body = "u", [len(self.shown)]
        elif message.member == "CloseNotification":
            self.shown[message.body[0]] = []
        elif message.member == "GetServerInformation":
            signature, body = "ssss", ["test", "test", "1", "1.2"]
        self.moved.set()
        self.moved = anyio.Event()
        return Message.new_method_return(message, signature, body)

    async def until(self, count: int) -> None:
        """Wait until so many are shown."""
        with anyio.fail_after(5):
            while sum(bool(body) for body in self.shown.values()) != count:
                await self.moved.wait()

    async def click(self, number: int, action: str) -> None:
        await self.bus.send(clicked(number, action))


def clicked(number: int, action: str) -> Message:
    """What is sent when somebody clicks."""
    return Message.new_signal(notify.PATH, notify.SERVER, "ActionInvoked", "us", [number, action])


@asynccontextmanager
async def server(address: str) -> AsyncIterator[Server]:
    bus = await MessageBus(bus_address=address).connect()
    await bus.request_name(notify.SERVER)
    try:
        yield Server(bus)
    finally:
        bus.disconnect()


@asynccontextmanager
async def board(tmp_path: Path, address: str) -> AsyncIterator[Switchboard]:
    where = directories(tmp_path)
    async with serving(where, mark=lambda pid, began: False, bus=address) as made:
        yield made


async def reachable(made: Switchboard, *, yes: bool) -> None:
    with anyio.fail_after(5):
        while bool(made.service.approvals.approvers) is not yes:  # noqa: ASYNC110 - it is another's doing
            await anyio.sleep(0.01)


async def test_a_question_is_shown_and_can_be_denied_there(tmp_path: Path, address: str) -> None:
    async with server(address) as shown, board(tmp_path, address) as made, caller(made) as agent:
        await reachable(made, yes=True)
        async with anyio.create_task_group() as tasks:

            async def wish() -> None:
                with pytest.raises(Refused) as caught:
                    await ask(agent, "admit", **RISKY)
                assert caught.value.code == "refused.denied"

            tasks.start_soon(wish)
            await shown.until(1)
            (body,) = shown.shown.values()
            assert body[5] == ["deny", "Deny"]
            assert "slate approvals" in body[4]
            forger = await MessageBus(bus_address=address).connect()
            for action in ("deny", "open"):  # of anybody else it is not taken
                await forger.send(clicked(1, action))
            forger.disconnect()
            await until(lambda: len(forgeries(tmp_path)) == 1, "it is in the log")
            assert forgeries(tmp_path)[0] in (0, os.getpid())
            assert len(made.questions()) == 1
            await shown.click(1, "deny")
        await shown.until(0)
    (line,) = records(directories(tmp_path).audit, Wanted(kind="answer"))
    assert (line["answer"], line["by"]) == ("deny", "notification")


@pytest.mark.promise("no-self-answer")
async def test_a_click_that_anybody_can_forge_allows_nothing(tmp_path: Path, address: str) -> None:
    """A signal from any client of the bus, with every action's name."""
    async with server(address) as shown, board(tmp_path, address) as made, caller(made) as agent:
        await reachable(made, yes=True)
        with pytest.raises(Refused):
            await ask(agent, "admit", **RISKY, wait_s=0)
        await shown.until(1)
        forger = await MessageBus(bus_address=address).connect()
        for action in ("allow", "once", "always", "default", "yes", "0"):
            for number in (0, 1, 2):
                signal = Message.new_signal(
                    notify.PATH, notify.SERVER, "ActionInvoked", "us", [number, action]
                )
                await forger.send(signal)
        forger.disconnect()
        await anyio.sleep(0.1)
        assert len(made.questions()) == 1
        with pytest.raises(Refused):
            await ask(agent, "admit", **RISKY, wait_s=0)


async def test_a_click_opens_approvals_once_and_a_forged_one_does_not(
    tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = (
        f"echo $HOME >> {tmp_path}/opened; while [ ! -e {tmp_path}/closed ]; do sleep 0.02; done"
    )
    how = Opening(("/bin/sh", "-c", script), {"HOME": "/h", "PATH": "/bin"}, "/")
    monkeypatch.setattr(notify, "opening", lambda pid: how)
    file = tmp_path / "opened"
    async with server(address) as shown, board(tmp_path, address) as made, caller(made) as agent:
        await reachable(made, yes=True)
        with pytest.raises(Refused):
            await ask(agent, "admit", **RISKY, wait_s=0)
        await shown.until(1)
        assert shown.shown[1][5] == ["deny", "Deny", "open", "Open"]
        forger = await MessageBus(bus_address=address).connect()
        await forger.send(clicked(1, "open"))
        await shown.click(9, "open")  # no notification of ours
        await anyio.sleep(0.1)
        assert not file.exists()
        for _ in range(3):
            await shown.click(1, "open")
        await until(file.exists, "approvals were opened")
        (tmp_path / "closed").touch()
        await anyio.sleep(0.1)
        assert file.read_text() == "/h\n", "once, with that environment alone"
        assert len(made.questions()) == 1, "opening answers nothing"
        forger.disconnect()


async def test_another_program_that_shows_notifications_is_looked_at_before_it_is_believed(
    tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notify, "RETRY_S", 0.05)
    looked: list[int] = []
    monkeypatch.setattr(notify, "opening", lambda pid: looked.append(pid))
    async with board(tmp_path, address) as made:
        async with server(address):
            await reachable(made, yes=True)
        async with server(address):
            await until(lambda: len(looked) > 1, "the other one was looked at")
            await reachable(made, yes=True)


async def test_markup_and_line_ends_of_an_agent_are_text(tmp_path: Path, address: str) -> None:
    odd = {**RISKY, "tool": "<b>\nallowed</b>"}
    async with server(address) as shown, board(tmp_path, address) as made, caller(made) as agent:
        await reachable(made, yes=True)
        with pytest.raises(Refused):
            await ask(agent, "admit", **odd, wait_s=0)
        await shown.until(1)
        assert "&lt;b&gt;\\nallowed&lt;/b&gt;" in shown.shown[1][4]


async def test_without_a_bus_or_a_server_nobody_is_told(
    tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notify, "RETRY_S", 0.05)
    async with board(tmp_path, f"unix:path={tmp_path}/none") as made, caller(made) as agent:
        with pytest.raises(Refused) as caught:
            await ask(agent, "admit", **RISKY)
        assert caught.value.code == "refused.no_approver"
    async with board(tmp_path, address) as made:
        await anyio.sleep(0.1)
        assert made.service.approvals.approvers == 0
        async with server(address) as shown:
            await reachable(made, yes=True)
            assert shown.shown == {}
