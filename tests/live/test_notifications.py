"""Questions in a real notification daemon: denied there, or opened in a terminal whose keys are a person's."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pytest
from dbus_fast import Message
from dbus_fast.aio import MessageBus

from slate_desktop.headless.program import SwayProgram
from slated import __version__, notify, person, settings
from slated.audit.reader import Wanted, records
from slated.daemon import serving
from slated.errors import Refused
from slated.switchboard import Switchboard
from slated.wire import control
from slated.wire.peer import started
from slated.wire.serve import Door, alone, listening
from tests.fakes.conscience import RISKY, ask, caller
from tests.live.bed import stage as stages
from tests.live.bed.patience import START_S, until, until_it_says
from tests.live.bed.stage import Stage

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(shutil.which("mako") is None, reason="mako-notifier is not installed"),
    pytest.mark.skipif(
        bool(person.in_task(person.ancestry(os.getpid()), set())),
        reason="run by an agent: nothing that is opened here is a person's",
    ),
]


@pytest.fixture
async def stage(sway_program: SwayProgram, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Stage]:
    """A session of its own: on the shared one a slated may be serving already. What that one has marked this process
    with, for agents that tests began, is not to count here.
    """
    monkeypatch.setattr(person, "MARK_US", 0)
    async with stages.staged(sway_program, conscience=False) as made, made.acts:
        yield made


@asynccontextmanager
async def slated(stage: Stage) -> AsyncIterator[Switchboard]:
    """A slated of the session, and mako, which shows its questions."""
    await stage.start(["mako"])

    async def listens() -> int:
        return (await anyio.run_process(["makoctl", "list"], env=stage.env, check=False)).returncode

    await until_it_says(listens, 0, "mako shows notifications", deadline_s=START_S)
    socket = control.daemon_of(stage.slate_env).socket
    where = settings.directories(stage.slate_env)
    bus = stage.session.app_env["DBUS_SESSION_BUS_ADDRESS"]
    async with (
        alone(socket),
        serving(where, mark=lambda pid, began: False, bus=bus) as board,
        listening(socket) as listener,
        anyio.create_task_group() as tasks,
    ):
        tasks.start_soon(Door(version=__version__).serve, listener, board.connection)
        await until(lambda: board.service.approvals.approvers, "somebody shows notifications")
        yield board
        tasks.cancel_scope.cancel()


async def mako(stage: Stage, *words: str) -> str:
    done = await anyio.run_process(["makoctl", *words], env=stage.env)
    return done.stdout.decode()


async def shown(stage: Stage) -> list[dict[str, Any]]:
    # Not by makoctl: what it prints differs from one mako to the next.
    bus = await MessageBus(bus_address=stage.env["DBUS_SESSION_BUS_ADDRESS"]).connect()
    try:
        name, path = "fr.emersion.Mako", "/fr/emersion/Mako"
        at = "org.freedesktop.Notifications"
        wish = Message(destination=at, path=path, interface=name, member="ListNotifications")
        reply = await bus.call(wish)
    finally:
        bus.disconnect()
    assert reply is not None
    assert reply.error_name is None, reply.body
    listed = [{key: it.value for key, it in one.items()} for one in reply.body[0]]
    return [one for one in listed if one["app-name"] == "Slate"]


@asynccontextmanager
async def asked(stage: Stage, board: Switchboard) -> AsyncIterator[int]:
    """A question that waits; the number of its notification."""
    # An agent that is not above this test, or what the test opens would count as the agent's.
    line = "setsid sleep 300 >/dev/null 2>&1 & echo $!"
    pid = int((await anyio.run_process(["sh", "-c", line])).stdout)
    try:
        await until(
            lambda: (it := person.read(pid)) and it.name == "sleep", "the agent stands alone"
        )
        other = {"pid": pid, "started": started(pid)}
        async with caller(board) as agent:
            with pytest.raises(Refused):
                await ask(agent, "admit", **RISKY, wait_s=0, agent=other)

        async def count() -> int:
            return len(await shown(stage))

        await until_it_says(count, 1, "the question is shown")
        (one,) = await shown(stage)
        yield int(one["id"])
    finally:
        os.kill(pid, signal.SIGKILL)


def answers(stage: Stage) -> list[tuple[object, object]]:
    audit = settings.directories(stage.slate_env).audit
    return [(line["answer"], line["by"]) for line in records(audit, Wanted(kind="answer"))]


async def test_a_question_is_denied_in_a_real_notification(stage: Stage) -> None:
    async with slated(stage) as board, asked(stage, board) as number:
        await mako(stage, "invoke", "-n", str(number), "deny")
        await until(lambda: not board.questions(), "it is denied")
    assert answers(stage)[-1] == ("deny", "notification")


async def test_open_shows_approvals_in_a_terminal_and_the_person_answers_there(
    stage: Stage,
) -> None:
    someone = await stage.person()
    async with slated(stage) as board, asked(stage, board) as number:
        await forged(stage, number)
        await mako(stage, "invoke", "-n", str(number), "open")
        await stage.shows("foot", deadline_s=START_S)
        await until(lambda: board.approvers, "approvals count as a person's", deadline_s=START_S)
        assert [q["tool"] for q in board.questions()] == [RISKY["tool"]]
        stage.focus("foot")

        async def left() -> int:
            await someone.ask("type", text="n")  # too early a key is not taken
            await anyio.sleep(0.3)
            return len(board.questions())

        await until_it_says(left, 0, "the person's no arrived", deadline_s=START_S)
        await someone.ask("type", text="q")
        await until(lambda: not board.approvers, "the window is closed")
    assert [by for answer, by in answers(stage)][-1] != "notification"


async def forged(stage: Stage, number: int) -> None:
    """Clicks that mako never sent, to everybody and to slated alone: nothing is denied, nothing opens."""
    bus = await MessageBus(bus_address=stage.session.app_env["DBUS_SESSION_BUS_ADDRESS"]).connect()
    names = await bus.call(Message(notify.BUS, notify.BUS_PATH, notify.BUS, "ListNames"))
    assert names is not None
    for action in ("deny", "open"):
        for to in (None, *(name for name in names.body[0] if name.startswith(":"))):
            click = Message.new_signal(
                notify.PATH, notify.SERVER, "ActionInvoked", "us", [number, action]
            )
            click.destination = to
            await bus.send(click)
    bus.disconnect()
    assert len(await shown(stage)) == 1
    assert stage.sway.window("foot") is None
