"""What the grader is told of this machine: programs, links, patterns, and what a repository makes git run."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from slated import machine
from slated.machine import Machine
from slated.policy.facts import Kind

PATH = "/usr/local/bin:/usr/bin:/bin"
GIT = shutil.which("git") or ""


def repository(top: Path) -> Path:
    top.mkdir()
    git(top, "init", "-q")
    return top


def git(top: Path, *words: str) -> None:
    environ = {"PATH": PATH, "HOME": str(top.parent), "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run([GIT, *words], cwd=top, env=environ, check=True, timeout=10)


def test_a_program_of_the_system_is_told_from_one_that_anybody_put_there(tmp_path: Path) -> None:
    mine = tmp_path / "ls"
    mine.write_text("#!/bin/sh\n", encoding="utf-8")
    mine.chmod(0o755)
    here = Machine(f"{PATH}:{tmp_path}:relative")
    ls = here.program("ls", None)
    assert ls.path in ("/usr/bin/ls", "/bin/ls")
    assert ls.system
    assert not Machine(f"{tmp_path}:{PATH}").program("ls", None).system
    assert here.program("./ls", str(tmp_path)).path == str(mine)
    assert not here.program("./ls", str(tmp_path)).system
    assert here.program("./ls", None).path is None
    assert here.program("no-such-program", None).path is None
    mine.chmod(0o644)
    assert here.program(str(mine), None).path is None


def test_a_link_to_something_of_ours_is_not_of_the_system(tmp_path: Path) -> None:
    mine = tmp_path / "tool"
    mine.write_text("#!/bin/sh\n", encoding="utf-8")
    mine.chmod(0o755)
    assert not Machine(PATH).program(str(mine), None).system


def test_places_are_told_with_links_followed(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "d/f").write_text("x", encoding="utf-8")
    os.link(tmp_path / "d/f", tmp_path / "d/g")
    (tmp_path / "l").symlink_to(tmp_path / "d")
    (tmp_path / "m").symlink_to(tmp_path / "d/f")
    os.mkfifo(tmp_path / "p")
    here, top = Machine(PATH), str(tmp_path)
    file = here.place(f"{top}/l/f")
    assert (file.real, file.name, file.kind, file.links) == (
        f"{top}/d/f",
        f"{top}/d/f",
        Kind.FILE,
        2,
    )
    link = here.place(f"{top}/m")
    assert (link.real, link.name, link.kind, link.links) == (
        f"{top}/d/f",
        f"{top}/m",
        Kind.LINK,
        2,
    )
    assert here.place(f"{top}/l/").kind is Kind.DIRECTORY
    assert here.place(f"{top}/l").kind is Kind.LINK
    assert here.place(f"{top}/l/..").real == top
    assert here.place(f"{top}/p").kind is Kind.OTHER
    missing = here.place(f"{top}/l/none/below")
    assert (missing.real, missing.kind, missing.links) == (f"{top}/d/none/below", Kind.MISSING, 1)
    assert here.place("/").kind is Kind.DIRECTORY


def test_a_pattern_is_expanded_unless_it_means_too_much(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a.x", "b.x", "c.y", ".d.x"):
        (tmp_path / name).touch()
    here = Machine(PATH)
    found = here.expand(f"{tmp_path}/*.x")
    assert found is not None
    assert sorted(found) == [f"{tmp_path}/a.x", f"{tmp_path}/b.x"]
    monkeypatch.setattr(machine, "MOST_MATCHES", 1)
    assert here.expand(f"{tmp_path}/*.x") is None


@pytest.mark.skipif(not GIT, reason="there is no git")
def test_what_a_repository_makes_git_run_is_told(tmp_path: Path) -> None:
    top = repository(tmp_path / "r")
    (top / "sub").mkdir()
    here = Machine(PATH)
    plain = here.repository(str(top / "sub"))
    assert (plain.top, plain.programs, plain.hooks) == (str(top), (), ())
    git(top, "config", "core.fsmonitor", "touch pwned")
    git(top, "config", "filter.x.clean", "cat | sh")
    git(top, "config", "alias.y", "!sh")
    git(top, "config", "alias.st", "status")
    git(top, "config", "core.pager", "cat")
    (top / ".git/hooks/pre-commit").write_text("#!/bin/sh\n", encoding="utf-8")
    (top / ".git/hooks/pre-commit").chmod(0o755)
    planted = here.repository(str(top / "sub"))
    assert planted.programs == ("alias.y", "core.fsmonitor", "filter.x.clean")
    assert planted.hooks == ("pre-commit",)
    assert not (top / "pwned").exists()


@pytest.mark.skipif(not GIT, reason="there is no git")
def test_a_configuration_that_is_included_counts_as_the_repositorys(tmp_path: Path) -> None:
    top = repository(tmp_path / "r")
    (top / "evil").write_text("[diff]\n\texternal = sh\n", encoding="utf-8")
    git(top, "config", "include.path", "../evil")
    assert Machine(PATH).repository(str(top)).programs == ("diff.external",)


def test_where_there_is_no_repository_there_is_none(tmp_path: Path) -> None:
    assert Machine(PATH).repository(str(tmp_path)).top is None
    assert Machine(PATH).repository(str(tmp_path / "missing")).top is None


def test_a_link_that_may_not_be_followed_is_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As `/proc/1/fd/0` is for a user."""
    (tmp_path / "link").symlink_to("/etc")

    def refused(path: object, **_: object) -> str:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(os, "readlink", refused)
    here = Machine(PATH)
    assert here.place(f"{tmp_path}/link/x").kind is Kind.OTHER
    assert here.program(f"{tmp_path}/link/x", None).path is None
    assert here.repository(f"{tmp_path}/link").programs


def test_a_link_of_proc_is_not_followed_since_it_leads_elsewhere_for_others(tmp_path: Path) -> None:
    here = Machine(PATH)
    (tmp_path / "here").symlink_to("/proc/self/cwd")
    (tmp_path / "again").symlink_to("here")
    for path in (f"{tmp_path}/here/x", f"{tmp_path}/again/./x", "/proc/self/cwd/x"):
        place = here.place(path)
        assert (place.real, place.kind) == ("/proc/self/cwd/x", Kind.OTHER)
    assert here.place(f"{tmp_path}/here").real == "/proc/self/cwd"
    assert here.place("/proc/cpuinfo").kind is Kind.FILE
    (tmp_path / "loop").symlink_to("loop")
    assert here.place(f"{tmp_path}/loop/x").kind in (Kind.OTHER, Kind.MISSING)
