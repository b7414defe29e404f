"""Makes the fields of a record fit to be kept: secrets out, long texts cut, a keyed digest for what was taken out."""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from collections.abc import Collection, Mapping

from slated import files
from slated.errors import Unavailable
from slated.redact import redact, redact_value

SUMMARY_CHARACTERS = 400
FIELD_CHARACTERS = 2_000
KEY_FILE = "digest-key"
_KEY_BYTES = 32


class Scribe:
    """Redacts for the log. `key` makes digests that cannot be guessed back, but can be compared."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def text(self, text: str, *, limit: int = FIELD_CHARACTERS) -> str:
        """A text without secrets, at most `limit` characters of it, and how many more there were."""
        kept = redact(text)
        return kept if len(kept) <= limit else f"{kept[:limit]}… (+{len(kept) - limit})"

    def summary(
        self, arguments: Mapping[str, object], *, withhold: Collection[str] = ()
    ) -> dict[str, str]:
        """`summary` of a call's arguments, and `digest` (HMAC-SHA256 of all of them) when it leaves something out.

        Of the arguments in `withhold` no value is told at all.
        """
        whole = _json(arguments)
        told = {name: "withheld" if name in withhold else arguments[name] for name in arguments}
        kept = _json(_masked(told))
        if kept == whole and len(kept) <= SUMMARY_CHARACTERS:
            return {"summary": kept}
        cut = f"{kept[:SUMMARY_CHARACTERS]}…" if len(kept) > SUMMARY_CHARACTERS else kept
        return {"summary": cut, "digest": self.digest(whole)}

    def digest(self, text: str) -> str:
        """A keyed digest: equal for equal texts of this machine, and of no use to guess a short secret."""
        mac = hmac.new(self._key, text.encode("utf-8", "surrogatepass"), hashlib.sha256)
        return f"hmac:{mac.hexdigest()}"


def _masked(arguments: Mapping[str, object]) -> object:
    try:
        return redact_value(arguments)
    except ValueError:  # nested too deeply
        return {"withheld": "nested too deeply"}


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, default=str)


def key_of(directory: int) -> bytes:
    """The key for digests, made once, in the directory held by descriptor."""
    files.create_file(directory, KEY_FILE, secrets.token_bytes(_KEY_BYTES))
    key = files.read_file(directory, KEY_FILE, limit=_KEY_BYTES)
    if key is None or len(key) != _KEY_BYTES:
        raise Unavailable("audit", "the key for digests is damaged.", next_step="remove it")
    return key
