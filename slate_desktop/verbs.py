"""The verbs of the command line: each is one call of a tool, its arguments read by the tool's own schema."""

from __future__ import annotations

import base64
import json
import os
import re
import sys

from slated.errors import BadRequest
from slated.wire import client, reach, start

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

PREFIX = "desktop_"
_NUMBER = re.compile(r"-?(\d+\.?\d*|\.\d+)")
_YES, _NO = ("true", "yes", "on", "1"), ("false", "no", "off", "0")
_ENDINGS = {"image/png": "png", "image/jpeg": "jpg"}


class Words:
    """A verb's words, taken apart: what is for us, and the tool's arguments as text."""

    def __init__(self, words: Sequence[str]) -> None:
        self.verb = ""
        self.json = self.headless = self.help = False
        self.output = ""
        self.named: list[tuple[str, str | bool]] = []
        self.plain: list[str] = []
        self.after: list[str] = []
        rest = list(words)
        while rest:
            self._word(rest.pop(0), rest)

    def _word(self, word: str, rest: list[str]) -> None:
        if word == "--":
            self.after, rest[:] = list(rest), []
        elif word in ("--json", "--headless", "--help"):
            setattr(self, word[2:], True)
        elif word == "-h":
            self.help = True
        elif word in ("-o", "--output"):
            self.output = _next(word, rest)
        elif word.startswith("--"):
            self._option(word[2:], rest)
        elif word.startswith("-") and len(word) > 1 and not _NUMBER.match(word):
            raise _usage(f'"{word}" is no option; arguments are --name VALUE')
        elif not self.verb:
            self.verb = word
        else:
            self.plain.append(word)

    def _option(self, name: str, rest: list[str]) -> None:
        name, equals, value = name.partition("=")
        name = name.replace("-", "_")
        if equals:
            self.named.append((name, value))
        elif rest and (not rest[0].startswith("-") or _NUMBER.match(rest[0])):
            self.named.append((name, rest.pop(0)))
        else:
            self.named.append((name, True))


def run(
    words: Sequence[str],
    daemon_of: Callable[..., start.Daemon],
    environ: Mapping[str, str],
) -> int:
    """Run one verb; 0 when it did what it says, 1 when the tool refused or failed."""
    given = Words(words)
    daemon = _daemon(given, daemon_of, environ)
    # All verbs of a person (or of one task) are one client to the daemon: a ref printed by one is good in the next.
    share = f"verbs {environ.get('SLATE_TASK', '')}".strip()
    link = reach.reach(daemon, share=share, say=_say)
    asked = client.Client(link, name="slate-desktop", version=daemon.version)
    try:
        return _call(asked, given)
    finally:
        asked.close()


def _call(asked: client.Client, given: Words) -> int:
    tool = _tool(asked.request("tools/list")["tools"], given.verb)
    if given.help:
        sys.stdout.write(usage(tool))
        return 0
    call = {"name": tool["name"], "arguments": arguments(given, tool["inputSchema"])}
    return _show(asked.request("tools/call", call), given)


def _daemon(
    given: Words, daemon_of: Callable[..., start.Daemon], environ: Mapping[str, str]
) -> start.Daemon:
    """The daemon that is meant: as said, else the one that runs, else that of the surrounding desktop."""
    desktop, headless = (daemon_of(environ, headless=which) for which in (False, True))
    if given.headless:
        return headless
    on_screen = environ.get("WAYLAND_DISPLAY") or environ.get("SWAYSOCK")
    if on_screen or reach.running(desktop) or not reach.running(headless):
        return desktop
    return headless


def _tool(tools: Sequence[Mapping[str, Any]], verb: str) -> Mapping[str, Any]:
    name = PREFIX + verb.replace("-", "_").removeprefix(PREFIX)
    for tool in tools:
        if tool["name"] == name:
            return tool
    known = ", ".join(tool["name"].removeprefix(PREFIX).replace("_", "-") for tool in tools)
    raise BadRequest("unknown_verb", f'there is no verb "{verb}".', next_step=f"one of {known}")


# -- arguments -----------------------------------------------------------------------------------


def arguments(given: Words, schema: Mapping[str, Any]) -> dict[str, object]:
    """The tool's arguments. What the schema does not know goes to the tool as it is, which says it best."""
    known: Mapping[str, Mapping[str, Any]] = schema["properties"]
    made: dict[str, object] = {}
    for name, value in given.named:
        if value is True and name.startswith("no_") and name not in known:
            made[name[3:]] = False
        else:
            _put(made, name, value, known.get(name, {}))
    plain = list(given.plain)
    if given.after and "argv" in known:
        made["argv"] = given.after
    else:
        plain += given.after
    for name, part in known.items():
        if plain and name not in made:
            taken = plain if part.get("type") == "array" else plain[:1]
            plain = plain[len(taken) :]
            for value in taken:
                _put(made, name, value, part)
    if plain:
        raise _usage(f"too many values: {' '.join(plain)}")
    if isinstance(made.get("cwd"), str):
        made["cwd"] = os.path.abspath(str(made["cwd"]))
    return made


def _put(made: dict[str, object], name: str, value: str | bool, part: Mapping[str, Any]) -> None:
    if part.get("type") != "array" or not isinstance(value, str) or value.lstrip()[:1] == "[":
        made[name] = converted(value, part)  # the tool reads a list written as JSON by itself
        return
    of = part.get("items", {})
    several = "enum" in of or of.get("type") in ("integer", "number")
    items = [converted(item, of) for item in (value.split(",") if several else [value])]
    before = made.get(name)
    made[name] = [*before, *items] if isinstance(before, list) else items


def converted(value: str | bool, part: Mapping[str, Any]) -> object:
    """A word as the type the schema names; as it is when it is none, so that the tool says what is wrong."""
    if isinstance(value, bool):
        return value
    kind = part.get("type")
    if kind == "boolean" and value.lower() in _YES + _NO:
        return value.lower() in _YES
    if kind in ("integer", "number") and _NUMBER.fullmatch(value):
        number = float(value)
        return int(number) if number.is_integer() else number
    return value


def usage(tool: Mapping[str, Any]) -> str:
    """What a verb does and takes."""
    verb = tool["name"].removeprefix(PREFIX).replace("_", "-")
    schema = tool["inputSchema"]
    needed = schema.get("required", ())
    names = [name if name in needed else f"[{name}]" for name in schema["properties"]]
    lines = [f"usage: slate-desktop {verb} {' '.join(names)}", "", tool["description"], ""]
    for name, part in schema["properties"].items():
        words = [part.get("description", "")]
        words += ["one of " + ", ".join(map(str, part["enum"]))] if "enum" in part else []
        words += [f"default {json.dumps(part['default'])}"] if "default" in part else []
        option = "--" + name.replace("_", "-")
        lines.append(f"  {option:<14} {'; '.join(word for word in words if word)}".rstrip())
    return "\n".join([*lines, ""])


# -- the answer ----------------------------------------------------------------------------------


def _show(result: Mapping[str, Any], given: Words) -> int:
    facts = (result.get("_meta") or {}).get("slate/outcome", {})
    pictures = [part for part in result["content"] if part["type"] == "image"]
    if pictures and (given.output or given.verb == "screenshot"):
        path = given.output or _name(facts, pictures[0]["mimeType"])
        with open(path, "wb") as out:
            out.write(base64.b64decode(pictures[0]["data"]))
        _say(f"saved {path}")
    if given.json:
        sys.stdout.write(json.dumps(facts) + "\n")
    else:
        texts = [part["text"] for part in result["content"] if part["type"] == "text"]
        sys.stdout.write("\n".join([*texts, ""]))
    return 1 if result.get("isError") else 0


def _name(facts: Mapping[str, Any], mime: str) -> str:
    ref = (facts.get("frame") or {}).get("ref", "screenshot")
    return f"{ref}.{_ENDINGS.get(mime, 'image')}"


def _next(word: str, rest: list[str]) -> str:
    if not rest:
        raise _usage(f"{word} needs a value")
    return rest.pop(0)


def _usage(text: str) -> BadRequest:
    return BadRequest("usage", f"{text}.", next_step="slate-desktop VERB --help")


def _say(text: str) -> None:
    sys.stderr.write(f"slate-desktop: {text}\n")
