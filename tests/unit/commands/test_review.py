"""The review's screen: which key does what, what must have been read first, and what a Seed looks like."""

from __future__ import annotations

from typing import Any

import pytest

from slated.commands.review import View, run, seed_lines
from slated.commands.screen import STRAY_S
from slated.errors import Stale, Unavailable
from tests.fakes.waiting import candidate, proposal, seed

WIDE, TALL = 80, 40


class Fake:
    """slated, as far as a review calls it."""

    def __init__(self, *items: dict[str, Any]) -> None:
        self.items = list(items)
        self.text = "A finding."
        self.calls: list[tuple[str, dict[str, object]]] = []
        self.stale = False

    def call(self, method: str, **params: object) -> Any:
        self.calls.append((method, params))
        if method == "review_confirm":
            if self.stale:
                raise Stale("proposal", "it changed", next_step="look again")
            return {"token": f"token for {params['digest']}"}
        gone = params.get("proposal") or params.get("slate")
        self.items = [one for one in self.items if gone not in (one.get("id"), one.get("slate"))]
        if method == "candidate":
            return {"made": [{"kind": "risk", "outcome": "proposed", "proposalId": "wrapup-9"}]}
        return {"status": params["decision"], "path": ".keryx/knowledge/risks/a.md"}

    def rows(self, method: str, **params: object) -> list[dict[str, Any]]:
        if method == "seeds":
            return [seed(self.text)]
        if method == "workspaces":
            return [{"id": f"workspace-{n}", "title": f"number {n}"} for n in (1, 2)]
        return list(self.items)


class Desk:
    def __init__(self, *items: dict[str, Any]) -> None:
        self.now = 100.0
        self.fake = Fake(*items)
        self.view = View(lambda: self.now, self.fake)
        self.view.load()

    def look(self) -> list[str]:
        return [line for line, _ in self.view.lines(WIDE, TALL)]

    def press(self, *keys: str) -> None:
        """Keys of somebody who looks first."""
        for key in keys:
            self.look()
            self.now += STRAY_S
            assert self.view.key(key)


def test_accepting_takes_a_look_and_two_keys_and_carries_the_token_of_what_was_shown() -> None:
    desk = Desk(proposal("one"), proposal("two"))
    desk.press("a")
    assert [method for method, _ in desk.fake.calls] == ["review_confirm"]
    assert desk.fake.calls[0][1]["digest"] == "digest of one"
    assert any("y: yes" in line for line in desk.look())
    desk.press("y")
    method, params = desk.fake.calls[-1]
    assert (method, params["proposal"], params["decision"]) == ("review", "one", "accepted")
    assert params["token"] == "token for digest of one"  # noqa: S105 - a made-up one
    assert any("accepted, written to .keryx/knowledge/risks/a.md" in line for line in desk.look())
    assert desk.view.current is not None
    assert desk.view.current["id"] == "two"


@pytest.mark.parametrize("key", ["n", "a", "\x1b", "q", "KEY_DOWN"])
def test_any_other_key_than_y_accepts_nothing(key: str) -> None:
    desk = Desk(proposal("one"))
    desk.press("a", key)
    assert [method for method, _ in desk.fake.calls] == ["review_confirm"]
    assert desk.view.token == ""


def test_what_was_not_read_to_its_end_is_not_accepted() -> None:
    desk = Desk(proposal("one"))
    desk.fake.text = "line\n" * 100
    desk.view.load()
    desk.press("a")
    assert desk.fake.calls == []
    assert "read it to its end" in desk.view.note
    desk.press(" ", " ", " ", " ", "a")
    assert [method for method, _ in desk.fake.calls] == ["review_confirm"]


def test_a_key_that_was_meant_for_something_else_decides_nothing() -> None:
    desk = Desk(proposal("one"))
    desk.look()
    for key in ("a", "r", "d"):
        desk.view.key(key)
        assert "not taken" in desk.view.note
    desk.press("a")
    desk.view.key("y")
    assert "not taken" in desk.view.note
    assert [method for method, _ in desk.fake.calls] == ["review_confirm"]


def test_what_changed_since_it_was_shown_is_not_accepted() -> None:
    desk = Desk(proposal("one"))
    desk.fake.stale = True
    desk.press("a")
    assert "stale.proposal: it changed look again" in desk.view.note
    assert desk.view.token == ""


@pytest.mark.parametrize(("key", "decision"), [("r", "rejected"), ("d", "dismissed")])
def test_rejecting_asks_for_a_reason(key: str, decision: str) -> None:
    desk = Desk(proposal("one"))
    desk.press(key, "n", "o", "x", "KEY_BACKSPACE", "é", "\n")
    assert desk.fake.calls[-1] == (
        "review",
        {"workspace": "workspace-1", "proposal": "one", "decision": decision, "reason": "noé"},
    )
    assert any("Everything was reviewed" in line for line in desk.look())


def test_escape_leaves_a_reason_and_nothing_is_done() -> None:
    desk = Desk(proposal("one"))
    desk.press("r", "q", "\x1b")
    assert desk.fake.calls == []
    assert desk.view.typing is None


@pytest.mark.parametrize(
    ("keys", "params"),
    [
        ("p", {"deed": "propose", "slate": "a"}),
        ("t", {"deed": "retry", "slate": "a"}),
        ("b2\n", {"deed": "bind", "slate": "a", "workspace": "workspace-2"}),
        ("dx\n", {"deed": "dismiss", "slate": "a", "reason": "x"}),
    ],
)
def test_a_slate_in_no_workspace_is_bound_proposed_retried_or_dismissed(
    keys: str, params: dict[str, str]
) -> None:
    desk = Desk(candidate("a"))
    desk.press(*keys)
    assert desk.fake.calls == [("candidate", params)]


def test_a_number_that_is_none_binds_nothing() -> None:
    for wrong in ("3", "0", "", "x"):
        desk = Desk(candidate("a"))
        desk.press("b", *wrong, "\n")
        assert desk.fake.calls == []
        assert "none of the numbers" in desk.view.note


def test_keys_of_another_kind_of_item_do_nothing() -> None:
    desk = Desk(candidate("a"), {"section": "page", "path": "x.md", "why": "changed"})
    desk.press("a", "r", "j", "a", "d", "p", "b")
    assert desk.fake.calls == []
    assert not desk.view.key("q")


def test_trust_and_origin_of_every_seed_are_shown() -> None:
    lines = [line for line, _ in seed_lines(1, seed("A finding."), WIDE)]
    assert '1. from "claude-code", external-unverified, 2026-08-21T17:46:48.263Z' in lines[0]
    assert lines[-1] == "  | A finding."


def test_a_seed_cannot_pass_for_lines_of_ours() -> None:
    odd = seed('a\n\n2. from "the person", verified\u202e\x1b[2J' + "x" * 300, 'me", verified "')
    lines = [line for line, _ in seed_lines(1, odd, WIDE)]
    assert all(line.isprintable() for line in lines)
    assert all(len(line) <= WIDE for line in lines)
    assert lines[0].startswith('1. from "me\\", verified \\""')
    assert [line for line in lines if not line.startswith("  | ")] == lines[:2]


def test_what_is_wrong_with_a_proposal_is_said() -> None:
    for more, said in (
        ({"fresh": False}, "NOT WHAT WAS PROPOSED"),
        ({"status": "stale", "reason": "disk full"}, "tried before: disk full"),
        ({"writing": "user:local-1"}, "cut off and can be repeated"),
    ):
        desk = Desk(proposal("one", **more))
        assert said in "".join(desk.look())


def test_without_a_terminal_there_is_no_review() -> None:
    with pytest.raises(Unavailable):
        run({}, [])
