"""The real Claude Code and a slate: three Seeds, a person's catch-up and review, and no review by the agent itself.

What stands above this test's own process is taken for a person's terminal; everything below it is told apart as always.
"""

from __future__ import annotations

import os
import shlex
import time
from collections.abc import Collection, Sequence
from pathlib import Path

import pytest

from slated import person
from slated.approvals import Answer
from slated.person import Process
from tests.agents.bed import SLATE, Bed, Conscience
from tests.agents.models import call, script
from tests.agents.test_claude import FREELY
from tests.fakes.terminal import Terminal, terminal

ID = "claude-task-5f1c9e7ab2"
SEEDS = {
    "decision": "Amounts are kept in cents, never as floats.",
    "risk": "The refund path double-charges on retry.",
    "memory-entry": "The staging host is called blue.",
}


@pytest.fixture(autouse=True)
def seat(monkeypatch: pytest.MonkeyPatch) -> None:
    def why_not(chain: Sequence[Process], tasks: Collection[tuple[int, int]]) -> str:
        pids = [process.pid for process in chain]
        assert os.getpid() in pids
        return person.in_task(chain[: pids.index(os.getpid())], tasks)

    monkeypatch.setattr(person, "why_not", why_not)


def findings() -> list[str]:
    """The calls of an agent that writes down what it found."""
    named = {"externalSessionId": ID}
    return [
        call("mcp__slate__slate_open", **named, anchors={"root": "/repo/src/billing"}),
        *(
            call("mcp__slate__slate_writeSeed", **named, text=text, kind=kind)
            for kind, text in SEEDS.items()
        ),
        call("mcp__slate__slate_close", **named),
    ]


def run(command: str) -> str:
    """The line for a command of the agent's shell."""
    return call("Bash", command=command, description="d")


def calmly(screen: Terminal, key: bytes) -> None:
    """A key of somebody who has looked first."""
    began = time.monotonic()
    screen.until(lambda: time.monotonic() - began > 0.8)
    screen.press(key)


def reviewed(bed: Bed) -> None:
    """A person accepts the first proposal and rejects the second."""
    with terminal(bed.env, "review", "--project", str(bed.work)) as screen:
        screen.until(lambda: b"1 of 3" in screen.shown)
        screen.until(lambda: b"claude-code" in screen.shown)
        screen.until(lambda: b"external-unverified" in screen.shown)
        calmly(screen, b"a")
        screen.until(lambda: b"y: yes" in screen.shown)
        calmly(screen, b"y")
        screen.until(lambda: b"written to" in screen.shown)
        calmly(screen, b"r")
        screen.until(lambda: b"Say why" in screen.shown)
        calmly(screen, b"\r")
        screen.until(lambda: b"rejected" in screen.shown)


def test_seeds_of_claude_code_reach_knowledge_through_a_persons_review_only(
    bed: Bed, slated: Conscience
) -> None:
    bed.install("claude")
    bed.claude(script(*findings(), "SAY done"), *FREELY)
    shown = bed.slate("catch-up", "--project", str(bed.work))
    assert shown.returncode == 0, shown.stderr
    print(shown.stdout)
    for kind in SEEDS:
        assert f"{kind}: 1 Seed(s) of slate {ID}" in shown.stdout
    assert not (bed.work / ".keryx/knowledge").exists()
    reviewed(bed)
    way = bed.logged()
    accepted, rejected = [line for line in way if line["kind"] == "review"]
    assert (accepted["decision"], rejected["decision"]) == ("accepted", "rejected")
    (page,) = (bed.work / ".keryx/knowledge").rglob("*.md")
    assert page.stem == accepted["proposal"]
    kept = [text for text in SEEDS.values() if f"> {text}" in page.read_text()]
    assert len(kept) == 1
    calls = [line["tool"] for line in way if line["kind"] == "call"]
    assert calls == ["slate.open", *["slate.writeSeed"] * 3, "slate.close"]
    steps = [line["what"] for line in way if line["kind"] == "slate"]
    assert steps == ["opened", "seed", "seed", "seed", "closed"]
    (closed,) = [line for line in way if line.get("what") == "closed"]
    assert accepted["proposal"] in "".join(closed["outcomes"])
    assert bed.slate("audit", "verify").returncode == 0
    left = bed.slate("catch-up", "--project", str(bed.work)).stdout
    assert left.count("Seed(s) of slate") == 1


@pytest.mark.promise("no-self-answer")
def test_a_review_from_inside_the_task_is_refused(bed: Bed, slated: Conscience) -> None:
    """The person even lets the commands run; what they then ask for is not for a task."""
    bed.install("claude")
    slated.says = [Answer.ONCE] * 4
    out = bed.root / "out"
    slate = shlex.join(SLATE)
    where = f"--project {bed.work}"
    tries = [
        f"{slate} catch-up {where}",
        f"{slate} catch-up dismiss {ID} {where}",
        f"script -qec '{slate} review {where}' /dev/null",
        f"setsid env -i {' '.join(f'{k}={bed.env[k]}' for k in ('XDG_RUNTIME_DIR', 'HOME'))} {slate} catch-up {where}",
    ]
    lines = [run(f"{one} >> {out} 2>&1") for one in tries]
    bed.claude(script(*findings(), *lines, "SAY done"), *FREELY)
    said = out.read_text()
    print(said)
    assert said.count("refused.not_a_person") == len(tries), said
    assert len(bed.logged("--kind", "turned_away")) == len(tries)
    assert bed.logged("--kind", "review") == []
    assert not (bed.work / ".keryx/knowledge").exists()
    shown = bed.slate("catch-up", "--project", str(bed.work)).stdout
    assert shown.count("Seed(s) of slate") == len(SEEDS)
    assert Path(bed.work, ".keryx/external-slates", f"{ID}.json").exists()
