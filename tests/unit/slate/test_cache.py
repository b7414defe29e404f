"""What is known of a slate's file."""

from __future__ import annotations

from slated.files import Signature
from slated.slate.cache import Cache, Known
from slated.slate.seeds import Slate


def known(slate_id: str, size: int) -> Known:
    return Known(Signature(1, size, 2), Slate(slate_id, None, {}, (), "2026-08-21T17:46:48Z"), b"")


def test_the_last_that_was_kept_is_known_until_it_is_forgotten() -> None:
    cache = Cache()
    assert cache.of("a") is None
    cache.keep(known("a", 1))
    cache.keep(known("b", 2))
    cache.keep(known("a", 3))
    assert cache.of("a") == known("a", 3)
    cache.forget("a")
    cache.forget("a")
    assert cache.of("a") is None
    assert cache.of("b") == known("b", 2)
