"""Two looks at a window's elements → what came, went and changed; and what typed text became. Pure."""

from __future__ import annotations

from slate_desktop.choices import below, pick_only, picked
from slate_desktop.elements import (
    CHECKS,
    NUMBERS,
    ON,
    Detail,
    Difference,
    Element,
    Glimpse,
    Key,
    Seen,
    TextNow,
    hidden,
    same_number,
    told_states,
)

NOTHING = Detail()


def differences(then: Glimpse, now: Glimpse) -> tuple[Difference, ...]:
    """What an agent should know of: elements on screen that came, went, or have other words, states or values."""
    before, after = _shown(then), _shown(now)
    found = [
        Difference("+", element, now.details.get(key, NOTHING))
        for key, element in after.items()
        if key not in before and _speaks(element)
    ]
    found += [
        Difference("-", element, then.details.get(key, NOTHING))
        for key, element in before.items()
        if key not in after and _speaks(element)
    ]
    for key, element in after.items():
        if key in before:
            was, became = told(then, before[key]), told(now, element)
            if was != became:
                found.append(Difference("~", element, now.details.get(key, NOTHING), was))
    return tuple(found)


def told(glimpse: Glimpse, element: Element) -> str:
    """The words by which two looks at one element are compared."""
    detail = glimpse.details.get(element.key, NOTHING)
    value = "" if detail.value is None or detail.value == element.name else detail.value
    filled = "" if detail.filled is None else ("filled" if detail.filled else "empty")
    # Which element has the focus follows from the action itself.
    states = [state for state in told_states(element) if state != "focused"]
    return " ".join(word for word in (element.name, value, filled, *states) if word)


def _shown(glimpse: Glimpse) -> dict[Key, Element]:
    return {e.key: e for e in glimpse.tree.elements if not hidden(e)}


def _speaks(element: Element) -> bool:
    return bool(element.name) or element.interactive


def arrived(text: str, then: TextNow | None, now: TextNow | None) -> int | None:
    """How many characters of typed text stand before the caret: all, or up to the first that differs.

    None when this field was not typed into.
    """
    if (
        then is None
        or now is None
        or (then.count, then.caret, then.before)
        == (
            now.count,
            now.caret,
            now.before,
        )
    ):
        return None
    if now.before.endswith(text):
        return len(text)
    start = max(0, len(now.before) - (now.caret - then.caret)) if now.caret >= then.caret else 0
    got = now.before[start:]
    same = 0
    for wanted, came in zip(text, got, strict=False):
        if wanted != came:
            break
        same += 1
    return min(same, len(text) - 1)


def holds(element: Seen | None, text: str, now: Glimpse | None) -> bool | None:
    """Whether an element holds what it was set to; None when that cannot be read."""
    if element is None or now is None:
        return None
    key = element.element.key
    found = now.tree.index().get(key)
    detail = now.details.get(key)
    if found is None or found.secret:
        return None
    if found.role in CHECKS:
        return ("checked" in found.states) is (text.strip().casefold() in ON)
    if pick_only(found):
        picked_ = picked(found, below(now.tree, key), now.details)
        return picked_ == text if picked_ is not None else (found.name == text or None)
    if detail is None or detail.value is None:
        return None
    if found.role in NUMBERS:
        return same_number(detail.value, text)
    if detail.length is not None and detail.length > len(detail.value):
        return text.startswith(detail.value) and len(text) == detail.length
    # Some toolkits tell a line end after the last line that nobody wrote.
    return detail.value == text or detail.value == f"{text}\n"
