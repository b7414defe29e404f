"""Text around the caret of widgets: what typing is read back from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from slate_desktop.atspi.link import Ask, Link, value
from slate_desktop.atspi.words import PROPERTIES, TEXT
from slate_desktop.elements import Key, TextNow


async def ask_texts(
    link: Link, keys: Sequence[Key], near: int, deadline: float
) -> Mapping[Key, TextNow]:
    """The text before the caret of widgets, `near` characters of it; those without text are left out."""
    asks = [
        Ask(key.bus, key.path, PROPERTIES, "Get", "ss", (TEXT, name))
        for key in keys
        for name in ("CharacterCount", "CaretOffset")
    ]
    numbers = [value(answer) for answer in await link.all(asks, deadline)]
    places = {
        key: (numbers[2 * i], numbers[2 * i + 1])
        for i, key in enumerate(keys)
        if isinstance(numbers[2 * i], int) and isinstance(numbers[2 * i + 1], int)
    }
    asks = [
        Ask(key.bus, key.path, TEXT, "GetText", "ii", (max(0, caret - near), max(0, caret)))
        for key, (_, caret) in places.items()
    ]
    answers = await link.all(asks, deadline)
    return {
        key: TextNow(count, caret, str(value(answer) or ""))
        for (key, (count, caret)), answer in zip(places.items(), answers, strict=True)
    }
