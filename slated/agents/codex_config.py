"""Codex's config.toml: our hooks and servers put in and taken back, and whether a session cannot get round them."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from slated.agents import edits, own
from slated.agents.edits import Edit
from slated.agents.own import Own
from slated.errors import BadRequest, SlateError

PROGRAM: Final = "codex"
EVENTS: Final = (
    "PreToolUse", "PostToolUse", "PermissionRequest", "SessionStart", "UserPromptSubmit", "Stop",
)  # fmt: skip
BEGIN: Final = "# Slate begins here; `slate hook uninstall codex` takes it back."
END: Final = "# Slate ends here."
FAILED: Final = "slate: nothing was done, for the hook itself failed"
HEADER: Final = re.compile(r"^\s*\[\[?\s*(.+?)\s*\]\]?\s*(?:#.*)?$")
Config = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Place:
    """Where the configuration of one session is, and the words it was started with."""

    config: Path
    project: Path
    words: tuple[str, ...] = ()

    @property
    def user(self) -> Path:
        """The user's own configuration."""
        return self.config / "config.toml"

    def files(self) -> list[Path]:
        """Every file that decides whether the session is guarded."""
        return [self.user, self.project / ".codex/config.toml"]


# -- put in and taken back -------------------------------------------------------------------------


def installed(place: Place, mine: Own) -> list[Edit]:
    """The edit that registers hooks and servers. Raises `bad_request.settings` for a file that is not sound."""
    before = _text(place.user)
    base = _without(place.user, before)
    taken = set(own.SERVERS) & set(_table(place.user, base, "mcp_servers"))
    if taken:
        raise _unsound(place.user, f"it has an MCP server {min(taken)!r} that is not Slate's")
    joint = "" if not base or base.endswith("\n") else "\n"
    after = f"{base}{joint}{_block(mine)}"
    _parsed(place.user, after, "it holds hooks or servers in a form that nothing can be added to")
    return [_edit(place.user, before, after)]


def removed(place: Place) -> list[Edit]:
    """The edit that takes every line of ours back, trust included."""
    before = _text(place.user)
    return [_edit(place.user, before, _without(place.user, before))]


def command(mine: Own) -> str:
    """The hook as a line for the shell, wrapped: whatever fails in it is a no with words, since silence is none."""
    return f"{shlex.join(mine.hook(PROGRAM))} || {{ echo {shlex.quote(FAILED)} >&2; exit 2; }}"


def _block(mine: Own) -> str:
    lines = [BEGIN]
    for name, (program, *args) in mine.servers().items():
        lines += [f"[mcp_servers.{name}]", f"command = {_quoted(program)}"]
        lines.append(f"args = [{', '.join(map(_quoted, args))}]")
        # Our servers ask slated themselves; the client's limit must outlast a question.
        pairs = ", ".join(f"{k} = {_quoted(v)}" for k, v in mine.environ().items())
        lines.append(f"env = {{ {pairs} }}")
        lines += ['default_tools_approval_mode = "approve"', "tool_timeout_sec = 120"]
        lines += ["required = true"] if name == own.SERVERS[0] else []
        lines.append("")
    for event in EVENTS:
        lines += [f"[[hooks.{event}]]", f"[[hooks.{event}.hooks]]", 'type = "command"']
        lines += [f"command = {_quoted(command(mine))}", f"timeout = {own.HOOK_S}", ""]
    return "\n".join([*lines[:-1], END, ""])


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _without(path: Path, text: str) -> str:
    """The text without our tables, and checked to be otherwise the same. Raises `bad_request.settings`."""
    config = _parsed(path, text, "it is no TOML")
    wanted, keys = _stripped(path, config)
    if wanted == config:
        return text
    kept, groups = [], list(_tables(text))
    for at, (name, lines) in enumerate(groups):
        following = groups[at + 1][1] if at + 1 < len(groups) else ""
        event = name.removeprefix("hooks.").removesuffix(".hooks")
        ours = name.startswith("hooks.") and event in EVENTS
        told = lines if name.endswith(".hooks") else following
        if ours and f"{own.HOOK}" in told and ("[[" in lines):
            continue
        if name in {f"mcp_servers.{server}" for server in own.SERVERS}:
            continue
        if name == "hooks.state" and not wanted.get("hooks", {}).get("state"):
            continue
        if name in {f"hooks.state.{_quoted(key)}" for key in keys}:
            continue
        kept.append(lines)
    made = "".join(kept)
    made = "".join(line for line in made.splitlines(True) if line.strip() not in (BEGIN, END))
    made = made if made.strip() else ""
    if _parsed(path, made, "it cannot be taken apart") != wanted:
        raise _unsound(path, "Slate's tables cannot be told from the others")
    return made


def _tables(text: str) -> Iterator[tuple[str, str]]:
    """The text in pieces, one per table: its name ("" before the first) and its lines."""
    name, lines = "", ""
    for line in text.splitlines(keepends=True):
        if line.strip() == BEGIN and lines:
            yield name, lines
            name, lines = "slate", ""
        if found := HEADER.match(line):
            if lines:
                yield name, lines
            name, lines = found[1], ""
        lines += line
        if line.strip() == END:
            yield name, lines
            name, lines = "", ""
    if lines:
        yield name, lines


def _stripped(path: Path, config: Config) -> tuple[Config, set[str]]:
    """What shall be left of the configuration, and the keys of our hooks' trust."""
    left: Config = dict(config)
    named = dict(_table(path, config, "mcp_servers"))
    for name in own.SERVERS:
        if own.mentions_server(named.get(name)):
            del named[name]
    keys: set[str] = set()
    hooks: Config = {}
    for event, groups in _table(path, config, "hooks").items():
        if event == "state" or not isinstance(groups, list):
            hooks[event] = groups
            continue
        others = [group for group in groups if not _is_ours(group)]
        snake = re.sub(r"(?<!^)(?=[A-Z])", "_", event).lower()
        keys |= {f"{path}:{snake}:{n}:0" for n, group in enumerate(groups) if _is_ours(group)}
        hooks |= {event: others} if others else {}
    state = hooks.pop("state", {})
    state = {key: value for key, value in state.items() if key not in keys}
    hooks |= {"state": state} if state else {}
    for key, value in (("mcp_servers", named), ("hooks", hooks)):
        left[key] = value
        if not value:
            left.pop(key)
    return left, keys


def _is_ours(group: object) -> bool:
    entries = group.get("hooks") if isinstance(group, Mapping) else None
    return isinstance(entries, list) and any(
        isinstance(entry, Mapping) and str(own.HOOK) in str(entry.get("command"))
        for entry in entries
    )


def _text(path: Path) -> str:
    data = edits.held(path)
    try:
        return (data or b"").decode()
    except UnicodeDecodeError as error:
        raise _unsound(path, "it is no UTF-8") from error


def _parsed(path: Path, text: str, why: str) -> Config:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _unsound(path, f"{why} ({error})") from error


def _table(path: Path, config: Config | str, name: str) -> Config:
    found = _parsed(path, config, "it is no TOML") if isinstance(config, str) else config
    table = found.get(name, {})
    if not isinstance(table, dict):
        raise _unsound(path, f"{name} is no table")
    return table


def _unsound(path: Path, why: str) -> BadRequest:
    return BadRequest(
        "settings", f"{path} cannot be changed: {why}; nothing was written.", next_step="mend it"
    )


def _edit(path: Path, before: str, after: str) -> Edit:
    held, kept = edits.held(path), edits.backup_of(path)
    data: bytes | None = after.encode()
    if str(own.HOOK) not in after:
        if kept is not None and tomllib.loads(kept.decode()) == tomllib.loads(after):
            data = kept
        elif not after and kept is None and before:
            data = None
    if held is None and not after:
        data = None
    return Edit(path, held, data, backup="/slated/" not in before)


# -- how far it holds ------------------------------------------------------------------------------


def why_advisory(place: Place) -> str:
    """Why a session is not guarded; "" where the program's own sandbox holds what its hooks might miss.

    Codex runs on when a hook is killed or hangs, so hooks alone never make a session guarded.
    """
    words = place.words
    if "exec" not in words or any(word.startswith("--dangerously") for word in words):
        return "Codex runs on when its hook is killed"
    sandbox = [b for a, b in pairwise(words) if a in ("-s", "--sandbox")]
    if sandbox[-1:] != ["read-only"] or any("sandbox" in word and "=" in word for word in words):
        return "Codex runs on when its hook is killed, and its sandbox is not read-only"
    for path in place.files():
        try:
            named = _table(path, _text(path), "mcp_servers")
        except SlateError:
            return f"{path} cannot be read"
        if others := set(named) - set(own.SERVERS):
            return f"{path} has the MCP server {min(others)}, which no sandbox holds"
    return ""


def server_is_ours(place: Place, name: str, mine: Own) -> bool:
    """Whether an MCP server of a session is Slate's own, and no project or option puts another in its place.

    Hooks are told the name as models see it, with `_` for what they may not see; two that become one are nobody's.
    """
    try:
        tables = [_table(path, _text(path), "mcp_servers") for path in place.files()]
    except SlateError:
        return False
    user, project = (
        {one: table[one] for one in table if _seen(one) == _seen(name)} for table in tables
    )
    if len(user) != 1 or project or any("mcp_servers" in word for word in place.words):
        return False
    ((called, registered),) = user.items()
    return isinstance(registered, dict) and mine.is_server(called, registered)


def _seen(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_]", "_", name)
