"""A model on loopback that both agent programs can talk to: it says and calls what the prompt spells out.

Every line of a prompt after `@script` is one answer: `SAY text`, or `CALL tool {"json": "arguments"}` (for Codex
`server/tool` names a tool of an MCP server). Which answer is next follows from the conversation, so nothing is kept.
"""

from __future__ import annotations

import json
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MARK = "@script"


def script(*lines: str) -> str:
    """A prompt that makes the model answer with these lines."""
    return "\n".join(["Please do this.", MARK, *lines])


def call(tool: str, **arguments: object) -> str:
    """The line for a tool call."""
    return f"CALL {tool} {json.dumps(arguments)}"


def _text(message: dict[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content
    return "\n".join(str(part.get("text", "")) for part in content or [] if isinstance(part, dict))


def _line(messages: list[dict[str, Any]], *, turns: str) -> str:
    """The line that is next: as many as there were answers (or batches of results) since the script came."""
    scripted = [n for n, m in enumerate(messages) if m.get("role") == "user" and MARK in _text(m)]
    if not scripted:
        return "SAY there is no script"
    at = scripted[-1]
    lines = _text(messages[at]).rpartition(MARK)[2].splitlines()
    lines = [line.strip() for line in lines if line.strip().startswith(("SAY ", "CALL "))]
    after = messages[at + 1 :]
    if turns == "assistant":
        done = sum(m.get("role") == "assistant" for m in after)
    else:
        ends = [str(m.get("type", "")).endswith("_output") for m in after]
        done = sum(now and not before for now, before in zip(ends, [False, *ends], strict=False))
    return lines[done] if done < len(lines) else "SAY the script is over"


# -- Anthropic's Messages ------------------------------------------------------------------------


def messages_events(body: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The events of one streamed answer."""
    line = _line(body.get("messages", []), turns="assistant")
    if not body.get("tools"):
        line = "SAY no tools"
    kind, _, rest = line.partition(" ")
    use = {"input_tokens": 1, "output_tokens": 1}
    message: dict[str, Any] = {
        "id": f"msg_{uuid.uuid4().hex}",
        "type": "message",
        "role": "assistant",
    }
    message |= {"model": body.get("model"), "content": [], "stop_reason": None, "usage": use}
    yield "message_start", {"message": message}
    if kind == "SAY":
        yield "content_block_start", {"index": 0, "content_block": {"type": "text", "text": ""}}
        delta: dict[str, Any] = {"type": "text_delta", "text": rest}
    else:
        name, _, arguments = rest.partition(" ")
        block = {
            "type": "tool_use",
            "id": f"toolu_{uuid.uuid4().hex[:20]}",
            "name": name,
            "input": {},
        }
        yield "content_block_start", {"index": 0, "content_block": block}
        delta = {"type": "input_json_delta", "partial_json": arguments}
    yield "content_block_delta", {"index": 0, "delta": delta}
    yield "content_block_stop", {"index": 0}
    stop = "end_turn" if kind == "SAY" else "tool_use"
    yield "message_delta", {"delta": {"stop_reason": stop, "stop_sequence": None}, "usage": use}
    yield "message_stop", {}


# -- OpenAI's Responses --------------------------------------------------------------------------


def response_events(body: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The events of one streamed answer."""
    line = _line(body.get("input") or [], turns="results")
    kind, _, rest = line.partition(" ")
    if kind == "SAY":
        content = [{"type": "output_text", "text": rest, "annotations": []}]
        item: dict[str, Any] = {"type": "message", "role": "assistant", "content": content}
    else:
        name, _, arguments = rest.partition(" ")
        server, _, tool = name.rpartition("/")
        item = {"type": "function_call", "call_id": f"call_{uuid.uuid4().hex[:20]}", "name": tool}
        item |= {"arguments": arguments} | ({"namespace": server} if server else {})
    item |= {"id": f"item_{uuid.uuid4().hex}", "status": "completed"}
    answer = {"id": f"resp_{uuid.uuid4().hex}", "object": "response"}
    yield "response.created", {"response": {**answer, "status": "in_progress", "output": []}}
    yield "response.output_item.done", {"output_index": 0, "item": item}
    use: dict[str, Any] = {
        "input_tokens": 1,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 1,
    }
    use |= {"output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 2}
    done = {**answer, "status": "completed", "output": [item], "usage": use}
    yield "response.completed", {"response": done}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_HEAD(self) -> None:
        self._plain(200, {})

    def do_GET(self) -> None:
        self._plain(404, {"error": {"message": "not served here"}})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        path = self.path.partition("?")[0]
        if path.endswith("/count_tokens"):
            return self._plain(200, {"input_tokens": 1})
        if path not in ("/v1/messages", "/v1/responses"):
            return self._plain(404, {"error": {"message": "not served here"}})
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        events = messages_events if path == "/v1/messages" else response_events
        for name, data in events(body):
            self.wfile.write(
                f"event: {name}\ndata: {json.dumps({**data, 'type': name})}\n\n".encode()
            )
        return None

    def _plain(self, status: int, told: dict[str, object]) -> None:
        data = json.dumps(told).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)


@contextmanager
def serving(port: int = 0) -> Iterator[int]:
    """A model that serves for as long as the context lasts; its port."""
    server = ThreadingHTTPServer(("127.0.0.1", port), _Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)
