"""Claude Code's settings files: our hooks and servers put in and taken back, and whether anything gets round them."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from slated.agents import edits, own
from slated.agents.edits import Edit
from slated.agents.own import Own
from slated.errors import BadRequest, SlateError

PROGRAM: Final = "claude"
TOOL_EVENTS: Final = ("PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest")
EVENTS: Final = (*TOOL_EVENTS, "SessionStart", "UserPromptSubmit", "Stop")
DECIDING: Final = ("PreToolUse", "PermissionRequest")
"""Events at which any hook may change what is run; of several answers the last one counts."""
MANAGED: Final = Path("/etc/claude-code/managed-settings.json")
LOCAL: Final = ("settings.json", "settings.local.json")
SHAPING: Final = (
    "PATH LD_ PYTHON BASH_ENV ENV BASH_FUNC SHELL HOME IFS CDPATH GIT_ XDG_ CLAUDE_CODE_SHELL CLAUDE_CONFIG_DIR"
    " CLAUDE_ENV_FILE NODE_OPTIONS"
).split()
"""Variables (by their start) by which a settings file chooses what a hook or a command really starts."""
WITHOUT_HOOKS: Final = ("--bare", "--safe-mode", "--restricted")
PLUGINS: Final = ("--plugin-dir", "--plugin-url")
GIVEN: Final = ("--settings", "--managed-settings")
"""Words after which settings follow: a file, or the JSON itself."""
FRONTED: Final = ("skills/*/SKILL.md", "agents/*.md", "commands/*.md")
"""Files below a settings directory that may bring hooks in their first lines."""
_FRONT_BYTES: Final = 1 << 16
Settings = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Place:
    """Where the settings of one session are: of the user, and of the project and the directories above it."""

    config: Path
    project: Path
    words: tuple[str, ...] = ()

    @property
    def servers(self) -> Path:
        """The file that names the user's MCP servers."""
        beside = self.config.parent / ".claude.json"
        return beside if self.config.name == ".claude" else self.config / ".claude.json"

    @property
    def user(self) -> Path:
        """The user's own settings."""
        return self.config / "settings.json"

    def projects(self) -> list[Path]:
        """Files of the project, of directories above it, and of the command line."""
        folders = [folder / ".claude" for folder in (self.project, *self.project.parents)]
        found = [folder / name for folder in folders if folder != self.config for name in LOCAL]
        found += [self.project / value for _, value in self.given() if not _inline(value)]
        return [*found, self.config / "settings.local.json"]

    def given(self) -> list[tuple[str, str]]:
        """Settings on the command line: the word, and the file or JSON after it."""
        words = [word.partition("=") for word in self.words]
        together = [(word, value) for word, equals, value in words if equals and word in GIVEN]
        apart = zip(self.words, self.words[1:], strict=False)
        return [*together, *((word, value) for word, value in apart if word in GIVEN)]

    def managed(self) -> list[Path]:
        """Settings that an administrator put there, or a server sent."""
        parts = sorted((MANAGED.parent / "managed-settings.d").glob("*.json"))
        return [MANAGED, *parts, self.config / "remote-settings.json"]

    def fronted(self) -> list[Path]:
        """Skills, agents and commands of the user, the project and the directories above it."""
        folders = [
            self.config,
            *(folder / ".claude" for folder in (self.project, *self.project.parents)),
        ]
        return [
            path
            for folder in dict.fromkeys(folders)
            for part in FRONTED
            for path in sorted(folder.glob(part))
        ]

    def files(self) -> list[Path]:
        """Every file that decides whether the session is guarded."""
        return [self.user, *self.managed(), *self.projects(), *self.fronted()]


def _inline(value: str) -> bool:
    return value.lstrip().startswith("{")


# -- put in and taken back -------------------------------------------------------------------------


def installed(place: Place, mine: Own) -> list[Edit]:
    """The edits that register hooks and servers. Raises `bad_request.settings` for a file that is not sound."""
    settings, servers = _without(place)
    hooks = settings.setdefault("hooks", {})
    for event in EVENTS:
        hooks.setdefault(event, []).append(_group(event, mine))
    named = servers.setdefault("mcpServers", {})
    for name, (command, *args) in mine.servers().items():
        if name in named:
            raise BadRequest(
                "settings",
                f"{place.servers} has an MCP server {name!r} that is not Slate's; nothing was written.",
                next_step="rename or remove that server, then try again",
            )
        named[name] = {"type": "stdio", "command": command, "args": args, "env": mine.environ()}
    return [_edit(place.user, settings), _edit(place.servers, servers)]


def removed(place: Place) -> list[Edit]:
    """The edits that take every line of ours back."""
    settings, servers = _without(place)
    return [_edit(place.user, settings), _edit(place.servers, servers)]


def _group(event: str, mine: Own) -> Settings:
    command, *args = mine.hook(PROGRAM)
    entry = {
        "type": "command",
        "command": command,
        "args": args,
        "timeout": own.HOOK_S,
        "onFailure": "block",
    }
    return {"matcher": "*", "hooks": [entry]} if event in TOOL_EVENTS else {"hooks": [entry]}


def _without(place: Place) -> tuple[Settings, Settings]:
    settings, servers = _read(place.user), _read(place.servers)
    for event, groups in list(_hooks(place.user, settings).items()):
        left = [kept for group in groups if (kept := _foreign(group)) is not None]
        if left != groups:
            settings["hooks"] = {**settings["hooks"], event: left}
            if not left:
                del settings["hooks"][event]
    if "hooks" in settings and not settings["hooks"]:
        del settings["hooks"]
    named = servers.get("mcpServers", {})
    if not isinstance(named, dict):
        raise _unsound(place.servers, "mcpServers is no object")
    ours = [n for n in own.SERVERS if own.mentions_server(named.get(n))]
    if ours:
        servers["mcpServers"] = {n: server for n, server in named.items() if n not in ours}
        if not servers["mcpServers"]:
            del servers["mcpServers"]
    return settings, servers


def _foreign(group: Settings) -> Settings | None:
    """A group without our entries; None if nothing else was in it."""
    kept = [entry for entry in group["hooks"] if not own.mentions_hook(_argv(entry))]
    return {**group, "hooks": kept} if kept or not group["hooks"] else None


def _argv(entry: object) -> list[object]:
    if not isinstance(entry, Mapping):
        return []
    args, command = entry.get("args"), entry.get("command")
    if isinstance(args, list):
        return [command, *args]
    try:
        return list(shlex.split(command)) if isinstance(command, str) else []
    except ValueError:
        return [command]


def _hooks(path: Path, settings: Mapping[str, Any]) -> Mapping[str, list[Settings]]:
    """The hooks of a file, by event; checked, so that nothing is lost that we do not understand."""
    hooks = settings.get("hooks", {})
    if not isinstance(hooks, Mapping):
        raise _unsound(path, "hooks is no object")
    for event, groups in hooks.items():
        fits = isinstance(groups, list) and all(
            isinstance(group, Mapping) and isinstance(group.get("hooks"), list) for group in groups
        )
        if not fits:
            raise _unsound(path, f"hooks.{event} is no list of groups")
    return hooks


def _read(path: Path) -> Settings:
    data = edits.held(path)
    if data is None or not data.strip():
        return {}
    try:
        found = json.loads(data)
    except ValueError as error:
        raise _unsound(path, f"it is no JSON ({error})") from error
    if not isinstance(found, dict):
        raise _unsound(path, "it is no object")
    return found


def _unsound(path: Path, why: str) -> BadRequest:
    return BadRequest(
        "settings",
        f"{path} cannot be read: {why}; nothing was written.",
        next_step="mend that file",
    )


def _edit(path: Path, settings: Settings) -> Edit:
    before, kept = edits.held(path), edits.backup_of(path)
    after: bytes | None = (json.dumps(settings, indent=2, ensure_ascii=False) + "\n").encode()
    if before is not None and _read(path) == settings:
        after = before
    elif kept is not None and _parsed(kept) == settings:
        after = kept  # to the byte as it was
    elif not settings and kept is None:
        after = None
    ours_is_in = before is not None and b"/slated/" in before
    return Edit(path, before, after, backup=not ours_is_in)


def _parsed(data: bytes) -> object:
    try:
        return json.loads(data)
    except ValueError:
        return None


# -- what gets round them --------------------------------------------------------------------------


def why_advisory(place: Place, mine: Own) -> str:
    """What keeps a session's hooks from being sure to stop a call; "" if nothing that can be seen does."""
    return next(_doubts(place, mine), "")


def _doubts(place: Place, mine: Own) -> Iterator[str]:
    yield from (f"it was started with {word}" for word in WITHOUT_HOOKS if word in place.words)
    for word in place.words:
        if word.partition("=")[0] in PLUGINS:
            yield f"it was started with {word.partition('=')[0]}, and plugins may bring hooks"
    for word, value in zip(place.words, place.words[1:], strict=False):
        if word == "--setting-sources" and "user" not in value.split(","):
            yield "it was started without the user's settings"
    for word, value in place.given():
        if _inline(value):
            yield from _of_text(value, word)
    yield from _missing(place, mine)
    yield from (f"{path} brings hooks of its own" for path in place.fronted() if _has_hooks(path))
    for path in (place.user, *place.managed(), *place.projects()):
        try:
            settings = _read(path)
            hooks = _hooks(path, settings)
        except SlateError:
            yield f"{path} cannot be read"
            continue
        theirs = path not in (place.user, *place.managed())
        yield from _in_file(str(path), settings, hooks, theirs=theirs)


def _has_hooks(path: Path) -> bool:
    """Whether the first lines of a skill, an agent or a command name hooks; one that cannot be read counts."""
    try:
        with path.open("rb") as file:
            text = file.read(_FRONT_BYTES)
    except OSError:
        return True
    front = text.partition(b"\n---")[0]
    return (
        text.startswith(b"---") and re.search(rb"(?m)^\s*[\"']?hooks[\"']?\s*:", front) is not None
    )


def _of_text(text: str, name: str) -> Iterator[str]:
    found = _parsed(text.encode())
    settings = found if isinstance(found, dict) else {"disableAllHooks": True}
    hooks = settings.get("hooks", {})
    yield from _in_file(name, settings, hooks if isinstance(hooks, dict) else {}, theirs=True)


def _in_file(
    name: str, settings: Settings, hooks: Mapping[str, Sequence[Settings]], *, theirs: bool
) -> Iterator[str]:
    if settings.get("disableAllHooks"):
        yield f"{name} switches all hooks off"
    if settings.get("allowManagedHooksOnly"):
        yield f"{name} allows managed hooks only"
    for event, groups in hooks.items():
        entries = [entry for group in groups for entry in group.get("hooks", ())]
        other = any(not own.mentions_hook(_argv(entry)) for entry in entries)
        if other and (theirs or event in DECIDING):
            yield f"{name} has another hook at {event}, which may change what is run"
    env = settings.get("env")
    for variable in env if isinstance(env, dict) else ():
        if str(variable).startswith(tuple(SHAPING)):
            yield f"{name} sets {variable}"
    plugins = settings.get("enabledPlugins")
    if isinstance(plugins, dict) and any(plugins.values()):
        yield f"{name} enables plugins, which may bring hooks"


def _missing(place: Place, mine: Own) -> Iterator[str]:
    """Events at which our hook is not registered as we register it."""
    try:
        hooks = _hooks(place.user, _read(place.user))
    except SlateError:
        return  # said by its own check
    for event in EVENTS:
        if not any(_is_ours(group, event, mine) for group in hooks.get(event, ())):
            yield f"{place.user} does not have Slate's hook at {event}"


def _is_ours(group: Settings, event: str, mine: Own) -> bool:
    every = group.get("matcher", "*") in ("*", "") or event not in TOOL_EVENTS
    return every and any(
        isinstance(entry, Mapping)
        and isinstance(entry.get("args"), list)
        and mine.is_hook(_argv(entry), PROGRAM)
        and entry.get("type") == "command"
        and entry.get("onFailure") == "block"
        and not {"if", "async", "once"} & set(entry)
        for entry in group["hooks"]
    )


def server_is_ours(place: Place, name: str, source: str, mine: Own) -> bool:
    """Whether an MCP server of a session is Slate's own: registered as we do it, by the user or on the command line.

    Files named on a command line do not count: they may not be what they were when the program read them.
    """
    if source == "dynamic":
        return _is_ours_on_the_command_line(place.words, name, mine)
    if source != "user":
        return False
    try:
        named = _read(place.servers).get("mcpServers", {})
    except SlateError:
        return False
    found = named.get(name) if isinstance(named, dict) else None
    return isinstance(found, dict) and mine.is_server(name, found)


def _is_ours_on_the_command_line(words: Sequence[str], name: str, mine: Own) -> bool:
    given: list[str] = []
    taking = False
    for word in words:
        option, equals, value = word.partition("=")
        if word.startswith("-"):
            taking = option == "--mcp-config"
            given += [value] if taking and equals else []
        elif taking:
            given.append(word)
    found = [_parsed(value.encode()) for value in given]
    named = [one.get("mcpServers") if isinstance(one, dict) else None for one in found]
    if not all(isinstance(servers, dict) for servers in named):
        return False
    told = [servers[name] for servers in named if isinstance(servers, dict) and name in servers]
    return bool(told) and all(isinstance(one, dict) and mine.is_server(name, one) for one in told)
