"""Judges a log against its own chain and against anchors: names each damaged place, and what no anchor covers. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from slated.audit.lines import GENESIS, Anchor, Head, decode, digest

SHOWN_FAULTS = 100


@dataclass(frozen=True, slots=True)
class Fault:
    """Something wrong. `file` and `line` (from 1) say where; `line` is 0 for a whole file or the log."""

    file: str
    line: int
    what: str


@dataclass(slots=True)
class Judgement:
    """What was found. `repairs` are places where a crash's torn end was cut, which is no fault.

    `anchored` is the number of the last line that a witness vouches for; 0 when there is none.
    """

    head: Head = field(default_factory=Head)
    log: str = ""
    faults: list[Fault] = field(default_factory=list)
    repairs: list[str] = field(default_factory=list)
    anchored: int = 0
    witnesses: tuple[str, ...] = ()

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong with what could be judged."""
        return not self.faults


@dataclass(slots=True)
class _Walk:
    judgement: Judgement
    marks: dict[int, list[tuple[str, Anchor]]]
    head: Head = field(default_factory=Head)
    started: bool = False


def judge(
    segments: Iterable[tuple[str, int, Iterable[bytes]]],
    witnesses: Mapping[str, Sequence[Anchor]],
) -> Judgement:
    """Judge files of a log, in order: each with its name, the number its name promises for its first line, and its
    lines (with line ends, as a file yields them). `witnesses` gives what each witness was told, by its name.
    """
    made = Judgement(witnesses=tuple(witnesses))
    marks: dict[int, list[tuple[str, Anchor]]] = {}
    for name, anchors in witnesses.items():
        for anchor in anchors:
            marks.setdefault(anchor.head.count, []).append((name, anchor))
    walk = _Walk(made, marks)
    for name, first, lines in segments:
        if walk.started and first != walk.head.count + 1:
            _fault(made, name, 0, f"lines {walk.head.count + 1} to {first - 1} are missing")
        if not walk.started and first != 1:
            walk.head = Head(first - 1, "")
        for number, line in enumerate(lines, 1):
            _line(walk, name, number, line)
    made.head = walk.head
    _beyond(walk)
    return made


def _line(walk: _Walk, name: str, number: int, raw: bytes) -> None:
    made, line = walk.judgement, raw.removesuffix(b"\n")
    if not raw.endswith(b"\n"):
        _fault(made, name, number, "the last line is torn")
        return
    record = decode(line)
    expected = walk.head
    if record is None:
        _fault(made, name, number, "this is no line of the log")
        walk.head = Head(expected.count + 1, digest(line))
    else:
        if record["n"] != expected.count + 1:
            _fault(
                made, name, number, f"line {record['n']} stands where {expected.count + 1} should"
            )
        if record["prev"] != expected.hash and not (expected.hash == "" and not walk.started):
            _fault(made, name, number, "the line before it is not the one it was written after")
        walk.head = Head(record["n"], digest(line))
        _told(made, name, number, record)
    walk.started = True
    _marks(walk, name, number)


def _told(made: Judgement, name: str, number: int, record: Mapping[str, object]) -> None:
    if record.get("kind") == "segment" and isinstance(record.get("log"), str):
        if made.log and made.log != record["log"]:
            _fault(made, name, number, "another log starts here")
        made.log = str(record["log"])
    if record.get("kind") == "repair":
        made.repairs.append(f"{name}:{number}: {record.get('cut_bytes')} torn bytes were cut")


def _marks(walk: _Walk, name: str, number: int) -> None:
    """Compare with what witnesses were told of this line."""
    for witness, anchor in walk.marks.get(walk.head.count, ()):
        if anchor.log == walk.judgement.log and anchor.head.hash != walk.head.hash:
            what = f"the {witness} was told another hash of line {walk.head.count} at {anchor.time}"
            _fault(walk.judgement, name, number, what)
        elif anchor.log == walk.judgement.log:
            walk.judgement.anchored = walk.head.count


def _beyond(walk: _Walk) -> None:
    """What witnesses know and the log does not."""
    made = walk.judgement
    strangers: dict[str, tuple[str, Anchor]] = {}
    furthest: tuple[str, Anchor] | None = None
    for told in walk.marks.values():
        for witness, anchor in told:
            if anchor.log != made.log:
                strangers[anchor.log] = (witness, anchor)
            elif anchor.head.count > walk.head.count and (
                furthest is None or anchor.head.count > furthest[1].head.count
            ):
                furthest = (witness, anchor)
    if furthest is not None:
        witness, anchor = furthest
        what = (
            f"the log ends at line {walk.head.count}, but the {witness} was told of line "
            f"{anchor.head.count} at {anchor.time}: it was cut"
        )
        _fault(made, "", 0, what)
    for log, (witness, anchor) in strangers.items():
        what = f"the {witness} knows another log here ({log}, at {anchor.time}): it was replaced"
        _fault(made, "", 0, what)


def _fault(made: Judgement, file: str, line: int, what: str) -> None:
    if len(made.faults) < SHOWN_FAULTS:
        made.faults.append(Fault(file, line, what))


__all__ = ["GENESIS", "Fault", "Judgement", "judge"]
