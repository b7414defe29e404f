"""The policy file as it changes: live, and never worse than the last good one."""

from __future__ import annotations

from pathlib import Path

from slated.model import Tier
from slated.rulefile import RuleFile

GOOD = '[tools]\nTheirs = "reversible"\n'


def of(path: Path) -> RuleFile:
    return RuleFile(path, "/home/dev", ())


def test_without_a_file_the_built_in_rules_hold(tmp_path: Path) -> None:
    rules = of(tmp_path / "p")
    assert rules.rules().tool_tier("Theirs") is None
    assert rules.errors == ()


def test_a_change_counts_with_the_next_question(tmp_path: Path) -> None:
    path = tmp_path / "p"
    rules = of(path)
    rules.rules()
    path.write_text(GOOD, encoding="utf-8")
    assert rules.rules().tool_tier("Theirs") is Tier.REVERSIBLE
    path.unlink()
    assert rules.rules().tool_tier("Theirs") is None


def test_a_broken_file_is_told_and_the_last_good_rules_stay(tmp_path: Path) -> None:
    path = tmp_path / "p"
    rules = of(path)
    path.write_text(GOOD, encoding="utf-8")
    rules.rules()
    for broken in (
        b"[tools]\nTheirs = 3\n# longer\n",
        b"\xff\xfe broken",
        b"x" * (1 << 20) + b"xx",
    ):
        path.write_bytes(broken)
        assert rules.rules().tool_tier("Theirs") is Tier.REVERSIBLE
        assert len(rules.errors) == 1
    path.write_text(GOOD + "\n", encoding="utf-8")
    rules.rules()
    assert rules.errors == ()


def test_a_directory_in_its_place_is_an_error(tmp_path: Path) -> None:
    rules = of(tmp_path)
    rules.rules()
    assert "cannot be read" in str(rules.errors[0])
