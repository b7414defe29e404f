"""What counts as touched, the same, below, and how names are shown."""

from __future__ import annotations

import stat
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slated.snapshots.entries import Entry, Kind, ancestors, below, parent, same, shown, touched

FILE = Entry(stat.S_IFREG | 0o644, 1, 1, 3, 10, 20, 5, content="x")


@pytest.mark.parametrize(
    ("change", "is_touched", "is_same"),
    [
        ({}, False, True),
        ({"ctime_ns": 21}, True, True),
        ({"ino": 6}, True, True),
        ({"mtime_ns": 11}, True, False),
        ({"mode": stat.S_IFREG | 0o600}, True, False),
        ({"size": 4}, True, False),
        ({"content": "y"}, True, False),
        ({"uid": 2, "ctime_ns": 21}, True, False),
        ({"xattrs": (("user.a", b"1"),), "ctime_ns": 21}, True, False),
    ],
)
def test_touched_is_about_the_inode_same_is_about_what_a_person_sees(
    change: dict[str, object], is_touched: bool, is_same: bool
) -> None:
    other = replace(FILE, **change)  # type: ignore[arg-type]  # each value fits its field
    assert touched(FILE, other) is is_touched
    assert same(FILE, other) is is_same


def test_nothing_is_the_same_as_nothing_only() -> None:
    assert same(None, None)
    assert not same(FILE, None)
    assert not touched(None, None)
    assert touched(None, FILE)


def test_unknown_content_is_no_difference_by_itself() -> None:
    assert not touched(FILE, replace(FILE, content=""))


def test_times_of_directories_are_no_difference_to_a_person() -> None:
    folder = Entry(stat.S_IFDIR | 0o755, 1, 1, 0, 10, 20, 5)
    assert same(folder, replace(folder, mtime_ns=99, ctime_ns=99))


@pytest.mark.parametrize(
    ("bits", "kind"),
    [
        (stat.S_IFREG, Kind.FILE),
        (stat.S_IFDIR, Kind.DIRECTORY),
        (stat.S_IFLNK, Kind.LINK),
        (stat.S_IFIFO, Kind.FIFO),
        (stat.S_IFSOCK, Kind.SOCKET),
        (stat.S_IFBLK, Kind.DEVICE),
        (stat.S_IFCHR, Kind.DEVICE),
    ],
)
def test_kinds_are_read_off_the_mode(bits: int, kind: Kind) -> None:
    assert replace(FILE, mode=bits | 0o600).kind is kind


def test_below_knows_whole_names_only() -> None:
    assert below("a/b", "a")
    assert below("a", "a")
    assert below("a", "")
    assert not below("ab", "a")


def test_ancestors_go_up_to_the_root_and_without_it() -> None:
    assert ancestors("a/b/c") == ["a/b", "a"]
    assert ancestors("a") == []
    assert parent("a") == ""


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("plain/ä", "plain/ä"),
        ("a\udcff", "a\\xff"),
        ("a\nb\tc", "a\\nb\\tc"),
        ("a\\b", "a\\\\b"),
        (" a", '" a"'),
        ("\u202e", "\\u202e"),
    ],
)
def test_r216_names_are_shown_escaped(path: str, text: str) -> None:
    assert shown(path) == text


@given(st.text(alphabet=st.characters(codec="utf-8") | st.sampled_from("\udc80\udcff")))
def test_a_shown_name_is_one_line_that_prints(path: str) -> None:
    assert shown(path).isprintable()
    shown(path).encode("utf-8")
