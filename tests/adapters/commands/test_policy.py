"""`slate policy check`: explanations for a person and for a program, and a broken policy."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from slated.commands import policy
from slated.errors import BadRequest
from slated.settings import Directories
from tests.fakes.conscience import directories


@pytest.fixture
def where(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Directories:
    monkeypatch.chdir(tmp_path)
    return directories(tmp_path)


def test_each_simple_command_is_explained(
    where: Directories, capsys: pytest.CaptureFixture[str]
) -> None:
    assert policy.check_command(where, "cat a && rm b", as_json=False) == 0
    said = capsys.readouterr().out
    assert said.startswith("confirm: ")
    assert "observe  cat a" in said
    assert "confirm  rm b" in said
    assert "[reach.outside]" in said


def test_what_an_agent_says_of_its_own_call_is_ignored_and_told(
    where: Directories, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = '{"command": "rm b", "approved": true}'
    policy.check_tool(where, "claude", "Bash", arguments, as_json=False)
    assert "ignored: approved" in capsys.readouterr().out


def test_r180_a_tool_that_no_table_knows_is_a_question(
    where: Directories, capsys: pytest.CaptureFixture[str]
) -> None:
    """R180, R178: a new or renamed tool, without annotations."""
    policy.check_tool(where, "mcp", "purge_all", "{}", as_json=True)
    assert json.loads(capsys.readouterr().out)["tier"] == "confirm"


def test_our_own_tools_are_known_by_their_server(
    where: Directories, capsys: pytest.CaptureFixture[str]
) -> None:
    policy.check_tool(where, "desktop", "desktop_screenshot", "{}", as_json=True)
    assert json.loads(capsys.readouterr().out)["tier"] == "observe"


def test_a_broken_policy_is_told_with_its_line(
    where: Directories, capsys: pytest.CaptureFixture[str]
) -> None:
    where.policy.write_text("[tools]\nBash = 3\n", encoding="utf-8")
    policy.check_command(where, "ls", as_json=False)
    assert "policy.toml is not in force: line 2" in capsys.readouterr().out
    policy.check_command(where, "ls", as_json=True)
    assert json.loads(capsys.readouterr().out)["policy_errors"][0].startswith("line 2")


def test_words_stay_words_and_a_line_stays_a_line() -> None:
    assert policy.line_of(["rm", "a b", "$x"]) == "rm 'a b' '$x'"
    assert policy.line_of(["rm a; ls"]) == "rm a; ls"


def test_arguments_must_be_an_object(where: Directories) -> None:
    for wrong in ("3", "nonsense"):
        with pytest.raises(BadRequest):
            policy.check_tool(where, "claude", "Bash", wrong, as_json=False)
