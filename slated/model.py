"""Words shared by everything that asks for permission: tier, verdict and grant."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, StrEnum


class Tier(IntEnum):
    """How much trust an intent needs; a higher number is stricter, so `max` grades a group."""

    OBSERVE = 0
    REVERSIBLE = 1
    CONFIRM = 2

    @property
    def word(self) -> str:
        """The name used in replies and logs."""
        return self.name.lower()


class Verdict(StrEnum):
    """What the gate says to an intent."""

    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


@dataclass(frozen=True, slots=True)
class Grant:
    """Permission for exactly one intent, used once. Only a gate makes one (held by tests/unit/test_tree.py).

    `digest` is the digest of the intent it was given for; `serial` makes each grant of a gate's life distinct.
    """

    digest: str
    tier: Tier
    serial: int
