"""Path patterns: what matches, what may match, and what lies below."""

from __future__ import annotations

import pytest

from slated.policy.facts import ProtectedRoots, absolute_roots
from slated.policy.paths import Patterns, Tables, ends_as_directory, meet, normal

HOME = "/home/dev"


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("/", "/"),
        ("//a/./b//", "/a/b"),
        ("/a/../b", "/b"),
        ("/../..", "/"),
        ("/a/b/..", "/a"),
        ("/a/...", "/a/..."),
    ],
)
def test_paths_are_made_normal_by_text(path: str, wanted: str) -> None:
    assert normal(path) == wanted


def test_patterns_match_at_their_depth() -> None:
    patterns = Patterns.of(["~/.ssh/**", "**/.env", "~/.bash*", "**/*.pth"], HOME)
    assert patterns.matching(f"{HOME}/.ssh/id") == f"{HOME}/.ssh/**"
    assert patterns.matching(f"{HOME}/.ssh") is not None
    assert patterns.matching(f"{HOME}/.sshx") is None
    assert patterns.matching("/x/y/.env") is not None
    assert patterns.matching("/x/y/.envx") is None
    assert patterns.matching(f"{HOME}/.bashrc") is not None
    assert patterns.matching(f"{HOME}/.bash/x") is None
    assert patterns.matching("/a\n/x.pth") is not None


def test_what_lies_below_counts_only_with_a_fixed_place() -> None:
    patterns = Patterns.of(["~/.ssh/**", "**/.env"], HOME)
    assert patterns.below("/home") == f"{HOME}/.ssh/**"
    assert patterns.below(HOME) is not None
    assert patterns.below(f"{HOME}/project") is None


@pytest.mark.parametrize(
    ("glob", "hit"),
    [(f"{HOME}/.s*/id*", True), (f"{HOME}/*/id", False), ("/home/*/.ssh/id_rsa", True), ("/x/id_[re]*", True),
        ("/x/*.py", False),
     ("/x/*", True), ("/x/.e*", True), ("/x/?env", False)],
)  # fmt: skip
def test_a_shell_pattern_is_tested_for_what_it_may_match(glob: str, hit: bool) -> None:
    patterns = Patterns.of(["~/.ssh/**", "**/.env", "**/id_rsa"], HOME)
    assert (patterns.reachable(glob) is not None) is hit


def test_components_meet_whatever_the_depth() -> None:
    assert meet(["a", "b", "c"], ["**", "c"])
    assert meet(["a"], ["a", "**"])
    assert not meet(["a"], ["b"])


def test_only_what_is_below_a_root_is_covered() -> None:
    roots = ProtectedRoots(absolute_roots(["~/src/", "/srv"], HOME), excluded=(f"{HOME}/src/big",))
    assert roots.covers(f"{HOME}/src/a").covered
    assert not roots.covers(f"{HOME}/src").covered
    assert not roots.covers(f"{HOME}/src/big/x").covered
    assert not roots.covers(f"{HOME}/srcx").covered
    assert "undo does not cover /etc" in roots.covers("/etc").reason


def test_tables_know_why_and_take_what_the_person_adds() -> None:
    tables = Tables.of(HOME, ["**/deploy.sh"], ["~/tax/**"], [f"{HOME}/tools/"])
    for path in ("/x/deploy.sh", f"{HOME}/tools/ls", f"{HOME}/.bashrc", "/x/.git/config"):
        pattern = tables.delayed.matching(path)
        assert pattern is not None, path
        assert tables.reason(pattern)
    assert tables.secret.matching(f"{HOME}/tax/2026")


def test_a_trailing_slash_or_dot_names_a_directory() -> None:
    assert all(ends_as_directory(path) for path in ("a/", "a/.", "a/..", ".", ".."))
    assert not any(ends_as_directory(path) for path in ("a", "a.b", "a..", ".a"))
