"""Outcome or failure → the text a model reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from slate_desktop.errors import SlateError
from slate_desktop.geometry import Point
from slate_desktop.outcome import FrameLine, Outcome, Picture, WindowLine
from slate_desktop.quote import quote

TEXT_LIMIT = 8_000


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer to an agent: text, at most one picture, and facts for programs that ride in `_meta`."""

    text: str
    picture: Picture | None = None
    facts: Mapping[str, object] = field(default_factory=dict)
    is_error: bool = False


def reply(outcome: Outcome) -> Reply:
    """The answer for an outcome: verdict first, then what there is to see, `next:` last."""
    lines = [_first(outcome)]
    if outcome.frame is not None:
        lines.append(frame_line(outcome.frame))
    lines += [f"+ {window_line(w)}" for w in outcome.opened]
    lines += [window_line(w) for w in outcome.windows]
    lines += outcome.lines
    return Reply(_cut(lines, outcome.next_step), outcome.picture, _facts(outcome), outcome.is_error)


def failure(error: SlateError, *, call: str = "") -> Reply:
    """The answer for a failure: code and message, then the next step."""
    lines = [f"{error.code}: {error.message}"]
    facts = {"error": {"code": error.code, "message": error.message, "next": error.next_step}}
    if call:
        facts["call"] = {"id": call}
    return Reply(_cut(lines, error.next_step), None, facts, is_error=True)


def window_line(line: WindowLine) -> str:
    """`w1 "foot" "~/src: vim" screen 0,26 960x1054 person`."""
    tags = "".join(f" {tag}" for tag in line.tags)
    return f"{line.ref} {quote(line.app_id, 60)} {quote(line.title)} {line.place.value} {line.rect}{tags}"


def frame_line(frame: FrameLine) -> str:
    """`f7 of w3, 1280x800, scale 1, from 0,0: use target f7 with its own pixels`."""
    words = [
        f"{frame.ref} of {frame.of}, {frame.size}, scale {_number(frame.scale)}, from {_point(frame.origin)}"
    ]
    if not frame.current:
        words.append("may be old: the window did not repaint in time")
    if frame.blank:
        words.append("blank: one colour only")
    if not frame.exact:
        words.append("its place in the window is not certain")
    return "; ".join(words)


def listed(parts: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def _first(outcome: Outcome) -> str:
    if outcome.verified is None:
        return outcome.said
    because = f", {outcome.because}" if outcome.because else ""
    return f"{outcome.said}; verified: {outcome.verified.value}{because}."


def _cut(lines: list[str], next_step: str) -> str:
    """All lines if they fit the limit; else the first ones, with what is missing told in line 1."""
    last = [f"next: {next_step}"] if next_step else []
    if len("\n".join(lines + last)) <= TEXT_LIMIT:
        return "\n".join(lines + last)
    room = TEXT_LIMIT - len("\n".join(last)) - 60
    kept: list[str] = []
    for line in lines:
        if sum(map(len, kept)) + len(kept) + len(line) > room:
            break
        kept.append(line)
    if not kept:  # one line longer than everything: its head is better than nothing
        return "\n".join(
            [f"{lines[0][:room]} (cut: {len(lines[0]) - room} characters more)", *last]
        )
    kept[0] = f"{kept[0]} (cut: {len(lines) - len(kept)} of {len(lines)} lines left out)"
    return "\n".join(kept + (last or ["next: ask for less, or for one window"]))


def _facts(outcome: Outcome) -> dict[str, object]:
    facts: dict[str, object] = dict(outcome.facts)
    if outcome.verified is not None:
        facts["verified"] = outcome.verified.value
        facts["because"] = outcome.because
    if outcome.frame is not None:
        frame = outcome.frame
        facts["frame"] = {
            "ref": frame.ref,
            "of": frame.of,
            "width": frame.size.width,
            "height": frame.size.height,
            "scale": frame.scale,
            "origin": [frame.origin.x, frame.origin.y],
            "exact": frame.exact,
            "current": frame.current,
            "blank": frame.blank,
            "age_s": round(frame.age_s, 3),
        }
    for key, lines in (("opened", outcome.opened), ("windows", outcome.windows)):
        if lines:
            facts[key] = [_window_facts(line) for line in lines]
    return facts


def _window_facts(line: WindowLine) -> dict[str, object]:
    rect = line.rect
    return {
        "ref": line.ref,
        "app_id": line.app_id,
        "title": line.title,
        "place": line.place.value,
        "rect": [rect.x, rect.y, rect.width, rect.height],
        "workspace": line.workspace,
        "tags": list(line.tags),
    }


def _number(value: float) -> str:
    return f"{round(value, 3):.12g}"


def _point(point: Point) -> str:
    return f"{_number(point.x)},{_number(point.y)}"
