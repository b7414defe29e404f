"""Lines of JSON-RPC: however they are cut, too long, or not JSON at all."""

from __future__ import annotations

import json

import mcp_types
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slated.wire import rpc


@given(
    st.lists(st.binary(max_size=40).map(lambda b: b.replace(b"\n", b"")), max_size=8),
    st.integers(1, 9),
)
def test_lines_come_out_whole_however_the_bytes_are_cut(lines: list[bytes], step: int) -> None:
    data = b"".join(line + b"\n" for line in lines)
    reader = rpc.Lines()
    got = [line for at in range(0, len(data), step) for line in reader.feed(data[at : at + step])]
    assert got == [line for line in lines if line.strip()]


@pytest.mark.parametrize("step", [1, 7, 1000, 100_000])
def test_r119_a_line_over_the_limit_is_dropped_and_the_next_one_is_not(step: int) -> None:
    long = (
        b'{"method":"tools/call","params":{"text":"' + b"x" * 9000 + b'"},"jsonrpc":"2.0","id":7}'
    )
    data = long + b"\nnext\n"
    reader = rpc.Lines(limit=5000)
    got = [line for at in range(0, len(data), step) for line in reader.feed(data[at : at + step])]
    assert isinstance(got[0], rpc.TooLong)
    assert (got[0].id, got[0].size, got[1:]) == (7, len(long), [b"next"])


@pytest.mark.parametrize(
    ("line", "id_"),
    [
        (b'{"jsonrpc":"2.0","id":7,"method":"x","params":{"id":8}}', 7),
        (b'{"id": "a\\"b", "method": "x"}', 'a"b'),
        (b'{"method":"x","params":{"id":8},"jsonrpc":"2.0","id":7}', 7),
        (b'{"method":"x","params":{"id":8},"id":7,"jsonrpc":"2.0"}', 7),
        (b'{"method":"x","params":{"id":8}}', None),
        (b'{"method":"x","params":{"text":"\\"id\\":8}"}}', None),
        (b'{"params":{"a":{"id":8}}}', None),
        (b"not json", None),
    ],
)
def test_the_id_is_read_off_either_end_and_never_from_inside(line: bytes, id_: object) -> None:
    assert rpc.find_id(line, line) == id_


def test_answers_of_our_daemon_are_told_without_parsing_them() -> None:
    def written(message: mcp_types.JSONRPCMessage) -> bytes:
        return message.model_dump_json(by_alias=True, exclude_unset=True).encode()

    failure = mcp_types.ErrorData(code=1, message="x")
    assert rpc.answered(written(mcp_types.JSONRPCResponse(jsonrpc="2.0", id=7, result={}))) == 7
    assert rpc.answered(written(mcp_types.JSONRPCResponse(jsonrpc="2.0", id="a", result={}))) == "a"
    assert rpc.answered(written(mcp_types.JSONRPCError(jsonrpc="2.0", id=7, error=failure))) == 7
    assert rpc.answered(rpc.error(9, 1, "x")) == 9
    ask = mcp_types.JSONRPCRequest(jsonrpc="2.0", id=7, method="elicitation/create")
    tell = mcp_types.JSONRPCNotification(jsonrpc="2.0", method="notifications/progress")
    assert rpc.answered(written(ask)) is None
    assert rpc.answered(written(tell)) is None


def test_the_answer_to_a_long_message_names_both_sizes_and_what_to_do() -> None:
    answer = json.loads(rpc.too_long(rpc.TooLong("q", 20_000_000)))
    assert answer["id"] == "q"
    assert "20000000 bytes" in answer["error"]["message"]
    assert str(rpc.LINE_LIMIT) in answer["error"]["message"]
    assert "next: " in answer["error"]["message"]
