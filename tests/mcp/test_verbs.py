"""The command line's verbs against a daemon: refs that last from one to the next, facts, pictures, exit codes."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest

from slate_desktop import verbs
from slated.wire import reach, start
from tests.fakes.desktop import PNG
from tests.fakes.front import the_daemon
from tests.fakes.stage import Stage


def _run(here: Stage, *words: str, **env: str) -> int:
    def daemon_of(environ: dict[str, str], *, headless: bool) -> start.Daemon:
        name = "fake" if not headless else "fakeless"
        return the_daemon(name, [], "0.1.0", environ)

    return verbs.run(words, daemon_of, {**here.env, **env})


def test_a_verb_prints_the_answer_of_its_tool(
    here: Stage, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(here, "echo", "hello") == 0
    assert capsys.readouterr().out == "hello\n"


def test_json_prints_the_facts_and_nothing_else(
    here: Stage, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(here, "echo", "hello", "--json") == 0
    assert json.loads(capsys.readouterr().out)["length"] == 5


def test_what_one_verb_did_the_next_one_knows_and_another_task_does_not(
    here: Stage, capsys: pytest.CaptureFixture[str]
) -> None:
    _run(here, "note", "one")
    _run(here, "ledger", "--json")
    log = json.loads(capsys.readouterr().out.splitlines()[-1])["log"]
    assert log[-2:] == ["begin one", "end one"]
    _run(here, "ledger", "--json", SLATE_TASK="other")
    assert json.loads(capsys.readouterr().out)["log"] == []


def test_a_failure_is_the_exit_code_and_its_text_the_tools_own(
    here: Stage, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(here, "fail", "stale") == 1
    assert capsys.readouterr().out.startswith("stale.window_gone: ")
    assert _run(here, "echo", "--txt", "x") == 1
    assert 'did you mean "text"?' in capsys.readouterr().out


def test_a_picture_goes_where_it_is_told_and_has_a_name_otherwise(
    here: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert _run(here, "screenshot", "-o", "out.png") == 0
    assert (tmp_path / "out.png").read_bytes() == PNG
    assert _run(here, "screenshot") == 0
    assert (tmp_path / "screenshot.png").read_bytes() == PNG


def test_an_unknown_verb_is_told_with_the_known_ones(here: Stage) -> None:
    with pytest.raises(Exception, match="there is no verb") as caught:
        _run(here, "ecko")
    assert "echo, wait, ledger" in getattr(caught.value, "next_step", "")


def test_the_help_of_a_verb_is_its_tools(here: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(here, "echo", "--help") == 0
    assert capsys.readouterr().out.startswith(
        "usage: slate-desktop echo [text] [size]\n\nSay it back."
    )


def test_without_a_word_the_daemon_that_runs_is_meant(
    here: Stage, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(here, "echo", "--headless", "--json") == 0
    headless = json.loads(capsys.readouterr().out)["pid"]
    try:
        here.kill(signal.SIGTERM)
        while reach.running(the_daemon("fake", [], "0.1.0", here.env)):
            pass
        assert _run(here, "echo", "--json") == 0
        assert json.loads(capsys.readouterr().out)["pid"] == headless
        assert _run(here, "echo", "--json", WAYLAND_DISPLAY="wayland-1") == 0
        assert json.loads(capsys.readouterr().out)["pid"] == here.daemon_pid != headless
    finally:
        os.kill(headless, signal.SIGTERM)
