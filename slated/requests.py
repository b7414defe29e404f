"""What callers ask of slated, read from JSON with every field checked; nothing of it is trusted beyond its shape."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Final

from slated.approvals import CALL_S
from slated.errors import BadRequest
from slated.model import Tier
from slated.policy.decide import ToolCall
from slated.policy.gui import Scene
from slated.tasks import Asker

TIERS: Final = {tier.word: tier for tier in Tier}
CLIENTS: Final = ("claude", "codex", "desktop", "slate", "mcp")
NOT_WHAT_RUNS: Final = frozenset("description timeout justification".split())
"""Arguments of shell tools that change nothing about what runs; a reworded retry is the same intent."""
_SHELLS: Final = frozenset("Bash shell exec_command local_shell container.exec".split())


@dataclass(frozen=True, slots=True)
class Wanted:
    """One thing that an agent wants to do.

    `floor` is the least tier the server of the tool gives it, `digest` names exactly what would run, `use` is the
    tool-use id, `seen` the hash of the frame or tree it was aimed by, `under` the serial of a batch's grant.
    `attended` is false for a desktop that has no person in front of it.
    """

    call: ToolCall
    cwd: str
    asker: Asker
    floor: Tier = Tier.OBSERVE
    digest: str = ""
    use: str = ""
    seen: str = ""
    under: int | None = None
    attended: bool = True
    wait_s: float = CALL_S
    facts: tuple[tuple[str, str], ...] = ()
    window_pid: int | None = None
    """The process of the window it is aimed at."""


@dataclass(frozen=True, slots=True)
class Reader:
    """The members of a JSON object, by the type they must have."""

    of: Mapping[str, object] = field(default_factory=dict)

    def text(self, name: str, default: str = "") -> str:
        """A text."""
        value = self.of.get(name, default)
        if not isinstance(value, str):
            raise _wrong(name, "text")
        return value

    def number(self, name: str) -> int | None:
        """A whole number, or None where it is not given."""
        value = self.of.get(name)
        if value is not None and type(value) is not int:
            raise _wrong(name, "a whole number")
        return value if isinstance(value, int) else None

    def seconds(self, name: str, default: float, most: float) -> float:
        """A time in seconds, cut to what is allowed."""
        value = self.of.get(name, default)
        if not isinstance(value, (int, float)) or isinstance(value, bool):
            raise _wrong(name, "a number of seconds")
        return max(0.0, min(float(value), most))

    def flag(self, name: str, *, default: bool) -> bool:
        """True or false."""
        value = self.of.get(name, default)
        if not isinstance(value, bool):
            raise _wrong(name, "true or false")
        return value

    def inner(self, name: str) -> Reader:
        """An object; an empty one where it is not given."""
        value = self.of.get(name, {})
        if not isinstance(value, Mapping):
            raise _wrong(name, "an object")
        return Reader(value)


def wanted(params: Mapping[str, object]) -> Wanted:
    """The `params` of `admit`. Raises `bad_request.field`."""
    given = Reader(params)
    client, tool = given.text("client"), given.text("tool")
    if client not in CLIENTS or not tool:
        raise _wrong("client", f"one of {', '.join(CLIENTS)}, with a tool")
    floor = given.text("floor", Tier.OBSERVE.word)
    if floor not in TIERS:
        raise _wrong("floor", "a tier")
    arguments = given.inner("arguments").of
    cwd = given.text("cwd", "/")
    call = ToolCall(
        client,
        tool,
        arguments,
        ours=given.flag("ours", default=False),
        hints={k: v for k, v in given.inner("hints").of.items() if isinstance(v, bool)},
        scene=_scene(given.inner("scene").of),
    )
    return Wanted(
        call=call,
        cwd=cwd if cwd.startswith("/") else "/",
        asker=asker(given.inner("agent")),
        floor=TIERS[floor],
        digest=given.text("digest") or digest(client, tool, arguments, cwd),
        use=given.text("use"),
        seen=given.text("seen"),
        under=given.number("under"),
        attended=given.flag("attended", default=True),
        wait_s=given.seconds("wait_s", CALL_S, CALL_S),
        facts=_facts(params.get("facts", ())),
        window_pid=given.number("window_pid"),
    )


def asker(given: Reader) -> Asker:
    """Who asks; pid 0 when it is not told (then the peer itself is meant)."""
    return Asker(
        given.number("pid") or 0,
        given.number("started") or 0,
        given.text("program"),
        given.text("session"),
    )


def digest(client: str, tool: str, arguments: Mapping[str, object], cwd: str) -> str:
    """SHA-256 of everything that decides what would happen."""
    kept = dict(arguments)
    if tool in _SHELLS:
        kept = {name: value for name, value in kept.items() if name not in NOT_WHAT_RUNS}
    whole = json.dumps([client, tool, kept, cwd], sort_keys=True, default=str)
    return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()


def _scene(given: Mapping[str, object]) -> Scene:
    known = {part.name for part in fields(Scene)}
    if unknown := set(given) - known:
        raise _wrong(f"scene.{min(unknown)}", "known")
    reader = Reader(given)
    form = given.get("form", [])
    line = given.get("line")
    if not isinstance(form, list) or not all(isinstance(one, str) for one in form):
        raise _wrong("scene.form", "a list of names")
    if line is not None and not isinstance(line, str):
        raise _wrong("scene.line", "text")
    return Scene(
        app_id=reader.text("app_id"),
        title=reader.text("title"),
        role=reader.text("role"),
        name=reader.text("name"),
        form=tuple(form),
        terminal=reader.flag("terminal", default=False),
        password=reader.flag("password", default=False),
        private=reader.flag("private", default=False),
        person_seat=reader.flag("person_seat", default=False),
        ours=reader.flag("ours", default=False),
        line=line,
        doubt=reader.text("doubt"),
    )


def _facts(given: object) -> tuple[tuple[str, str], ...]:
    if not isinstance(given, (list, tuple)):
        raise _wrong("facts", "a list of pairs")
    pairs = [tuple(map(str, one)) for one in given if isinstance(one, list) and len(one) == 2]
    return tuple((name, value) for name, value in pairs)


def _wrong(name: str, must: str) -> BadRequest:
    return BadRequest("field", f"{name} must be {must}.")
