"""The files an application may save are found: open ones, those it was started with, titles, names typed to it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from slated.documents import MOST, Documents
from tests.fakes.stage import until

HOLDER = "import sys; f = open(sys.argv[2]); print('held', flush=True); sys.stdin.read()"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    for name in ("given.txt", "open.txt", "titled.txt"):
        (tmp_path / name).write_text(name)
    return tmp_path


@pytest.fixture
def application(home: Path) -> Iterator[int]:
    """A program that was started with one file and holds another one open."""
    argv = [sys.executable, "-c", HOLDER, "given.txt", "open.txt"]
    pipe = subprocess.PIPE
    with subprocess.Popen(argv, cwd=home, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process.pid
        process.communicate()


def test_open_files_and_files_of_the_command_line_are_documents(
    home: Path, application: int
) -> None:
    found = Documents(str(home)).of("t", application, "")
    assert set(found) >= {f"{home}/given.txt", f"{home}/open.txt"}


@pytest.mark.parametrize(
    "title",
    [
        "~/titled.txt - Mousepad",
        "*~/titled.txt - Mousepad",
        "titled.txt (~/) - gedit",
        "titled.txt (~) - Text Editor",
        "• titled.txt",
        "{home}/titled.txt — Kate",
    ],
)
def test_a_title_names_its_file(home: Path, title: str) -> None:
    found = Documents(str(home)).of("t", None, title.format(home=home))
    assert f"{home}/titled.txt" in found


def test_a_name_that_is_typed_may_become_a_file_beside_the_others(
    home: Path, application: int
) -> None:
    documents = Documents(str(home))
    documents.heard("t", {"text": "new name.txt"})
    documents.heard("t", {"text": "~/deep/else.txt", "files": ["/srv/opened"]})
    documents.heard("t", {"text": "two\nlines"})
    found = documents.of("t", application, "")
    assert {f"{home}/new name.txt", f"{home}/deep/else.txt", "/srv/opened"} <= set(found)
    assert not any("lines" in path for path in found)
    documents.forget("t")
    assert f"{home}/new name.txt" not in documents.of("t", application, "")


@pytest.mark.parametrize(
    "text", ["Dear Zoe, hello", "hunter2", "-----BEGIN", "AKIAIOSFODNN7EXAMPLE/x.txt", ""]
)
def test_what_is_typed_and_looks_like_no_file_or_like_a_secret_is_not_kept(
    home: Path, text: str
) -> None:
    documents = Documents(str(home))
    documents.heard("t", {"text": text})
    assert documents.of("t", None, "") == ()


def test_a_link_leads_to_the_file_behind_it(home: Path) -> None:
    (home / "link.txt").symlink_to(home / "titled.txt")
    assert f"{home}/titled.txt" in Documents(str(home)).of("t", None, "~/link.txt - Mousepad")


def test_a_process_that_is_gone_has_no_documents(home: Path) -> None:
    with subprocess.Popen(["true"]) as process:
        process.wait()
    assert until(lambda: not os.path.exists(f"/proc/{process.pid}"), 5)
    assert Documents(str(home)).of("t", process.pid, "") == ()


def test_however_much_is_open_the_list_stays_short(home: Path) -> None:
    handles = []
    try:
        for number in range(MOST + 20):
            path = home / f"many{number}"
            path.touch()
            handles.append(path.open())
        assert len(Documents(str(home)).of("t", os.getpid(), "")) <= MOST
    finally:
        for handle in handles:
            handle.close()


def test_the_application_of_a_sandboxed_process_is_told_by_what_its_root_says(
    tmp_path: Path,
) -> None:
    """One sandboxed process, 7, a plain one, 8, and one whose sandbox says nothing of use, 9."""
    for pid, told in (
        (7, "[Application]\nname=org.example.Editor\nruntime=x/%y\n[Instance]\na=1\n"),
        (8, None),
        (9, "no section\n"),
    ):
        (tmp_path / f"{pid}/root").mkdir(parents=True)
        if told is not None:
            (tmp_path / f"{pid}/root/.flatpak-info").write_text(told)
    documents = Documents("/home/p", tmp_path)
    assert [documents.sandbox(pid) for pid in (7, 8, 9, 10)] == ["org.example.Editor", "", "", ""]
