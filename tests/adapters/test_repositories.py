"""What is told of git repositories: asked of git, kept while nothing changes, strict where it cannot be read."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from slated import repositories
from slated.policy.facts import Repository
from slated.repositories import UNREADABLE, Repositories

GIT = shutil.which("git") or ""
pytestmark = pytest.mark.skipif(not GIT, reason="there is no git")


def git(top: Path, *words: str) -> None:
    env = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1"}
    who = ["-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run([GIT, *who, *words], cwd=top, env=env, check=True, capture_output=True)


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """A repository whose files have not changed for a while."""
    made = tmp_path.resolve() / "r"
    (made / "a/b").mkdir(parents=True)
    git(made, "init", "-q")
    return made


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """What git was asked; and every file counts as settled."""
    monkeypatch.setattr(repositories, "_SETTLED_NS", -(10**12))
    words: list[tuple[str, ...]] = []
    real = repositories._git

    def heard(directory: str, *said: str) -> subprocess.CompletedProcess[bytes] | None:
        words.append(said)
        return real(directory, *said)

    monkeypatch.setattr(repositories, "_git", heard)
    return words


def test_git_is_asked_once_while_nothing_changes(top: Path, asked: list[tuple[str, ...]]) -> None:
    known = Repositories()
    first = known.of(str(top / "a/b"))
    assert first == known.of(str(top / "a/b")) == Repository(str(top))
    assert len(asked) == 2
    (top / "file").write_text("x")
    (top / ".git/index").write_text("x")
    assert known.of(str(top / "a/b")) == first
    assert len(asked) == 2


def planted_setting(top: Path) -> None:
    git(top, "config", "core.fsmonitor", "touch pwned")


def same_size_and_times(top: Path) -> None:
    """A setting put in with the size and the modification time that the file had."""
    config = top / ".git/config"
    before, text = config.stat(), config.read_text()
    assert "filemode = true" in text
    config.write_text(text.replace("filemode = true", "fsmonitor = sh "[:15]))
    os.utime(config, ns=(before.st_atime_ns, before.st_mtime_ns))


def planted_worktree_setting(top: Path) -> None:
    (top / ".git/config").write_text(
        "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tworktreeConfig = true\n"
    )
    (top / ".git/config.worktree").write_text("[core]\n\tfsmonitor = sh\n")


def another_repository_inside(top: Path) -> None:
    git(top / "a", "init", "-q")
    git(top / "a", "config", "core.fsmonitor", "sh")


def bare_repository_inside(top: Path) -> None:
    """The well-known one: a directory of the work tree that is itself a repository."""
    for name in ("objects", "refs"):
        (top / "a" / name).mkdir()
    (top / "a/HEAD").write_text("ref: refs/heads/main\n")
    (top / "a/config").write_text("[core]\n\tbare = true\n[diff]\n\texternal = sh\n")


def no_repository_any_more(top: Path) -> None:
    """Its HEAD is spoilt, so that git goes on to the one outside, which names a program."""
    git(top.parent, "init", "-q")
    git(top.parent, "config", "core.fsmonitor", "sh")
    (top / ".git/HEAD").write_text("nonsense")


def moved_by_a_link(top: Path) -> None:
    other = top.parent / "other"
    other.mkdir()
    git(other, "init", "-q")
    git(other, "config", "core.fsmonitor", "sh")
    (top / "a/b").rmdir()
    (top / "a/b").symlink_to(other)


@pytest.mark.parametrize(
    "change",
    [
        planted_setting, same_size_and_times, planted_worktree_setting, another_repository_inside,
        bare_repository_inside, no_repository_any_more, moved_by_a_link,
    ],
)  # fmt: skip
@pytest.mark.usefixtures("asked")
def test_whatever_changes_what_git_would_do_is_seen(
    top: Path, change: Callable[[Path], None]
) -> None:
    known = Repositories()
    directory = str(top / "a/b")
    assert known.of(directory).programs == ()
    change(top)
    fresh = Repositories().of(directory)
    assert fresh.programs != ()
    assert known.of(directory) == fresh


@pytest.mark.usefixtures("asked")
def test_an_included_file_that_is_made_later_is_seen(top: Path) -> None:
    git(top, "config", "include.path", "../later")
    known = Repositories()
    assert known.of(str(top)).programs == ()
    (top / "later").write_text("[diff]\n\texternal = sh\n")
    assert known.of(str(top)).programs == ("diff.external",)


@pytest.mark.usefixtures("asked")
def test_what_depends_on_the_branch_is_never_kept(top: Path) -> None:
    (top / "evil").write_text("[diff]\n\texternal = sh\n")
    git(top, "config", "includeIf.onbranch:other.path", "../evil")
    known = Repositories()
    assert known.of(str(top)).programs == ()
    git(top, "symbolic-ref", "HEAD", "refs/heads/other")
    assert known.of(str(top)).programs == ("diff.external",)


def test_what_changed_just_now_is_not_kept(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repositories, "_SETTLED_NS", 10**15)
    known = Repositories()
    known.of(str(top))
    assert known._known == {}


@pytest.mark.usefixtures("asked")
def test_hooks_are_looked_at_each_time(top: Path) -> None:
    known = Repositories()
    assert known.of(str(top)).hooks == ()
    hook = top / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\n")
    hook.chmod(0o755)
    assert known.of(str(top)).hooks == ("pre-commit",)


def test_a_bare_repository_tells_its_programs_too(tmp_path: Path) -> None:
    bare = tmp_path.resolve() / "bare"
    bare.mkdir()
    git(bare, "init", "-q", "--bare")
    git(bare, "config", "diff.external", "sh")
    told = Repositories().of(str(bare / "refs"))
    assert (told.top, told.programs) == (str(bare), ("diff.external",))


def test_a_repository_that_cannot_be_read_counts_as_naming_a_program(
    top: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = tmp_path / "a\nb"
    odd.mkdir()
    git(odd, "init", "-q")
    assert Repositories().of(str(odd)).programs == UNREADABLE
    (top / ".git/config").write_text("[core\n")
    assert Repositories().of(str(top)).programs == UNREADABLE
    monkeypatch.setattr(repositories, "_GIT_S", 0.0)
    assert Repositories().of(str(top)).programs == UNREADABLE


def test_a_directory_that_is_not_there_holds_no_repository(tmp_path: Path) -> None:
    assert Repositories().of(str(tmp_path / "missing/x")) == Repository(None)
