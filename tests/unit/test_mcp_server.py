"""The catalogue of the real tools, and what a failure or a picture becomes as content."""

from __future__ import annotations

import json

import pytest

from slate_desktop import mcp_server, tools
from slate_desktop.errors import Stale
from slate_desktop.geometry import Point, Size
from slate_desktop.outcome import Picture
from slate_desktop.render import Reply
from slated.errors import sole
from slated.model import Tier

JPEG = b"\xff\xd8\xff\xe0" + b"\0" * 20
CATALOGUE = mcp_server._catalogue(tools.ALL)


def _picture(data: bytes, mime: str) -> Picture:
    return Picture(data, mime, Size(1, 1), 1.0, Point(0, 0))


def test_the_list_of_tools_costs_at_most_6000_tokens() -> None:
    wire = [tool.model_dump(by_alias=True, exclude_none=True, mode="json") for tool in CATALOGUE]
    text = json.dumps(wire, separators=(",", ":"), ensure_ascii=False)
    assert len(text) / 4 <= 6000
    for word in ("$ref", "$defs", '"anyOf"', '"null"'):
        assert word not in text


def test_r180_every_tool_has_a_tier_and_its_name_says_whose_it_is() -> None:
    for spec, tool in zip(tools.ALL, CATALOGUE, strict=True):
        assert isinstance(spec.tier, Tier)
        assert spec.name.startswith("desktop_")
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint is (spec.tier is Tier.OBSERVE)


def test_the_instructions_are_short() -> None:
    assert len(mcp_server.INSTRUCTIONS) / 4 < 200


@pytest.mark.parametrize(
    ("data", "mime", "kept"),
    [
        (b"\x89PNG\r\n\x1a\n" + b"\0", "image/png", True),
        (JPEG, "image/jpeg", True),
        (JPEG, "image/png", False),
        (b"", "image/png", False),
        (b"\x89PNG\r\n\x1a\n", "image/png", False),
        (JPEG, "image/gif", False),
    ],
)
def test_r121_only_pictures_that_are_what_they_say_are_sent(
    data: bytes, mime: str, kept: bool
) -> None:
    made = mcp_server._content(Reply("x", _picture(data, mime)))
    assert [part.type for part in made.content] == (["text", "image"] if kept else ["text"])


def test_a_failure_in_a_task_group_is_told_as_itself() -> None:
    stale = Stale("window_gone", "it is gone.")
    group = ExceptionGroup("", [ExceptionGroup("", [stale])])
    assert sole(group) is stale
    reply = mcp_server._failed(group, "c1")
    assert reply.text == "stale.window_gone: it is gone."
    assert reply.facts["call"] == {"id": "c1"}


def test_several_failures_at_once_are_a_bug_with_an_id(caplog: pytest.LogCaptureFixture) -> None:
    group = ExceptionGroup("", [Stale("a", "a"), ValueError("secret")])
    assert sole(group) is group
    reply = mcp_server._failed(group, "c2")
    assert reply.is_error
    assert reply.text.startswith("bug.unexpected: ")
    assert "c2" in reply.text
    assert "secret" not in reply.text
    assert "secret" in caplog.text
