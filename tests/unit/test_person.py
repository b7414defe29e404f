"""Who is a person: chains of processes, as a made-up /proc has them, and marks on real ones."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from slated.person import (
    MARK_US,
    Process,
    agent_of,
    ancestry,
    in_task,
    mark,
    planted,
    read,
    why_not,
)
from slated.wire.peer import started

SLATE = Process(50, 40, "slate", 500, 34816, 1000, marked=False, program="/usr/bin/python3")
SHELL = Process(
    40, 30, "bash", 400, 34816, 1000, marked=False, program="/usr/bin/bash", words=("bash",)
)
FOOT = Process(30, 20, "foot", 300, 0, 1000, marked=False, program="/usr/bin/foot", words=("foot",))
SWAY = Process(20, 1, "sway", 200, 0, 1000, marked=False, program="/usr/bin/sway")
INIT = Process(1, 0, "systemd", 1, 0, 0, marked=False)
PERSON = [SLATE, SHELL, FOOT, SWAY, INIT]
NO_TASKS: set[tuple[int, int]] = set()


def test_slate_in_a_shell_in_a_terminal_window_is_a_persons() -> None:
    assert why_not(PERSON, NO_TASKS) == ""


def test_slate_as_the_only_program_of_a_terminal_window_is_a_persons() -> None:
    assert why_not([SLATE, FOOT, SWAY, INIT], NO_TASKS) == ""


def test_a_login_over_ssh_is_a_persons_though_its_program_cannot_be_read() -> None:
    sshd = Process(30, 20, "sshd-session", 300, 0, 0, marked=False)
    assert why_not([SLATE, SHELL, sshd, INIT], NO_TASKS) == ""


@pytest.mark.promise("no-self-answer")
@pytest.mark.parametrize(
    ("chain", "why"),
    [
        ([], "gone"),
        ([replace(SLATE, terminal=0), SHELL, FOOT], "no terminal"),
        ([replace(SLATE, marked=True), SHELL, FOOT], "mark of a task"),
        ([SLATE, replace(SHELL, marked=True), FOOT], "mark of a task"),
        ([SLATE, SHELL, FOOT, replace(SWAY, marked=True)], "mark of a task"),
        ([SLATE, replace(SHELL, environ=("A=1", "SLATE_TASK=t1")), FOOT], "environment of a task"),
        ([SLATE, replace(SHELL, environ=("CLAUDECODE=1",)), FOOT], "environment of a task"),
        ([SLATE, SHELL, replace(FOOT, name="claude", program="/opt/claude")], "below claude"),
        ([SLATE, replace(SHELL, name="python3", program="/usr/bin/python3"), FOOT], "neither"),
        ([SLATE, replace(SHELL, name="script", program="/usr/bin/script"), FOOT], "neither"),
        ([SLATE, SHELL, replace(FOOT, name="tmux: server", program="/usr/bin/tmux")], "neither"),
        ([SLATE, SHELL, replace(FOOT, program="/home/x/foot")], "neither"),
        ([SLATE, replace(SHELL, program="/home/x/bash"), FOOT], "neither"),
        ([SLATE, replace(SHELL, words=("bash", "-c", "slate approvals")), FOOT], "script"),
        ([SLATE, replace(SHELL, words=("sh", "/srv/x.sh")), FOOT], "script"),
        ([SLATE, SHELL], "no terminal window"),
        ([SLATE, INIT], "neither"),
    ],
)
def test_everything_else_is_not(chain: list[Process], why: str) -> None:
    assert why in why_not(chain, NO_TASKS)


@pytest.mark.promise("no-self-answer")
def test_a_terminal_below_a_known_agent_program_is_not_a_persons() -> None:
    assert "below the agent program" in why_not(PERSON, {(SWAY.pid, SWAY.started)})
    assert why_not(PERSON, {(SWAY.pid, SWAY.started + 1)}) == ""


def test_the_agent_above_a_front_is_found_past_wrappers() -> None:
    front = replace(SLATE, name="python3")
    claude = replace(FOOT, name="claude", program="/x/claude")
    wrapper = replace(SHELL, words=("sh", "-c", "slate-desktop mcp"))
    editor = replace(FOOT, name="zed", program="/usr/bin/zed")
    assert agent_of([front, wrapper, claude]) == (claude, False)
    assert agent_of([front, SHELL, claude]) == (claude, False)
    assert agent_of([front, wrapper, editor]) == (editor, False)
    assert agent_of([front, editor, SWAY]) == (editor, False)
    assert agent_of([front, SHELL, FOOT]) == (SHELL, True)
    assert agent_of([front, FOOT]) == (None, False)
    assert agent_of([front, INIT]) == (None, False)
    assert agent_of([front]) == (None, False)


def made_up(root: Path, pid: int, parent: int, limit: str) -> None:
    own = root / str(pid)
    own.mkdir()
    fields = ["S", str(parent), "1", "1", "34816", *["0"] * 14, "777", "0"]
    (own / "stat").write_text(f"{pid} (odd) name) {' '.join(fields)}\n", encoding="utf-8")
    (own / "status").write_text("Name:\tx\nUid:\t1000\t1000\t1000\t1000\n", encoding="utf-8")
    (own / "limits").write_text(
        f"Limit  Soft Limit  Hard Limit  Units\nMax realtime timeout  unlimited  {limit}  us\n",
        encoding="utf-8",
    )
    (own / "cmdline").write_bytes(b"bash\0-l\0")
    (own / "environ").write_bytes(b"A=1\0B=2\0")
    (own / "exe").symlink_to("/usr/bin/bash")


def test_a_process_is_read_off_proc(tmp_path: Path) -> None:
    made_up(tmp_path, 7, 8, "unlimited")
    made_up(tmp_path, 8, 0, str(MARK_US))
    chain = ancestry(7, tmp_path)
    assert [p.pid for p in chain] == [7, 8]
    assert chain[0] == Process(
        7, 8, "odd) name", 777, 34816, 1000, False, "/usr/bin/bash", ("bash", "-l"), ("A=1", "B=2")
    )
    assert chain[1].marked
    assert read(99, tmp_path) is None


def test_a_process_that_we_may_not_look_into_is_still_read(tmp_path: Path) -> None:
    made_up(tmp_path, 7, 0, "100")
    for name in ("exe", "cmdline", "environ"):
        (tmp_path / "7" / name).unlink()
    found = read(7, tmp_path)
    assert found is not None
    assert (found.program, found.words, found.environ, found.marked) == ("", (), (), True)


@pytest.mark.promise("no-self-answer")
def test_the_mark_survives_setsid_a_cleared_environment_and_another_parent() -> None:
    """The grandchild reads its own limits after everything that a program can shed is shed."""
    shed = (
        "import os,subprocess,sys; sys.stdin.readline(); r=subprocess.run(['setsid','-f','env','-i',"
        "'/bin/sh','-c','ulimit -a >/dev/null; grep -H realtime /proc/self/limits'],"
        "capture_output=True,text=True); print(r.stdout)"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", shed], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    began = started(child.pid)
    assert began is not None
    assert not mark(child.pid, began + 1)
    assert all(mark(child.pid, began) for _ in range(2))
    process = read(child.pid)
    assert process is not None
    assert in_task([process], NO_TASKS)
    out, _ = child.communicate("go\n", timeout=5)
    assert str(MARK_US) in out


def test_what_is_gone_is_not_marked() -> None:
    assert not mark(2**22 + 1, 5)


def test_this_process_has_no_mark() -> None:
    hard = resource.getrlimit(resource.RLIMIT_RTTIME)[1]
    process = read(os.getpid())
    assert process is not None
    assert process.marked == (hard != resource.RLIM_INFINITY and hard <= MARK_US)


def test_variables_that_would_load_code_into_slate_are_told_by_name() -> None:
    environ = ("PATH=/usr/bin", "PYTHONPATH=/evil", "LD_PRELOAD=/evil.so", "PYTHONUTF8=1")
    assert planted([replace(SLATE, environ=environ), SHELL]) == ["LD_PRELOAD", "PYTHONPATH"]
    assert planted([replace(SLATE, environ=("HOME=/",)), replace(SHELL, environ=environ)]) == []
    assert planted([]) == []
