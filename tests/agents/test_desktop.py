"""A call of the desktop's own server is enforced by that server, whatever became of the agent program's hooks.

What happened is read off the file system: the call starts a program that makes a file which something runs later.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from slated.approvals import Answer
from tests.agents.bed import Bed, Conscience
from tests.agents.desk import desk
from tests.agents.models import call, script

ALLOWED = ("--allowedTools", "mcp__slate-desktop")
Run = Callable[[Bed], None]


@pytest.fixture
def sway(bed: Bed) -> Iterator[None]:
    """A desktop for the bed."""
    with desk(bed):
        yield


def later(bed: Bed) -> Path:
    """A file whose content is run at the next log-in."""
    return bed.home / ".profile"


def start(bed: Bed, tool: str) -> str:
    return script(call(tool, argv=["touch", str(later(bed))], timeout_s=1), "SAY done")


def claude_guarded(bed: Bed) -> None:
    bed.claude(start(bed, "mcp__slate-desktop__desktop_launch"), *ALLOWED)


def claude_with_hooks_off(bed: Bed) -> None:
    folder = bed.work / ".claude"
    folder.mkdir()
    (folder / "settings.json").write_text(json.dumps({"disableAllHooks": True}))
    bed.claude(start(bed, "mcp__slate-desktop__desktop_launch"), *ALLOWED)


def claude_that_skips_permissions(bed: Bed) -> None:
    words = ("--dangerously-skip-permissions",)
    bed.claude(start(bed, "mcp__slate-desktop__desktop_launch"), *words)


def await_servers(bed: Bed) -> None:
    """Codex sends its first request without waiting for servers, unless each is required."""
    config = bed.home / ".codex/config.toml"
    table = "[mcp_servers.slate-desktop]\n"
    assert table in config.read_text()
    config.write_text(config.read_text().replace(table, f"{table}required = true\n"))


def codex_guarded(bed: Bed) -> None:
    await_servers(bed)
    bed.codex(start(bed, "mcp__slate_desktop/desktop_launch"), "-s", "read-only")


def codex_without_its_sandbox(bed: Bed) -> None:
    await_servers(bed)
    words = ("--dangerously-bypass-approvals-and-sandbox",)
    bed.codex(start(bed, "mcp__slate_desktop/desktop_launch"), *words)


MODES = {
    "claude": [claude_guarded, claude_with_hooks_off, claude_that_skips_permissions],
    "codex": [codex_guarded, codex_without_its_sandbox],
}


@pytest.mark.usefixtures("sway")
@pytest.mark.parametrize(
    ("says", "ran"), [(Answer.ONCE, True), (Answer.DENY, False), (None, False)]
)
@pytest.mark.parametrize(
    ("program", "run"), [(name, run) for name, runs in MODES.items() for run in runs],
    ids=[run.__name__ for runs in MODES.values() for run in runs],
)  # fmt: skip
def test_a_call_of_the_desktop_is_asked_about_once_in_every_mode(
    bed: Bed, slated: Conscience, program: str, run: Run, says: Answer | None, ran: bool
) -> None:
    bed.install(program)
    slated.says = [says]
    run(bed)
    assert [question["tool"] for question in slated.asked] == ["desktop_launch"]
    assert later(bed).exists() == ran
    calls = [(r["tool"], r["verdict"]) for r in bed.logged("--kind", "call")]
    assert calls == [("desktop_launch", "allow" if ran else "deny")]


@pytest.mark.promise("gate-down-no-action")
@pytest.mark.usefixtures("sway")
@pytest.mark.parametrize(
    "run", [claude_guarded, claude_with_hooks_off], ids=lambda run: run.__name__
)
def test_a_call_of_the_desktop_does_nothing_while_slated_cannot_be_started(
    bed: Bed, run: Run
) -> None:
    bed.install("claude")
    (bed.root / "r/slate").mkdir(mode=0o700, exist_ok=True)
    for name in ("slated.lock", "slated.start"):
        (bed.root / "r/slate" / name).mkdir()
    run(bed)
    assert not later(bed).exists()
