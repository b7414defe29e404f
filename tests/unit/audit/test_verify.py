"""The judge of logs: every kind of damage at its place, and what only an anchor can show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from slated.audit.lines import Anchor, Head, encode
from slated.audit.verify import SHOWN_FAULTS, Judgement, judge

TIME = "2026-01-01T00:00:00+00:00"


def chain(count: int, log: str = "one", word: str = "w") -> tuple[list[bytes], list[Head]]:
    """Lines of a sound log and the head after each."""
    lines, heads, head = [], [], Head()
    for number in range(count):
        record = {"kind": "segment", "log": log} if number == 0 else {"kind": "call", "x": word}
        line, head = encode(record, head)
        lines.append(line + b"\n")
        heads.append(head)
    return lines, heads


def judged(
    lines: Sequence[bytes], told: Mapping[str, Sequence[Anchor]] | None = None, first: int = 1
) -> Judgement:
    return judge([("f", first, lines)], told or {})


def whats(judgement: Judgement) -> list[str]:
    return [f"{fault.line}: {fault.what}" for fault in judgement.faults]


def test_a_sound_log_is_sound_and_unanchored() -> None:
    lines, heads = chain(5)
    made = judged(lines)
    assert made.sound
    assert (made.head, made.log, made.anchored, made.witnesses) == (heads[-1], "one", 0, ())


def test_an_edited_line_is_found_by_the_line_behind_it() -> None:
    lines, _ = chain(5)
    lines[2] = lines[2].replace(b'"w"', b'"x"')
    assert whats(judged(lines)) == ["4: the line before it is not the one it was written after"]


def test_an_edited_last_line_needs_an_anchor() -> None:
    lines, heads = chain(5)
    lines[4] = lines[4].replace(b'"w"', b'"x"')
    assert judged(lines).sound
    made = judged(lines, {"journal": [Anchor("one", heads[4], TIME)]})
    assert whats(made) == [f"5: the journal was told another hash of line 5 at {TIME}"]


def test_a_removed_line_is_found() -> None:
    lines, _ = chain(5)
    del lines[2]
    assert whats(judged(lines))[0] == "3: line 4 stands where 3 should"


def test_a_cut_log_needs_an_anchor() -> None:
    lines, heads = chain(5)
    assert judged(lines[:3]).sound
    made = judged(lines[:3], {"journal": [Anchor("one", h, TIME) for h in heads]})
    assert whats(made) == [
        f"0: the log ends at line 3, but the journal was told of line 5 at {TIME}: it was cut"
    ]
    assert made.anchored == 3


def test_a_log_rewritten_under_its_own_name_needs_an_anchor() -> None:
    _, heads = chain(5)
    forged, _ = chain(9, word="other")
    assert judged(forged).sound
    made = judged(forged, {"journal": [Anchor("one", heads[3], TIME)]})
    assert whats(made) == [f"4: the journal was told another hash of line 4 at {TIME}"]


def test_a_log_that_took_the_place_of_another_needs_an_anchor() -> None:
    _, heads = chain(5)
    forged, _ = chain(9, log="two")
    made = judged(forged, {"side file": [Anchor("one", heads[3], TIME)]})
    assert whats(made) == [
        f"0: the side file knows another log here (one, at {TIME}): it was replaced"
    ]


def test_lines_that_are_none_torn_ends_and_gaps_between_files_are_named() -> None:
    lines, _ = chain(6)
    made = judge(
        [("a", 1, [*lines[:2], b"rubbish\n"]), ("b", 5, [lines[4], lines[5][:-9]])],
        {},
    )
    assert [(f.file, f.line, f.what) for f in made.faults] == [
        ("a", 3, "this is no line of the log"),
        ("b", 0, "lines 4 to 4 are missing"),
        ("b", 1, "line 5 stands where 4 should"),
        ("b", 1, "the line before it is not the one it was written after"),
        ("b", 2, "the last line is torn"),
    ]


def test_a_log_whose_first_files_are_stored_elsewhere_starts_where_its_name_says() -> None:
    lines, heads = chain(6)
    made = judge([("c", 4, lines[3:])], {})
    assert made.sound
    assert made.head == heads[-1]


def test_a_repair_is_told_and_is_no_fault() -> None:
    lines, heads = chain(2)
    line, _ = encode({"kind": "repair", "cut_bytes": 7}, heads[-1])
    made = judged([*lines, line + b"\n"])
    assert made.sound
    assert made.repairs == ["f:3: 7 torn bytes were cut"]


@pytest.mark.parametrize("log", ["one", "two"])
def test_another_log_in_the_middle_is_a_fault(log: str) -> None:
    lines, heads = chain(2)
    line, _ = encode({"kind": "segment", "log": log}, heads[-1])
    assert judged([*lines, line + b"\n"]).sound is (log == "one")


def test_a_thoroughly_broken_log_has_a_bounded_judgement() -> None:
    assert len(judged([b"x\n"] * 5000).faults) == SHOWN_FAULTS
