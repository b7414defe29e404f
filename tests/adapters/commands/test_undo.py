"""`slate undo` from the command line: its words, its bar, and that a person must be there."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest

from slated.__main__ import main
from slated.commands import undo
from slated.commands.undo import Screen, absolute, bar


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_bar_shows_how_far_it_is() -> None:
    assert bar("looking", 12_345, 0) == "looking: 12,345"
    assert bar("doing", 50, 200) == f"doing: [{'#' * 7}{'.' * 23}] 50 of 200"
    assert bar("doing", 300, 200) == f"doing: [{'#' * 30}] 300 of 200"


def test_progress_is_one_line_that_goes_away_and_parts_are_kept() -> None:
    err = Terminal()
    screen = Screen(err)
    screen.heard({"method": "progress", "params": {"stage": "looking", "seen": 1_000_000, "of": 0}})
    screen.heard({"method": "progress", "params": {"stage": "doing", "seen": 1, "of": 2}})
    screen.heard({"method": "part", "params": {"text": "a"}})
    screen.heard({"method": "questions", "params": {}})
    screen.clear()
    assert "\n" not in err.getvalue()
    assert err.getvalue().endswith(" " * 20 + "\r")
    assert screen.parts == ["a"]


def test_without_a_terminal_there_is_no_bar() -> None:
    err = io.StringIO()
    screen = Screen(err)
    screen.heard({"method": "progress", "params": {"stage": "looking", "seen": 1, "of": 0}})
    screen.clear()
    assert err.getvalue() == ""


def test_paths_are_meant_from_here_and_a_link_itself_is_meant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "way").symlink_to(tmp_path / "real")
    (tmp_path / "real/link").symlink_to("nowhere")
    monkeypatch.chdir(tmp_path)
    top = os.path.realpath(tmp_path)
    assert absolute(["way/link", "../x", "/etc/hosts"]) == [
        f"{top}/real/link",
        f"{os.path.dirname(top)}/x",
        "/etc/hosts",
    ]


@pytest.mark.parametrize(
    "words",
    [
        ["--last", "--to", "3"],
        ["t1", "--redo"],
        ["--redo", "--resume"],
        ["--resume", "--preview"],
        ["--to", "x"],
    ],
)
def test_words_that_make_no_sense_together_are_refused(words: list[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["undo", *words])
    assert caught.value.code == 2


def test_every_option_reaches_slated(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: dict[str, object] = {}

    class Slated:
        def __enter__(self) -> Slated:
            return self

        def __exit__(self, *_: object) -> None:
            return

        def ask(self, method: str, params: dict[str, object], **rest: object) -> None:
            asked.update(params, method=method)
            heard = rest["heard"]
            assert callable(heard)
            heard({"method": "part", "params": {"text": "said"}})

    monkeypatch.setattr(undo, "connected", lambda _: Slated())
    assert main(["undo", "t7", "--to", "3", "--diff", "--json", "--only", "/a", "/b"]) == 0
    assert capsys.readouterr().out == "said\n"
    assert asked == {
        "method": "undo", "what": "apply", "task": "t7", "last": False, "to": 3, "redo": False, "diff": True,
        "json": True, "only": ["/a", "/b"], "include": [],
    }  # fmt: skip
    assert main(["undo", "--redo", "--preview"]) == 0
    assert (asked["what"], asked["redo"]) == ("preview", True)
    assert main(["undo", "--resume"]) == 0
    assert asked["what"] == "resume"
