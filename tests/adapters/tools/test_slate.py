"""The slate tools' arguments and names; what they do is held by ../slate/test_document.py."""

from __future__ import annotations

import pytest

from slated.errors import BadRequest
from slated.tools.slate import TOOLS, harness
from slated.toolspec import parse, schema

BY_NAME = {tool.name: tool for tool in TOOLS}


def test_the_schemas_name_every_argument_and_the_six_kinds() -> None:
    assert set(schema(BY_NAME["slate.open"])["properties"]) == {
        *("externalSessionId", "workspaceId", "anchors")
    }
    kind = schema(BY_NAME["slate.writeSeed"])["properties"]["kind"]
    assert len(kind["enum"]) == 6
    assert "origin" not in schema(BY_NAME["slate.writeSeed"])["properties"]


@pytest.mark.parametrize("tool", BY_NAME)
def test_a_missing_id_or_an_unknown_argument_is_refused(tool: str) -> None:
    text = {"text": "x"} if tool == "slate.writeSeed" else {}
    for bad in ({}, {"externalSessionId": 5}, {"externalSessionId": "a", "sessionId": "b"}):
        with pytest.raises(BadRequest):
            parse(BY_NAME[tool], {**text, **bad})


def test_anchors_may_come_as_their_own_json_text() -> None:
    args = parse(BY_NAME["slate.open"], {"externalSessionId": "a", "anchors": '{"root": "/r"}'})
    assert args.model_dump()["anchors"] == {"root": "/r"}


@pytest.mark.parametrize(
    ("declared", "shown"),
    [
        ("claude-code", "claude-code"),
        ("", "mcp-external"),
        ("a\nb\u202ec", "a b c"),
        ("x" * 500, "x" * 64),
    ],
)
def test_a_declared_name_is_one_short_plain_line(declared: str, shown: str) -> None:
    assert harness(declared) == shown
