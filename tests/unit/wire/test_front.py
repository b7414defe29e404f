"""What the front understands of the bytes it passes: just enough to answer for a daemon that died."""

from __future__ import annotations

import json

import mcp_types
import pytest

from slated.errors import Unavailable
from slated.wire import front, rpc
from tests.fakes.stage import ENVELOPE

GONE = Unavailable("daemon", "it is gone.", next_step="start it")


def _line(**message: object) -> bytes:
    return rpc.encode({"jsonrpc": "2.0", **message})


def test_a_request_is_told_from_everything_else() -> None:
    asked = front.request(_line(id=3, method="tools/call", params={"name": "x"}))
    assert asked is not None
    assert (asked.id, asked.is_call, asked.modern) == (3, True, False)
    modern = front.request(_line(id="a", method="tools/list", params={"_meta": ENVELOPE}))
    assert modern is not None
    assert (modern.id, modern.is_call, modern.modern) == ("a", False, True)
    for line in (
        _line(method="notifications/initialized"),
        _line(id=3, result={}),
        _line(id=None, method="x"),
        _line(id=True, method="x"),
        b"[1, 2]",
        b"not json",
        b"\xff\xfe",
    ):
        assert front.request(line) is None


def test_a_cancelled_request_waits_for_nothing() -> None:
    assert front.cancelled(_line(method="notifications/cancelled", params={"requestId": 4})) == 4
    assert front.cancelled(_line(method="notifications/cancelled", params={})) is None
    assert (
        front.cancelled(_line(id=1, method="x", params={"text": "notifications/cancelled"})) is None
    )


@pytest.mark.parametrize("modern", [True, False])
def test_r123_an_open_tool_call_gets_a_valid_result_that_a_model_reads(modern: bool) -> None:
    answer = json.loads(front.Asked(5, is_call=True, modern=modern).failed(GONE))
    result = mcp_types.CallToolResult.model_validate(answer["result"], by_name=False)
    assert result.is_error
    assert isinstance(result.content[0], mcp_types.TextContent)
    assert result.content[0].text == "unavailable.daemon: it is gone.\nnext: start it"
    assert ("resultType" in answer["result"]) is modern
    assert answer["id"] == 5


def test_any_other_open_request_gets_an_error_on_one_line() -> None:
    answer = json.loads(front.Asked("x", is_call=False, modern=True).failed(GONE))
    assert answer["error"]["message"] == "unavailable.daemon: it is gone. next: start it"
