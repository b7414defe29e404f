"""What agents type into real terminals is judged as the command line it becomes; what cannot be known is not."""

from __future__ import annotations

import itertools
import os
import shutil
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from slate_desktop import ptys
from slate_desktop.headless.program import SwayProgram
from slate_desktop.model import Foreground
from slate_desktop.swayipc.ipc import Events
from tests.live.bed import stage as stages
from tests.live.bed.agent import Agent, Reply
from tests.live.bed.patience import START_S, until
from tests.live.bed.stage import Stage

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("daemon")]

PRIVATE = (
    "cat ~/.ssh/id_rsa"  # refused where it is known, also on a desktop where nobody can be asked
)
REFUSED = "refused.no_approver"
_numbers = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Shell:
    """An agent, and a terminal with a shell that it launched."""

    agent: Agent
    window: str
    pid: int

    async def types(self, text: str, *, submit: bool = False) -> Reply:
        target = self.window
        return await self.agent.call(
            "desktop_type", target=target, text=text, submit=submit, observe="none"
        )

    async def presses(self, *keys: str) -> Reply:
        target = self.window
        return await self.agent.call("desktop_key", target=target, keys=list(keys), observe="none")

    def front(self) -> Foreground | None:
        return ptys.look(self.pid)

    async def prompts(self) -> None:
        await until(lambda: bool((f := self.front()) and f.shell), "the shell's prompt")


async def launched(stage: Stage, *argv: str) -> Shell:
    if shutil.which(argv[0]) is None:
        pytest.skip(f"{argv[0]} is not installed")
    agent = await stage.agent()
    reply = await agent.ok("desktop_launch", argv=list(argv), timeout_s=30)
    (opened,) = reply.outcome["opened"]
    pid = await until(lambda: running(argv), f"the process of {argv[0]}", deadline_s=START_S)
    shell = Shell(agent, opened["ref"], pid)
    await shell.prompts()
    return shell


def has(path: Path) -> str:
    return path.read_text() if path.exists() else ""


def running(argv: Sequence[str]) -> int | None:
    """The process with these words. Sway may see somebody in between instead."""
    wanted = b"".join(word.encode() + b"\0" for word in argv)
    for path in Path("/proc").iterdir():
        with suppress(OSError):
            if path.name.isdecimal() and (path / "cmdline").read_bytes() == wanted:
                return int(path.name)
    return None


async def foot(stage: Stage) -> Shell:
    # A name of its own: the terminal of the test before may take its time to end.
    return await launched(stage, "foot", f"--app-id=bed.shell{next(_numbers)}", "bash")


async def test_a_line_is_judged_as_the_command_it_becomes_also_over_several_calls(
    stage: Stage, tmp_path: Path
) -> None:
    shell = await foot(stage)
    assert not (await shell.types(f"ls > {tmp_path}/one", submit=True)).error
    await until(lambda: (tmp_path / "one").exists(), "the command ran")
    await shell.prompts()
    assert (await shell.types(PRIVATE, submit=True)).code == REFUSED
    assert not (await shell.types(PRIVATE[:6])).error
    assert not (await shell.types(PRIVATE[6:])).error
    assert (await shell.presses("Return")).code == REFUSED
    assert (await shell.types(f"\ntouch {tmp_path}/two\n")).code == REFUSED


async def test_keys_that_edit_are_followed_and_the_real_shell_agrees(
    stage: Stage, tmp_path: Path
) -> None:
    """Each line is edited by keys; the real bash runs what the model of the line says, or another file is made."""
    shell = await foot(stage)
    edits = [
        (f"touch {tmp_path}/axx", ["BackSpace", "ctrl+h", "Return"], "a"),
        (f"ouch {tmp_path}/b", ["Home", "t", "End", "1", "Return"], "b1"),
        (f"touch {tmp_path}/cz", ["Left", "Delete", "Return"], "c"),
        (f"rm -rf touch {tmp_path}/d", ["Home", *["Right"] * 7, "ctrl+u", "Return"], "d"),
    ]
    for text, keys, made in edits:
        assert not (await shell.types(text)).error
        assert not (await shell.presses(*keys)).error
        await until(lambda made=made: (tmp_path / made).exists(), f"{made} was made")  # type: ignore[misc]  # bound now
        await shell.prompts()
    assert not (await shell.types(f"touch; {PRIVATE}")).error
    assert (await shell.presses("Home", "Right", "Left", "Return")).code == REFUSED
    assert set(os.listdir(tmp_path)) == {made for *_, made in edits}


async def test_a_line_given_up_at_the_prompt_is_empty_and_known(
    stage: Stage, tmp_path: Path
) -> None:
    shell = await foot(stage)
    assert not (await shell.types(f"touch {tmp_path}/never")).error
    assert not (
        await shell.presses("Up")
    ).error  # nobody can be asked here; the line is unknown now
    assert not (await shell.presses("ctrl+c")).error
    assert (await shell.types(PRIVATE, submit=True)).code == REFUSED
    assert not (await shell.types(f"touch {tmp_path}/then", submit=True)).error
    await until(lambda: (tmp_path / "then").exists(), "the command ran")
    assert not (tmp_path / "never").exists()


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (f"{sys.executable} -q", "the program python"),
        ("cat", "the program cat"),
        ("read -s secret", "not at its prompt"),
    ],
)
async def test_what_reads_the_terminal_instead_of_a_shell_is_seen(
    stage: Stage, command: str, why: str
) -> None:
    shell = await foot(stage)
    assert not (await shell.types(command, submit=True)).error
    front = await until(
        lambda: f if (f := shell.front()) and not f.shell and why in f.why else None, why
    )
    assert front.password is (command.startswith("read -s"))
    # Unknown lines are no shell's: what is typed is not judged as if a shell read it.
    reply = await shell.types("x", submit=True)
    assert reply.error is front.password, reply.text


async def test_the_same_in_xterm_where_sway_has_an_xwayland(
    sway_program: SwayProgram, tmp_path: Path
) -> None:
    if shutil.which("Xwayland") is None:
        pytest.skip("Xwayland is not installed")
    async with (
        stages.staged(sway_program, extra_config="xwayland enable") as stage,
        stages.daemon(stage),
        stage.acts,
    ):
        stage.sway.run(f"exec 'echo $DISPLAY >{tmp_path}/display'")
        place = await until(lambda: has(tmp_path / "display"), "the number of the X display")
        env = {**stage.env, "DISPLAY": place.strip()}
        process = await stage.start(["xterm", "-T", "bed.xterm", "-e", "bash"], env=env)
        await stage.shows("bed.xterm", deadline_s=START_S)
        shell = Shell(await stage.agent(), "bed.xterm", process.pid)
        await shell.prompts()
        # Who may have typed there before the first look is not known; a line that is given up is.
        assert not (await shell.presses("ctrl+c")).error
        assert not (await shell.types(f"touch {tmp_path}/x", submit=True)).error
        await until(lambda: (tmp_path / "x").exists(), "the command ran")
        await shell.prompts()
        assert (await shell.types(PRIVATE, submit=True)).code == REFUSED


async def test_sway_tells_when_the_persons_keyboard_comes_to_a_window_and_not_when_ours_does(
    stage: Stage,
) -> None:
    seen: list[int] = []
    events = Events(str(stage.session.sway_socket))
    events.focused(seen.append)
    await stage.window("bed.a")
    await stage.window("bed.b")
    stage.tasks.start_soon(events.run)
    a, b = (w["id"] for w in (stage.sway.window("bed.a"), stage.sway.window("bed.b")) if w)

    def to_a() -> bool:
        stage.focus("bed.b")
        stage.focus("bed.a")
        return seen[-1:] == [a]

    await until(to_a, "the events stand, and the person is at a")
    agent = await stage.agent()
    before = len(seen)
    await agent.ok("desktop_type", target="bed.b", text="x", observe="none")
    stage.focus("bed.b")
    await until(lambda: seen[-1:] == [b], "the person at b")
    assert seen[before:] == [b]
