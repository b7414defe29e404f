"""Words of the screen made safe to print: one JSON string each, so that no title can forge a line of ours. Pure."""

from __future__ import annotations

import json
import unicodedata

LIMIT = 80

# Control and format characters (zero width, bidi), surrogates, private and unassigned ones,
# line and paragraph separators.
_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def quote(text: str, limit: int = LIMIT) -> str:
    """`text` as a JSON string: hidden characters escaped, cut at `limit` characters with the rest counted."""
    kept = "".join(_visible(c) for c in text[:limit])
    rest = f" +{len(text) - limit}" if len(text) > limit else ""
    return f'"{kept}"{rest}'


def _visible(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    hidden = unicodedata.category(character) in _HIDDEN or (
        character.isspace() and character != " "
    )
    return json.dumps(character)[1:-1] if hidden else character
