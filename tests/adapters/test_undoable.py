"""How far undo reaches by the person's rules: directories, what is left out, trees that are too large."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from slated import undoable
from slated.errors import Unavailable
from slated.policy.facts import WORKTREE
from slated.rulefile import RuleFile
from slated.snapshots.pictures import Limits
from slated.undoable import Undoable, keep


class Home:
    """A home with rules and the undo of its person."""

    def __init__(self, path: Path) -> None:
        self.path = path
        (path / "project").mkdir(parents=True)
        (path / "state").mkdir(mode=0o700)
        self.rules = RuleFile(path / "policy.toml", str(path), ())
        self.undo = Undoable(self.rules, path / "state/undo", skip=(str(path / "state"),))

    def rule(self, text: str) -> None:
        (self.path / "policy.toml").write_text(text)

    def covers(self, name: str) -> tuple[bool, str]:
        cover = self.undo.covers(str(self.path / name))
        return cover.covered, cover.reason


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    made = Home(tmp_path / "home")
    yield made
    made.undo.close()


def test_without_rules_the_home_is_covered_but_for_what_others_keep_there(home: Home) -> None:
    assert home.covers("project/new") == (True, f"undo covers {home.path}")
    assert not home.undo.covers("/etc/hosts").covered
    for kept_out in ("state/undo/x", ".claude/projects/x", ".cache/x", ".claude.json"):
        assert not home.covers(kept_out)[0], kept_out


def test_a_protected_directory_is_covered_and_itself_not(home: Home) -> None:
    home.rule(f'[paths]\nprotected = ["{home.path}/project"]\n')
    assert home.covers("project/new")[0]
    assert home.covers(f"project/{WORKTREE}")[0]
    assert home.covers("project") == (
        False,
        f"{home.path}/project is itself the top of what undo protects",
    )
    assert not home.covers("else")[0]


def test_rules_that_change_count_from_the_next_question_on(home: Home) -> None:
    assert home.covers("else")[0]
    home.rule(f'[paths]\nprotected = ["{home.path}/project", "/nowhere/at/all"]\n')
    assert not home.covers("else")[0]
    home.rule(f'[undo]\nleave_out = ["{home.path}/project"]\n')
    assert home.covers("else")[0]
    assert home.covers("project/x")[0] is False


def test_while_it_is_used_it_stays_as_it_is(home: Home) -> None:
    with home.undo.using() as undo:
        home.rule("[paths]\nprotected = []\n")
        with home.undo.using() as same:
            assert same is undo
    assert not home.covers("project/x")[0]


def test_it_is_closed_when_the_last_one_is_done_with_it(home: Home) -> None:
    with home.undo.using() as undo:
        closing = threading.Thread(target=home.undo.close)
        closing.start()
        closing.join(0.1)
        assert closing.is_alive()
        assert not undo.timeline().calls
    closing.join(5)
    assert not closing.is_alive()
    with pytest.raises(Unavailable):
        undo.timeline()


def test_nothing_is_opened_before_it_is_needed(home: Home) -> None:
    assert not home.undo.there
    home.undo.open()
    assert home.undo.there


@pytest.mark.parametrize("name", [f"project/{WORKTREE}", f"many/{WORKTREE}"])
def test_a_tree_above_the_limit_is_not_covered_as_a_whole(
    home: Home, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its files, one by one, are: below a root, and as a root."""
    monkeypatch.setattr(undoable, "Limits", partial(Limits, entries=50))
    home.rule(f'[paths]\nprotected = ["{home.path}/many", "{home.path}"]\n')
    tree = (home.path / name).parent
    tree.mkdir(exist_ok=True)
    big = tree / "big"
    with big.open("wb") as file:
        file.seek(Limits().bytes)
        file.write(b"x")
    assert home.covers(name)[0], "a hole takes no room"
    for number in range(51):
        (tree / str(number)).symlink_to("x")
    fresh = Undoable(home.rules, home.path / "state/undo", skip=(str(home.path / "state"),))
    cover = fresh.covers(str(home.path / name))
    assert not cover.covered
    assert f"{tree}: it is above 50 files" in cover.reason
    assert fresh.covers(str(tree / "7")).covered
    fresh.close()


def test_a_state_that_cannot_be_used_covers_nothing_and_says_why(home: Home) -> None:
    (home.path / "state").rmdir()
    (home.path / "state").write_text("no directory")
    covered, why = home.covers("project/x")
    assert not covered
    assert why.startswith("undo cannot be used: ")
    with pytest.raises(Unavailable):
        home.undo.open()
    assert home.undo.problem


def test_what_is_kept_follows_the_rules(home: Home) -> None:
    home.rule("[undo]\nkeep_tasks = 2\nkeep_days = 3\nkeep_megabytes = 4\nfree_megabytes = 5\n")
    kept = keep(home.rules.rules())
    assert (kept.tasks, kept.bytes, kept.floor) == (2, 4_000_000, 5_000_000)
    assert kept.age_ns == 3 * 86_400 * 10**9
    assert home.undo.keep() == kept
