"""Facts: what reach covers, and how configured directories are read."""

from __future__ import annotations

from slated.policy.facts import ProtectedRoots, absolute_roots, is_under


def test_a_directory_is_under_itself_and_not_under_its_namesake() -> None:
    assert is_under("/a/b", "/a")
    assert is_under("/a", "/a")
    assert is_under("/a", "/")
    assert not is_under("/ab", "/a")


def test_configured_directories_lose_their_tilde_and_their_slash() -> None:
    assert absolute_roots(["~", "~/a/", "/b//", "/"], "/h") == ("/h", "/h/a", "/b", "/")


def test_nothing_is_covered_without_roots() -> None:
    cover = ProtectedRoots(()).covers("/a")
    assert not cover.covered
    assert cover.reason
