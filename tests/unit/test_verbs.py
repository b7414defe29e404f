"""Words of a command line become arguments by the tool's own schema, without knowing the tool."""

from __future__ import annotations

from typing import Any

import pytest

from slate_desktop import tools
from slate_desktop.verbs import Words, arguments, usage
from slated.errors import BadRequest
from slated.toolspec import parse, schema

SCHEMA = {
    "properties": {
        "target": {"type": "string", "description": "what"},
        "x": {"type": "number"},
        "count": {"type": "integer", "default": 1},
        "deep": {"type": "boolean"},
        "button": {"type": "string", "enum": ["left", "right"]},
        "modifiers": {"type": "array", "items": {"type": "string", "enum": ["ctrl", "alt"]}},
        "region": {"type": "array", "items": {"type": "number"}},
        "files": {"type": "array", "items": {"type": "string"}},
        "argv": {"type": "array", "items": {"type": "string"}},
        "cwd": {"type": "string"},
    },
    "required": ["target"],
}


def _arguments(line: str) -> dict[str, Any]:
    return arguments(Words(["verb", *line.split()]), SCHEMA)


@pytest.mark.parametrize(
    ("line", "made"),
    [
        ("w3 100 2", {"target": "w3", "x": 100, "count": 2}),
        ("--target w3 100", {"target": "w3", "x": 100}),
        ("--target=w3 --x=-1.5", {"target": "w3", "x": -1.5}),
        ("w3 -5", {"target": "w3", "x": -5}),
        ("--deep", {"deep": True}),
        ("--no-deep", {"deep": False}),
        ("--deep yes", {"deep": True}),
        ("--deep maybe", {"deep": "maybe"}),
        ("--count two", {"count": "two"}),
        ("--modifiers ctrl,alt", {"modifiers": ["ctrl", "alt"]}),
        ("--modifiers ctrl --modifiers alt", {"modifiers": ["ctrl", "alt"]}),
        ("--region 0,0,10,10.5", {"region": [0, 0, 10, 10.5]}),
        ("--region [0,0,1,1]", {"region": "[0,0,1,1]"}),
        ("--files a,b --files c", {"files": ["a,b", "c"]}),
        ("--window-name x", {"window_name": "x"}),
        ("-- foot -e sh", {"argv": ["foot", "-e", "sh"]}),
    ],
)
def test_words_become_what_the_schema_wants(line: str, made: dict[str, Any]) -> None:
    assert _arguments(line) == made


def test_the_last_plain_words_fill_a_list() -> None:
    keys = {"properties": {"keys": {"type": "array", "items": {"type": "string"}}}}
    given = Words(["key", "ctrl+a", "Delete"])
    assert arguments(given, keys) == {"keys": ["ctrl+a", "Delete"]}


def test_text_that_looks_like_an_option_goes_after_two_dashes() -> None:
    text = {"properties": {"text": {"type": "string"}}}
    assert arguments(Words(["type", "--", "--help"]), text) == {"text": "--help"}


def test_a_directory_is_meant_from_where_the_person_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/usr")
    assert _arguments("--cwd bin")["cwd"] == "/usr/bin"


def test_our_own_options_are_told_from_the_tools() -> None:
    given = Words(["screenshot", "--json", "-o", "a.png", "--headless", "w3"])
    assert (given.verb, given.json, given.output, given.headless) == (
        "screenshot",
        True,
        "a.png",
        True,
    )
    assert given.plain == ["w3"]


@pytest.mark.parametrize("words", [["x", "-q"], ["x", "-o"]])
def test_what_makes_no_sense_is_said_before_anything_is_asked(words: list[str]) -> None:
    with pytest.raises(BadRequest):
        Words(words)


def test_too_many_words_are_an_error() -> None:
    with pytest.raises(BadRequest, match="too many"):
        arguments(Words(["x", "a", "b"]), {"properties": {"text": {"type": "string"}}})


def test_the_help_of_a_verb_comes_from_its_tool() -> None:
    text = usage({"name": "desktop_window_set", "description": "Set.", "inputSchema": SCHEMA})
    assert text.startswith("usage: slate-desktop window-set target [x] [count]")
    assert "--button" in text
    assert "one of left, right" in text
    assert "default 1" in text


@pytest.mark.parametrize(
    ("verb", "line"),
    [
        ("screenshot", "w3"),
        ("screenshot", "--target w3"),
        ("click", "w3 100 50"),
        ("type", "hello --target w3"),
        ("key", "ctrl+a Delete --target w3"),
        ("launch", "foot"),
        ("launch", "-- foot -e sh"),
        ("windows", ""),
        ("status", ""),
    ],
)
def test_the_lines_people_write_are_valid_for_the_real_tools(verb: str, line: str) -> None:
    spec = next(spec for spec in tools.ALL if spec.name == f"desktop_{verb}")
    made = parse(spec, arguments(Words([verb, *line.split()]), schema(spec)))
    assert isinstance(made, spec.args)
