"""The command line of slate: what it takes, and exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from slated import __main__ as command_line
from slated import settings
from slated.__main__ import main
from slated.errors import Unavailable
from tests.fakes.conscience import alone


@pytest.fixture(autouse=True)
def _place(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with alone() as environ:
        monkeypatch.setattr(settings, "environment", lambda: environ)
        yield


def test_without_a_command_it_says_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert main(["--help"]) == 0
    assert main(["nonsense"]) == 2
    said = capsys.readouterr()
    for name in command_line._COMMANDS:
        assert f"  {name} " in said.out
    assert "nonsense" in said.err


def test_it_says_its_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("slate 0.")


def test_a_failure_is_one_line_and_the_next_step(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_: list[str]) -> int:
        raise Unavailable("slated", "it is gone.", next_step="start it")

    monkeypatch.setitem(command_line._COMMANDS, "status", fail)
    assert main(["status"]) == 1
    assert capsys.readouterr().err == "slate: unavailable.slated: it is gone.\nnext: start it\n"


def test_a_command_line_is_checked_as_words_or_as_a_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["policy", "check", "--json", "--", "cat", "a;b"]) == 0
    words = json.loads(capsys.readouterr().out)
    assert [c["argv"] for c in words["commands"]] == [["cat", "a;b"]]
    assert main(["policy", "check", "--json", "--", "cat a; rm /b"]) == 0
    line = json.loads(capsys.readouterr().out)
    assert [c["tier"] for c in line["commands"]] == ["observe", "confirm"]
    assert {"tier", "rule", "commands"} <= set(line)


def test_a_tool_is_checked_with_its_arguments(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["policy", "check", "--tool", "Bash", '{"command": "ls"}']) == 0
    assert capsys.readouterr().out.startswith("observe: ")
    for wrong in ("[]", "{"):
        assert main(["policy", "check", "--tool", "Bash", wrong]) == 1
    with pytest.raises(SystemExit):
        main(["policy", "check"])


def test_approvals_need_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["approvals"]) == 1
    assert "slate approvals needs a terminal" in capsys.readouterr().err


def test_an_audit_log_that_is_not_there_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit"]) == 0
    assert main(["audit", "verify"]) == 1
    assert "there is no log" in capsys.readouterr().out
    assert main(["audit", "export"]) == 1
    assert main(["audit", "--since", "tomorrow"]) == 1


def test_a_reader_that_has_seen_enough_is_no_fault_of_ours() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    argv = [sys.executable, "-I", str(command_line.__file__), "policy", "check", "--", "ls"]
    done = subprocess.run(
        argv, env={}, stdout=writer, stderr=subprocess.PIPE, timeout=30, check=False
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")
