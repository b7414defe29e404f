"""The one-call client against a peer on a socketpair."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from slated.errors import Unavailable
from slated.wire import rpc
from slated.wire.client import Client

Answer = Callable[[dict[str, object]], bytes]


@contextmanager
def _client(answer: Answer) -> Iterator[Client]:
    ours, theirs = socket.socketpair(socket.AF_UNIX)

    def serve() -> None:
        with theirs, theirs.makefile("rb") as lines:
            for line in lines:
                theirs.sendall(answer(json.loads(line)))

    peer = threading.Thread(target=serve)
    peer.start()
    try:
        with ours:
            yield Client(ours, name="x", version="1")
    finally:
        peer.join(5)


def _result(message: dict[str, object], result: object) -> bytes:
    return rpc.encode({"jsonrpc": "2.0", "id": message["id"], "result": result})


def test_each_request_says_who_asks_so_that_no_handshake_is_needed() -> None:
    with _client(lambda m: _result(m, m["params"])) as client:
        got = client.request("tools/call", {"name": "x"})
    assert got["name"] == "x"
    assert got["_meta"][rpc.MODERN_KEY] == "2026-07-28"
    assert got["_meta"]["io.modelcontextprotocol/clientInfo"] == {"name": "x", "version": "1"}


def test_messages_that_are_no_answer_are_passed_over() -> None:
    note = rpc.encode({"jsonrpc": "2.0", "method": "notifications/progress", "params": {}})
    old = rpc.encode({"jsonrpc": "2.0", "id": 99, "result": {"old": True}})
    with _client(lambda m: note + old + _result(m, {"new": True})) as client:
        assert client.request("ping") == {"new": True}
        assert client.request("ping") == {"new": True}


def test_r119_a_reply_of_four_megabytes_arrives_whole() -> None:
    with _client(lambda m: _result(m, {"text": "x" * 4_000_000})) as client:
        assert len(client.request("tools/call")["text"]) == 4_000_000


def test_a_refused_request_is_an_error_with_the_daemons_words() -> None:
    def refuse(message: dict[str, object]) -> bytes:
        id_ = message["id"]
        assert isinstance(id_, int)
        return rpc.error(id_, -1, "no such method")

    with _client(refuse) as client, pytest.raises(Unavailable, match="no such method"):
        client.request("x")


def test_a_daemon_that_does_not_answer_in_time_is_unavailable() -> None:
    with _client(lambda _: b"") as client, pytest.raises(Unavailable) as caught:
        client.request("ping", deadline_s=0.1)
    assert caught.value.code == "unavailable.daemon"


def test_a_daemon_that_is_gone_is_unavailable() -> None:
    ours, theirs = socket.socketpair(socket.AF_UNIX)
    theirs.close()
    with ours, pytest.raises(Unavailable, match="ended"):
        Client(ours, name="x", version="1").request("ping")
