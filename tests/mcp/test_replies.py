"""Replies: valid by the protocol in every branch, pictures what they say they are, clean size errors, a clean fd 1."""

from __future__ import annotations

import json
from typing import Any

import mcp_types
import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # comes with mcp
from mcp_types import methods

from slated.wire import rpc
from tests.fakes.desktop import PNG, REGISTRY
from tests.fakes.stage import INITIALIZE, Front, Stage

VERSIONS = {False: "2025-06-18", True: "2026-07-28"}


@pytest.fixture(params=[False, True], ids=["legacy", "modern"])
def modern(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture
def front(here: Stage, modern: bool) -> Any:
    with here.start() as made:
        if not modern:
            made.result(made.ask("initialize", INITIALIZE, modern=False))
            made.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        yield made


def _valid(result: dict[str, Any], modern: bool) -> mcp_types.CallToolResult:
    """The result, checked against the protocol's own models for the version in use."""
    methods.validate_server_result("tools/call", VERSIONS[modern], result)
    return mcp_types.CallToolResult.model_validate(result, by_name=False)


CALLS: list[tuple[str, dict[str, Any], str]] = [
    ("desktop_echo", {"text": "x"}, "x"),
    ("desktop_screenshot", {}, "f7 of w3"),
    ("desktop_fail", {"how": "stale"}, "stale.window_gone: nothing was sent: w3 is gone."),
    ("desktop_fail", {"how": "group"}, "stale.window_gone: in a group"),
    ("desktop_fail", {"how": "unanswered"}, "refused.unanswered: "),
    ("desktop_fail", {}, "bug.unexpected: "),
    ("desktop_echo", {"txt": "x"}, "bad_request.arguments: "),
    ("desktop_echo", {"text": 7}, "bad_request.arguments: "),
    ("desktop_eco", {}, "bad_request.unknown_tool: "),
    ("", {}, "bad_request.unknown_tool: "),
]


@pytest.mark.parametrize(("tool", "arguments", "first"), CALLS)
def test_r123_every_branch_is_a_valid_result(
    front: Front, modern: bool, tool: str, arguments: dict[str, Any], first: str
) -> None:
    raw = front.result(front.call(tool, modern=modern, **arguments))
    result = _valid(raw, modern)
    assert isinstance(result.content[0], mcp_types.TextContent)
    assert result.content[0].text.startswith(first)
    assert "structuredContent" not in raw
    assert "slate/outcome" in raw["_meta"]
    wrong = first.split(".")[0] in ("stale", "refused", "bug", "bad_request")
    assert raw.get("isError", False) is wrong
    if wrong:
        facts = raw["_meta"]["slate/outcome"]
        assert facts["error"]["code"] == result.content[0].text.partition(":")[0]
        assert facts["call"]["id"]


def test_a_bug_says_nothing_of_itself_but_its_id_and_the_log_has_the_rest(
    front: Front, here: Stage, modern: bool
) -> None:
    raw = front.result(front.call("desktop_fail", modern=modern))
    text, id_ = raw["content"][0]["text"], raw["_meta"]["slate/outcome"]["call"]["id"]
    assert "secret" not in json.dumps(raw)
    assert "RuntimeError" not in text
    assert id_ in text
    logged = [json.loads(line) for line in here.log.read_text().splitlines() if line[0] == "{"]
    (entry,) = [e for e in logged if e.get("call") == id_ and e["event"] == "bug"]
    assert "secret path" in entry["trace"]


def test_a_result_without_arguments_at_all_is_a_call_with_none(front: Front, modern: bool) -> None:
    raw = front.result(front.ask("tools/call", {"name": "desktop_echo"}, modern=modern))
    assert raw["content"][0]["text"] == ""


def test_r121_a_picture_is_an_image_block_of_the_kind_it_says(front: Front, modern: bool) -> None:
    raw = front.result(front.call("desktop_screenshot", modern=modern))
    result = _valid(raw, modern)
    assert [part.type for part in result.content] == ["text", "image"]
    picture = result.content[1]
    assert isinstance(picture, mcp_types.ImageContent)
    assert picture.mime_type == "image/png"
    import base64

    assert base64.b64decode(picture.data) == PNG


@pytest.mark.parametrize(
    "arguments", [{"blank": True}, {"mime": "image/jpeg"}, {"mime": "image/webp"}]
)
def test_r121_a_picture_that_is_not_what_it_says_is_left_out_and_named(
    front: Front, modern: bool, arguments: dict[str, Any]
) -> None:
    raw = front.result(front.call("desktop_screenshot", modern=modern, **arguments))
    assert [part["type"] for part in raw["content"]] == ["text"]
    lines = raw["content"][0]["text"].splitlines()
    assert lines[0] == "f7 of w3"
    assert "left out" in lines[1]
    assert lines[-1] == "next: look"


def test_r112_stray_prints_of_python_and_c_never_reach_the_client(
    front: Front, here: Stage, modern: bool
) -> None:
    raw = front.result(front.call("desktop_fail", modern=modern, how="print"))
    assert raw["content"][0]["text"] == "printed"
    log = here.log.read_text()
    assert "a stray line" in log
    assert "another, from C" in log


def test_r119_long_arguments_and_long_replies_pass(front: Front, modern: bool) -> None:
    text = "ä" * 300_000
    raw = front.result(front.call("desktop_echo", modern=modern, text=text), 20)
    assert raw["content"][0]["text"] == text
    raw = front.result(front.call("desktop_echo", modern=modern, size=4_000_000), 20)
    assert len(raw["content"][0]["text"]) == 4_000_000


def test_r119_what_is_over_the_limit_gets_a_size_error_and_the_session_goes_on(
    front: Front, modern: bool
) -> None:
    id_ = front.call("desktop_echo", modern=modern, text="x" * (rpc.LINE_LIMIT + 10))
    error = front.answer(id_, 20)["error"]
    assert error["message"].startswith("bad_request.size: ")
    error = front.answer(front.call("desktop_echo", modern=modern, size=rpc.LINE_LIMIT), 20)[
        "error"
    ]
    assert error["message"].startswith("unavailable.size: the call was carried out")
    assert front.result(front.call("desktop_echo", modern=modern, text="x"))


def test_what_is_no_message_is_answered_where_its_id_can_be_read(
    front: Front, modern: bool
) -> None:
    front.send(b'{"jsonrpc":"2.0","id":901,"method":"tools/call","params":{"name":"\\ud800"}}\n')
    front.send(b'{"jsonrpc":"2.0","id":902,"method":"tools/call",\n')
    for id_ in (901, 902):
        answer = front.answer(id_)
        assert "error" in answer or answer["result"]["isError"]
    assert front.result(front.call("desktop_echo", modern=modern))


def test_the_list_has_lean_schemas_true_hints_and_marks_only_core_tools(
    front: Front, modern: bool
) -> None:
    raw = front.result(front.ask("tools/list", modern=modern))
    methods.validate_server_result("tools/list", VERSIONS[modern], raw)
    tools = {tool["name"]: tool for tool in raw["tools"]}
    assert list(tools) == [spec.name for spec in REGISTRY]
    for spec in REGISTRY:
        tool = tools[spec.name]
        Draft202012Validator.check_schema(tool["inputSchema"])
        assert tool["inputSchema"]["type"] == "object"
        assert (tool.get("_meta") == {"anthropic/alwaysLoad": True}) is spec.core
        assert tool["annotations"]["readOnlyHint"] is (spec.tier.word == "observe")
        assert tool["annotations"]["destructiveHint"] is (spec.tier.word == "confirm")
