"""The words of `slate-desktop headless`; what it does is shown by the live tests."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

import pytest

from slate_desktop.errors import BadRequest
from slate_desktop.geometry import Size
from slate_desktop.headless import command, recipe, runtime
from slate_desktop.headless.session import Session


def parsed(*words: str) -> argparse.Namespace:
    """As the whole command line parses them: below a parser of verbs."""
    parser = argparse.ArgumentParser()
    command.add_arguments(parser.add_subparsers().add_parser("headless"))
    return parser.parse_args(["headless", *words])


def test_all_words_after_two_dashes_are_the_program() -> None:
    arguments = parsed("--size", "900x700", "--", "sh", "-c", "exit 3")
    assert arguments.command == ["sh", "-c", "exit 3"]
    assert arguments.size == "900x700"
    assert parsed().command == []


def test_a_size_is_two_numbers_that_make_a_screen() -> None:
    assert command.parse_size("1280x800") == Size(1280, 800)
    for bad in ("", "1280", "0x800", "1280x99999", "1280x800x2", "axb"):
        with pytest.raises(BadRequest):
            command.parse_size(bad)


def test_without_a_sway_it_says_how_to_get_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(runtime, "find_sway", lambda _: None)
    assert command.run(parsed()) == 1
    assert "next: slate-desktop runtime install" in capsys.readouterr().err


def test_a_program_that_is_not_there_is_refused_before_anything_starts(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(runtime, "find_sway", lambda _: pytest.fail("looked for sway"))
    assert command.run(parsed("--", "no-such-program-here")) == 1
    assert "no-such-program-here" in capsys.readouterr().err


def test_the_lines_to_join_are_shell_and_keep_a_persons_own_settings() -> None:
    env = recipe.app_env(recipe.Place("abc", "/run/a b", "/home/x", "x"))
    where = Path("/run/a b")
    session = Session(where, where / "w", where / "s", "bus", None, env, 1, 2, None)  # type: ignore[arg-type]  # no keeper is asked
    lines = command.how_to_join(session, Size(8, 6)).splitlines()
    names = {shlex.split(line)[1].partition("=")[0] for line in lines[1:]}
    assert "export XDG_RUNTIME_DIR='/run/a b'" in lines
    assert "SWAYSOCK" in names
    assert not {"HOME", "PATH", "USER", recipe.MARK} & names
