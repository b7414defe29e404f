"""What `slate-desktop runtime` says and which exit code it gives."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from slate_desktop.errors import Unavailable
from slate_desktop.headless import runtime, runtime_command
from slate_desktop.headless.program import SwayProgram
from slate_desktop.headless.progress import Progress

SYSTEM = SwayProgram(("/usr/bin/sway",), {}, (1, 12), "system")


def run(*words: str) -> int:
    parser = argparse.ArgumentParser()
    runtime_command.add_arguments(parser)
    return runtime_command.run(parser.parse_args(words))


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A person without any sway."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr(runtime, "find_sway", lambda _: None)
    monkeypatch.setattr(runtime, "system_version", lambda: None)


def test_status_without_a_sway_fails_and_says_what_to_do(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("status") == 1
    assert "next: slate-desktop runtime install" in capsys.readouterr().out
    monkeypatch.setattr(runtime, "system_version", lambda: (1, 7))
    assert run("status") == 1
    assert "the system's is 1.7" in capsys.readouterr().out


def test_status_names_the_sway_in_use(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runtime, "find_sway", lambda _: SYSTEM)
    assert run("status") == 0
    assert "sway 1.12 of the system: /usr/bin/sway" in capsys.readouterr().out


def test_install_passes_on_what_was_said_and_a_failure_is_two_lines(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[runtime.Request] = []

    def refuse(_: Path, request: runtime.Request, __: Progress) -> SwayProgram:
        asked.append(request)
        raise Unavailable("mirror", "no mirror.", next_step="name one")

    monkeypatch.setattr(runtime, "install", refuse)
    assert run("install", "--mirror", "http://m/debian", "--keyring", "/k") == 1
    assert (asked[0].mirror, asked[0].keyring) == ("http://m/debian", Path("/k"))
    assert capsys.readouterr().err.splitlines() == ["slate-desktop: no mirror.", "next: name one"]


def test_remove_of_nothing_is_no_failure(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("remove") == 0
    assert "there was no private sway" in capsys.readouterr().out
