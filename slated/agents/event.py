"""What a hook of Claude Code or Codex is told, read with every field checked; nothing of it is trusted beyond that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from slated.errors import BadRequest
from slated.requests import Reader


@dataclass(frozen=True, slots=True)
class Event:
    """One event. `use` is the tool-use id ("" where the program gives none), `server` the MCP server of a tool.

    `source` says where that server is registered, `transcript` is the file the program keeps of the session, `mode`
    its permission mode, `prompt` the id of the person's prompt it belongs to.
    """

    program: str
    moment: str
    session: str
    cwd: str
    tool: str
    arguments: Mapping[str, object]
    use: str
    server: str
    source: str
    transcript: str
    mode: str
    prompt: str


def read(program: str, given: Reader) -> Event:
    """The event. Raises `bad_request.field` or `bad_request.event`."""
    moment = given.text("hook_event_name")
    if not moment:
        raise BadRequest("event", "this is no event of a hook.")
    cwd = given.text("cwd", "/")
    tool = given.text("tool_name")
    server = given.inner("mcp_server")
    named = tool.split("__")[1] if tool.startswith("mcp__") and tool.count("__") >= 2 else ""
    transcript = given.of.get("transcript_path")
    return Event(
        program=program,
        moment=moment,
        session=given.text("session_id"),
        cwd=cwd if cwd.startswith("/") else "/",
        tool=tool,
        arguments=given.inner("tool_input").of,
        use=given.text("tool_use_id"),
        server=server.text("name", named),
        source=server.text("source"),
        transcript=transcript if isinstance(transcript, str) else "",
        mode=given.text("permission_mode"),
        prompt=given.text("prompt_id") or given.text("turn_id"),
    )
