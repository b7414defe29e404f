"""Redaction of values before they are serialised: here a key says what its value is, however plain it looks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from slated.redact.shapes import SECRET_NAME
from slated.redact.text import mask, redact

_NAME_KEYS = ("key", "name", "field", "label", "id")
_VALUE_KEYS = ("value", "val", "content")
_DEEPEST = 64


def redact_value(value: object, *, pii: bool = False, known: Sequence[str] = ()) -> object:
    """A copy of a JSON-like value with secrets masked in every string, key and named field.

    A string under a secret-sounding key is masked whole, and so is the value of a pair of fields such as
    `{"key": "password", "value": …}`. Raises ValueError when nested deeper than 64.
    """
    return _walk(value, pii, known, 0)


def _walk(value: object, pii: bool, known: Sequence[str], depth: int) -> object:
    if depth > _DEEPEST:
        raise ValueError("nested too deeply to be redacted")
    if isinstance(value, str):
        return redact(value, pii=pii, known=known)
    if isinstance(value, Mapping):
        return _mapping(value, pii, known, depth)
    if isinstance(value, (list, tuple)):
        return [_walk(one, pii, known, depth + 1) for one in value]
    return value


def _mapping(
    value: Mapping[object, object], pii: bool, known: Sequence[str], depth: int
) -> dict[object, object]:
    paired = any(_names_secret(value.get(key)) for key in _NAME_KEYS)
    out: dict[object, object] = {}
    for key, inner in value.items():
        secret = _names_secret(key) or (paired and key in _VALUE_KEYS)
        shown = redact(key, pii=pii, known=known) if isinstance(key, str) else key
        if secret and isinstance(inner, (str, bytes)) and inner:
            out[shown] = mask("secret")
        else:
            out[shown] = _walk(inner, pii, known, depth + 1)
    return out


def _names_secret(key: object) -> bool:
    return isinstance(key, str) and len(key) <= 128 and SECRET_NAME.search(key) is not None
