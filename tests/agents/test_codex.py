"""The real Codex before slated: what runs, what does not, and that it is called guarded only where it is.

What happened is read off the file system and the log, never off what the agent says.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from slated.approvals import Answer
from tests.agents.bed import CODEX_CONFIG, Bed, Conscience
from tests.agents.impostor import Deed, babbling, impostor, killing
from tests.agents.models import call, script

WRITES = ("-s", "workspace-write")


def append(path: Path) -> str:
    """A call that adds a line to a file."""
    return call("exec_command", cmd=f"echo ran >> {path}")


def lines(path: Path) -> int:
    return len(path.read_text().splitlines()) if path.exists() else 0


def mode(bed: Bed) -> tuple[str, str]:
    """How the last session is said to be guarded."""
    task = bed.sessions("codex")[-1]
    return task["mode"], task["why"]


def test_without_slate_the_command_runs(bed: Bed) -> None:
    """That the others do not run is not for want of trying."""
    bed.codex(script(append(bed.work / "out"), "SAY done"), *WRITES)
    assert lines(bed.work / "out") == 1


def test_what_observes_and_what_undo_covers_runs_silently(bed: Bed, slated: Conscience) -> None:
    bed.install("codex")
    inside = bed.covered / "file"
    bed.codex(script(call("exec_command", cmd="ls"), append(inside), "SAY done"), *WRITES)
    assert lines(inside) == 1
    assert slated.asked == []
    assert [r["tier"] for r in bed.logged("--kind", "call")] == ["observe", "reversible"]
    assert [r["outcome"] for r in bed.logged("--kind", "outcome")] == ["done", "done"]


@pytest.mark.parametrize(
    ("says", "ran", "questions"),
    [
        ([Answer.ONCE, Answer.DENY], 1, 2),
        ([Answer.ALWAYS], 2, 1),
        ([Answer.DENY], 0, 1),
        ([None], 0, 1),
    ],
    ids=["once", "again", "deny", "no answer"],
)
def test_what_needs_a_yes_obeys_the_person(
    bed: Bed, slated: Conscience, says: list[Answer | None], ran: int, questions: int
) -> None:
    bed.install("codex")
    slated.says = says
    out = bed.work / "out"
    bed.codex(script(append(out), append(out), "SAY done"), *WRITES)
    assert lines(out) == ran
    assert len(slated.asked) == questions


def test_a_session_that_may_write_is_advisory_and_says_why(bed: Bed, slated: Conscience) -> None:
    bed.install("codex")
    bed.codex(script("SAY done"), *WRITES)
    said, why = mode(bed)
    assert said == "advisory"
    assert "hook is killed" in why


@pytest.mark.parametrize("deed", [killing, babbling])
def test_a_hook_that_is_killed_or_hears_nonsense_stops_the_command(bed: Bed, deed: Deed) -> None:
    """By the wrapper, which is itself not sure to live: so such a session is called advisory."""
    bed.install("codex")
    config = bed.home / ".codex/config.toml"
    assert config.read_text().startswith(CODEX_CONFIG)
    with impostor(bed.socket, deed) as reached:
        # Our server does not come up with an impostor, and the session would not either.
        without = ("-c", "mcp_servers.slate.required=false")
        bed.codex(script(append(bed.work / "out"), "SAY done"), *WRITES, *without)
    assert reached
    assert lines(bed.work / "out") == 0


def test_guarded_a_command_changes_nothing_even_with_its_hooks_gone(bed: Bed) -> None:
    bed.install("codex")
    out = bed.work / "out"
    bed.codex(script(append(out), "SAY done"), "-s", "read-only")
    assert mode(bed) == ("guarded", "")
    assert lines(out) == 0
    bed.end_slated()
    assert bed.slate("hook", "uninstall", "codex").returncode == 0
    bed.codex(script(append(out), "SAY done"), "-s", "read-only")
    assert lines(out) == 0


def test_slates_own_server_runs_without_a_prompt_and_asks_by_itself(
    bed: Bed, slated: Conscience
) -> None:
    bed.install("codex")
    slated.says = [Answer.DENY]
    remember = call("mcp__slate/remember", text="tabs")
    forget = call("mcp__slate/forget", text="tabs")
    bed.codex(script(remember, forget, "SAY done"), *WRITES)
    calls = [(r["tool"], r["verdict"]) for r in bed.logged("--kind", "call")]
    assert calls == [("remember", "allow"), ("forget", "deny")]
    assert [q["tool"] for q in slated.asked] == ["forget"]


def test_uninstalled_the_configuration_is_what_it_was(bed: Bed) -> None:
    config = bed.home / ".codex/config.toml"
    bed.install("codex")
    assert "trusted_hash" in config.read_text()
    assert bed.slate("hook", "uninstall", "codex").returncode == 0
    assert config.read_text() == CODEX_CONFIG
