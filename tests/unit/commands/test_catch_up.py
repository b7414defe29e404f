"""What `slate catch-up` prints: each section under its heading, and nothing that could pass for another line."""

from __future__ import annotations

from slated.commands.catch_up import done, line, lines
from tests.fakes.waiting import candidate, proposal


def test_the_sections_stand_under_their_headings() -> None:
    page = {"section": "page", "path": ".keryx/knowledge/wiki/a.md", "why": "no person accepted it"}
    damaged = {"section": "damaged", "what": "b", "why": "torn", "next": "Set it aside."}
    closing = {"section": "closing", "slate": "c"}
    shown = lines([page, damaged, closing, candidate("d"), candidate("e", "failed"), proposal("f")])
    assert [one for one in shown if not one.startswith("  ")] == [
        "Proposals that wait for `slate review`:",
        "Slates whose Seeds are in no workspace:",
        "Slates that are closing now:",
        "Knowledge pages that nobody reviewed:",
        "Damaged:",
    ]
    assert "  d  1 risk: bound to no workspace (bind, propose or dismiss)" in shown
    assert any("e  1 risk: proposing into workspace-1 failed" in one for one in shown)
    assert lines([]) == []


def test_names_from_a_repository_are_escaped() -> None:
    page = {"section": "page", "path": "a\n  b\u202e.md", "why": "no person accepted it"}
    assert line(page).startswith("a\\n  b\\u{202E}.md")


def test_what_became_of_a_slate_is_told_for_each_kind() -> None:
    made = [
        {"kind": "risk", "outcome": "proposed", "proposalId": "wrapup-1"},
        {"kind": "decision", "outcome": "error", "message": "full\ndisk"},
    ]
    assert done("bind", made) == ["risk: proposed wrapup-1", "decision: error full\\ndisk"]
    assert done("dismiss", None) == ["dismiss: done"]
    assert done("set-aside", "a/b.json") == ["set-aside: done a/b.json"]
    assert done("retry", None) == ["tried again; see `slate catch-up`"]
