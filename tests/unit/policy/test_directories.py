"""Directories: `cd` is followed where it surely happens, and every possibility counts where it may not."""

from __future__ import annotations

import pytest

from slated.policy.directories import Directories
from slated.policy.shell import parse
from tests.fakes.policy_world import HOME, PROJECT, facts


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("ls", {PROJECT}),
        ("cd src; ls", {f"{PROJECT}/src"}),
        ("cd src && ls", {f"{PROJECT}/src"}),
        ("cd nowhere && ls", {f"{PROJECT}/nowhere"}),
        ("cd nowhere; ls", {PROJECT, f"{PROJECT}/nowhere"}),
        ("cd nowhere || ls", {PROJECT, f"{PROJECT}/nowhere"}),
        ("a && cd src; ls", {PROJECT, f"{PROJECT}/src"}),
        ("(cd src); ls", {PROJECT, f"{PROJECT}/src"}),
        ("cd; ls", {HOME}),
        ("cd src; cd /; ls", {f"{PROJECT}/src", "/"}),
        ("cd -; ls", {PROJECT, None}),
        ("cd $X && ls", {None}),
        ("pushd src; ls", {f"{PROJECT}/src"}),
        ("pushd +1; ls", {PROJECT, None}),
        ("pushd src; popd; ls", {f"{PROJECT}/src", None}),
        ("for x in a; do cd ..; done; ls", {PROJECT, None, f"{PROJECT}/.."}),
        ("eval 'cd /'; ls", {PROJECT, None}),
        (". ./x; ls", {PROJECT, None}),
        (f"cd() {{ :; }}; cd {PROJECT}/src; ls", {PROJECT, None, f"{PROJECT}/src"}),
    ],
)  # fmt: skip
def test_where_the_last_command_may_run(text: str, wanted: set[str | None]) -> None:
    script = parse(text)
    tracker = Directories(facts(), HOME, PROJECT, script)
    for index in range(len(script.commands) - 1):
        tracker.before(index)
        tracker.after(index)
    assert set(tracker.before(len(script.commands) - 1)) == wanted


def test_too_many_possibilities_are_none() -> None:
    script = parse("; ".join(f"a && cd d{n}" for n in range(9)) + "; ls")
    tracker = Directories(facts(), HOME, PROJECT, script)
    for index in range(len(script.commands)):
        tracker.after(index)
    assert None in tracker.possible
