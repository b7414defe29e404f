"""What a slate and a Seed are: fields, limits, checks, and their JSON form. Pure; time and ids are given."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from slated.errors import BadRequest, Refused
from slated.redact import redact, redact_value

KINDS = ("decision", "wiki-update", "memory-entry", "follow-up", "contract-change", "risk")
DEFAULT_KIND = "follow-up"
TRUST = "external-unverified"
UNNAMED_HARNESS = "mcp-external"
MOST_SEEDS = 200
LONGEST_TEXT = 4_000
LARGEST_ANCHORS = 16_384
SEPARATOR = b",\n    "
"""What stands between the lines of two Seeds."""
_DEEPEST_ANCHORS = 16
_ID = re.compile(r"[A-Za-z0-9_-]{1,128}\Z", re.ASCII)
_HALF = re.compile("[\ud800-\udfff]")
_TIME = re.compile(
    r"(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z\Z",
    re.ASCII,
)
_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_YEARS = range(1970, 9999)
"""Some time after the last one there must be another."""


@dataclass(frozen=True, slots=True)
class Seed:
    """One draft finding, redacted, with the origin and trust the server gave it. `ts` is RFC 3339 UTC."""

    id: str
    text: str
    ts: str
    kind: str | None
    harness: str

    def shown(self) -> dict[str, object]:
        """The form a caller reads and the disk holds."""
        kind = {} if self.kind is None else {"kind": self.kind}
        origin = {"harness": self.harness}
        return {
            "id": self.id,
            "text": self.text,
            "ts": self.ts,
            **kind,
            "origin": origin,
            "trust": TRUST,
        }


@dataclass(frozen=True, slots=True)
class Slate:
    """One hand's slate. `closing_at` is set while its Seeds are on their way, `closed_at` when it is over."""

    id: str
    workspace_id: str | None
    anchors: Mapping[str, object]
    seeds: tuple[Seed, ...]
    last_write_at: str
    opened_by: str = ""
    closing_at: str | None = None
    closed_at: str | None = None

    def shown(self) -> dict[str, object]:
        """What `slate.open` answers."""
        out: dict[str, object] = {"externalSessionId": self.id}
        if self.workspace_id:
            out["workspaceId"] = self.workspace_id
        out["anchors"] = dict(self.anchors)
        out["seeds"] = [seed.shown() for seed in self.seeds]
        out["lastWriteAt"] = self.last_write_at
        if self.closed_at:
            out["closedAt"] = self.closed_at
        return out

    def with_seed(self, seed: Seed) -> Slate:
        """The slate with one Seed more. Raises Refused when it is closed or full."""
        if self.closed_at or self.closing_at:
            raise Refused(
                "slate_closed",
                f"slate.writeSeed: the slate {self.id} is already closed.",
                next_step="Open a slate under a new externalSessionId.",
            )
        if len(self.seeds) >= MOST_SEEDS:
            raise Refused(
                "slate_full",
                f"slate.writeSeed: the slate {self.id} holds {MOST_SEEDS} Seeds, which is the most.",
                next_step="Close it and open a slate under a new externalSessionId.",
            )
        return replace(self, seeds=(*self.seeds, seed), last_write_at=seed.ts)


def is_id(value: str) -> bool:
    """Whether a slate may have this id; no path part outside the rule ever reaches the disk."""
    return _ID.match(value) is not None


def checked_id(tool: str, value: object) -> str:
    """The id, if it is one. Raises BadRequest (`session_id`)."""
    if isinstance(value, str) and is_id(value):
        return value
    raise BadRequest(
        "session_id",
        f"{tool}: 'externalSessionId' must be 1 to 128 of the letters A-Z, a-z, digits, '_' and '-'.",
        next_step="Use an id nobody can guess, such as task- and 16 random letters.",
    )


def checked_kind(value: object) -> str | None:
    """The kind, if it is one of the six or left out. Raises BadRequest (`kind`)."""
    if value is None:
        return None
    if isinstance(value, str) and value in KINDS:
        return value
    shown = json.dumps(value, default=lambda other: type(other).__name__)[:80]
    raise BadRequest(
        "kind",
        f"slate.writeSeed: unrecognized 'kind' {shown}",
        next_step=f"Use one of {', '.join(KINDS)}, or leave it out.",
    )


def checked_text(value: object) -> str:
    """The text as it may be stored: in bounds, and redacted. Characters are Unicode code points."""
    if not isinstance(value, str) or not value.strip():
        raise BadRequest(
            "text", "slate.writeSeed: 'text' must say something.", next_step="Write one finding."
        )
    if len(value) > LONGEST_TEXT:
        raise BadRequest(
            "text_length",
            f"slate.writeSeed: 'text' has {len(value)} characters; {LONGEST_TEXT} is the most.",
            next_step="Split it into several Seeds; nothing was stored.",
        )
    return redact(_whole(value, "text"), pii=True)


def checked_anchors(value: object) -> dict[str, object]:
    """The anchors as sent, with secrets masked. Raises BadRequest (`anchors`) when too large or no object."""
    if value is None:
        return {}
    if not isinstance(value, Mapping) or _depth(value) > _DEEPEST_ANCHORS:
        raise _bad_anchors(f"must be an object, nested at most {_DEEPEST_ANCHORS} deep")
    plain = {str(key): inner for key, inner in value.items()}
    if len(_whole(json.dumps(plain, ensure_ascii=False), "anchors")) > LARGEST_ANCHORS:
        raise _bad_anchors(f"must be at most {LARGEST_ANCHORS} characters of JSON")
    masked = redact_value(plain, pii=True)
    return {str(key): inner for key, inner in masked.items()} if isinstance(masked, dict) else {}


def _bad_anchors(why: str) -> BadRequest:
    return BadRequest(
        "anchors",
        f"slate.open: 'anchors' {why}.",
        next_step='Send for example {"root": "/repo/src"}.',
    )


def _depth(value: object, level: int = 0) -> int:
    if level > _DEEPEST_ANCHORS or not isinstance(value, (Mapping, list, tuple)):
        return level
    inner = value.values() if isinstance(value, Mapping) else value
    return max((_depth(one, level + 1) for one in inner), default=level)


def _whole(text: str, what: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise BadRequest(
            "not_unicode", f"'{what}' holds half a character.", next_step="Send whole Unicode text."
        ) from error
    return text


def topic(anchors: Mapping[str, object], slate_id: str) -> str:
    """What a workspace for this slate would be about: the note, else the root, else the id."""
    for key in ("note", "root"):
        value = anchors.get(key)
        if isinstance(value, str) and value.strip():
            return " ".join(value.split())[:160]
    return slate_id


def distinct(seeds: Iterable[Seed]) -> tuple[Seed, ...]:
    """The Seeds without repetitions of the same text (outer white space aside); the first one stays."""
    seen: dict[str, Seed] = {}
    for seed in seeds:
        seen.setdefault(seed.text.strip(), seed)
    return tuple(seen.values())


def grouped(seeds: Iterable[Seed]) -> dict[str, tuple[Seed, ...]]:
    """Distinct Seeds by kind, in the order the kinds came; untagged ones are follow-ups."""
    groups: dict[str, list[Seed]] = {}
    for seed in distinct(seeds):
        groups.setdefault(seed.kind or DEFAULT_KIND, []).append(seed)
    return {kind: tuple(members) for kind, members in groups.items()}


def unbound_record(slate: Slate, head: Mapping[str, object]) -> dict[str, object]:
    """Anchors and Seeds of a slate nobody bound, as its artifact holds them."""
    groups = [
        {"kind": kind, "seeds": [seed.shown() for seed in members]}
        for kind, members in grouped(slate.seeds).items()
    ]
    return {
        "recordType": "unbound-candidate",
        **head,
        "anchors": dict(slate.anchors),
        "groups": groups,
    }


def lines(seeds: Iterable[Seed]) -> bytes:
    """Seeds as they stand in the file, one a line; what `encoded` takes to spare old Seeds a second encoding."""
    return SEPARATOR.join(json.dumps(seed.shown(), ensure_ascii=False).encode() for seed in seeds)


def encoded(slate: Slate, seed_lines: bytes) -> bytes:
    """The file form: JSON, one Seed a line. `seed_lines` is `lines(slate.seeds)`."""
    head = replace(slate, seeds=()).shown()
    private = {"openedBy": slate.opened_by, "closingAt": slate.closing_at}
    head |= {key: value for key, value in private.items() if value}
    parts = [b"{\n"]
    for key, value in head.items():
        name = f"  {json.dumps(key)}: "
        if key == "seeds" and seed_lines:
            parts += (name.encode(), b"[\n    ", seed_lines, b"\n  ]", b",\n")
        else:
            parts += (f"{name}{json.dumps(value, ensure_ascii=False)}".encode(), b",\n")
    parts[-1] = b"\n}\n"
    return b"".join(parts)


def decoded(data: bytes) -> Slate:
    """The slate a file holds. Raises ValueError, saying what is wrong, for anything `encoded` cannot have made."""
    try:
        raw = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise ValueError("it is not JSON") from error
    if not isinstance(raw, dict):
        raise ValueError("it is not a JSON object")
    seeds = raw.get("seeds")
    anchors = raw.get("anchors")
    if not isinstance(seeds, list) or len(seeds) > MOST_SEEDS or not isinstance(anchors, dict):
        raise ValueError("its seeds or anchors are missing or too many")
    if _depth(anchors) > _DEEPEST_ANCHORS:
        raise ValueError("its anchors are nested too deep")
    if not is_whole(raw, data):
        raise ValueError("it holds half a character")
    workspace = raw.get("workspaceId")
    return Slate(
        id=_field(raw, "externalSessionId", _ID),
        workspace_id=None if workspace is None else _field(raw, "workspaceId"),
        anchors=anchors,
        seeds=tuple(seed_of(one) for one in seeds),
        last_write_at=_time(raw, "lastWriteAt"),
        opened_by=_field(raw, "openedBy") if "openedBy" in raw else "",
        closing_at=_time(raw, "closingAt") if "closingAt" in raw else None,
        closed_at=_time(raw, "closedAt") if "closedAt" in raw else None,
    )


def is_whole(raw: object, data: bytes) -> bool:
    """Whether what `data` was read into can be written again: JSON can hold half a character, UTF-8 cannot."""
    return b"\\u" not in data or not _HALF.search(json.dumps(raw, ensure_ascii=False))


def seed_of(raw: object) -> Seed:
    """The Seed that `Seed.shown` gave this form. Raises ValueError for anything else."""
    if not isinstance(raw, dict) or not isinstance(raw.get("origin"), dict):
        raise ValueError("one of its seeds is no object or has no origin")
    kind = raw.get("kind")
    if kind is not None and kind not in KINDS:
        raise ValueError("one of its seeds is of an unknown kind")
    if raw.get("trust") != TRUST:
        raise ValueError("one of its seeds claims a trust nobody gives")
    return Seed(
        id=_field(raw, "id"),
        text=_field(raw, "text"),
        ts=_time(raw, "ts"),
        kind=kind,
        harness=_field(raw["origin"], "harness"),
    )


def _time(raw: Mapping[str, object], key: str) -> str:
    value = _field(raw, key)
    if found := _TIME.match(value):
        year, month, day = map(int, found.groups())
        leap = month == 2 and year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
        if year in _YEARS and day <= _DAYS[month - 1] + leap:
            return value
    raise ValueError(f"its {key} is no time")


def _field(raw: Mapping[str, object], key: str, pattern: re.Pattern[str] | None = None) -> str:
    value = raw.get(key)
    if not isinstance(value, str) or (pattern is not None and not pattern.match(value)):
        raise ValueError(f"its {key} is missing or malformed")
    return value
