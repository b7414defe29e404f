"""Effects: the records that programs' handlers speak in."""

from __future__ import annotations

from slated.policy.effects import Deed, Touch, touches
from slated.policy.words import plain


def test_the_same_deed_is_done_to_each_word() -> None:
    assert touches(Deed.READ, [plain("a"), plain("b")], recursive=True) == [
        Touch(Deed.READ, plain("a"), recursive=True),
        Touch(Deed.READ, plain("b"), recursive=True),
    ]
