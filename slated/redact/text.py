"""The masking itself: spans of a text and of what it encodes are merged and replaced in one pass."""

from __future__ import annotations

import base64
import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from urllib.parse import quote

from slated.redact.shapes import Span, personal, secrets
from slated.redact.views import encoded_runs, unescaped

_MASK = re.compile(r"\[\[slate: [a-z ]{1,16} withheld\]\]")
_SHORTEST_KNOWN = 6


def mask(label: str) -> str:
    """What stands for a withheld value: says who withheld what, and is no plausible value itself."""
    return f"[[slate: {label} withheld]]"


def contains_mask(value: object) -> bool:
    """Whether a text, or any text in a structured value, holds a mask; it must not be written over what was masked."""
    match value:
        case str():
            return _MASK.search(value) is not None
        case Mapping():
            return any(contains_mask(inner) for inner in value.values())
        case list() | tuple():
            return any(contains_mask(inner) for inner in value)
        case _:
            return False


def redact(text: str, *, pii: bool = False, known: Sequence[str] = ()) -> str:
    """The text with every secret masked, and personal data too with `pii`.

    `known` are values that are secret whatever they look like; they are found in their usual encodings.
    Text without a hit comes back unchanged. Linear in the length of the text.
    """
    spans = found_spans(text, pii=pii, known=known)
    return masked(text, spans) if spans else text


def redact_bytes(data: bytes, *, pii: bool = False, known: Sequence[str] = ()) -> bytes:
    """The same for bytes of any encoding that keeps ASCII, and for UTF-16 of either order."""
    for codec, zero in (("utf-16-le", 1), ("utf-16-be", 0)):
        head = data[:512]
        if len(head) >= 8 and head[zero::2].count(0) * 4 > len(head):
            even = data[: len(data) & ~1].decode(codec, "surrogatepass")
            return (
                redact(even, pii=pii, known=known).encode(codec, "surrogatepass")
                + data[len(data) & ~1 :]
            )
    wide = tuple(value.encode().decode("latin-1") for value in known)
    return redact(data.decode("latin-1"), pii=pii, known=wide).encode("latin-1")


def found_spans(text: str, *, pii: bool, known: Sequence[str]) -> list[Span]:
    """What `redact` masks: spans in order, overlapping ones made one."""
    spans = sorted(_beside_masks(text, _spans(text, pii, known)))
    merged: list[Span] = []
    for span in spans:
        if merged and span.start < merged[-1].end:
            last = merged[-1]
            merged[-1] = Span(last.start, max(last.end, span.end), last.label)
        else:
            merged.append(span)
    return merged


def _beside_masks(text: str, spans: Iterable[Span]) -> Iterator[Span]:
    """The spans without the masks in them: what was masked before stays one whole mask."""
    if not contains_mask(text):
        yield from spans
        return
    masks = [match.span() for match in _MASK.finditer(text)]
    for start, end, label in spans:
        place = bisect_right(masks, (start, len(text)))
        if place and masks[place - 1][1] > start:
            start = masks[place - 1][1]
        for left, right in islice(masks, place, bisect_left(masks, (end, 0))):
            if start < left:
                yield Span(start, left, label)
            start = right
        if start < end:
            yield Span(start, end, label)


def masked(text: str, spans: Sequence[Span], start: int = 0, end: int | None = None) -> str:
    """`text[start:end]` with each of the merged spans that touches it replaced by its mask."""
    stop = len(text) if end is None else end
    parts: list[str] = []
    done = start
    for span in spans:
        if span.end <= start or span.start >= stop:
            continue
        parts += (text[done : max(done, span.start)], mask(span.label))
        done = span.end
    parts.append(text[done:stop])
    return "".join(parts)


def _spans(text: str, pii: bool, known: Sequence[str]) -> Iterator[Span]:
    yield from secrets(text)
    if pii:
        yield from personal(text)
    # What hides behind escapes and encodings; one level, which is as deep as accidents go.
    view = unescaped(text)
    if view is not None:
        for span in secrets(view.text):
            yield Span(view.start(span.start), view.end(span.end), span.label)
    for start, end, inner in encoded_runs(text):
        if next(secrets(inner), None) is not None:
            yield Span(start, end, "secret")
    for value in known:
        if len(value) >= _SHORTEST_KNOWN:
            yield from _occurrences(text, value)


def _occurrences(text: str, value: str) -> Iterator[Span]:
    for form in _forms(value):
        at = text.find(form)
        while at >= 0:
            yield Span(at, at + len(form), "secret")
            at = text.find(form, at + len(form))


def _forms(value: str) -> Iterable[str]:
    raw = value.encode("utf-8", "surrogatepass")
    forms = {
        value,
        json.dumps(value)[1:-1],
        json.dumps(value, ensure_ascii=False)[1:-1],
        quote(raw, safe=""),
    }
    forms |= {raw.hex(), raw.hex().upper()}
    for shift in range(3):
        # Only whole groups of four letters are the same wherever the value stands in what was encoded.
        inner = raw[(3 - shift) % 3 :]
        whole = inner[: len(inner) - len(inner) % 3]
        if len(whole) >= _SHORTEST_KNOWN:
            forms |= {base64.b64encode(whole).decode(), base64.urlsafe_b64encode(whole).decode()}
    return forms
