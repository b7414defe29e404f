"""Secrets of every shape, made at run time from parts so that no scanner trips over this file."""

from __future__ import annotations

import random
import string
from collections.abc import Callable

ALNUM = string.ascii_letters + string.digits


def run_of(dice: random.Random, length: int, letters: str = ALNUM) -> str:
    """Random letters with at least one digit and one letter in them."""
    while True:
        made = "".join(dice.choice(letters) for _ in range(length))
        if any(one.isdigit() for one in made) and any(one.isalpha() for one in made):
            return made


def key_block(dice: random.Random, kind: str = "RSA ", end: str = "\n") -> str:
    """A private key block."""
    body = end.join(run_of(dice, 64, ALNUM + "+/") for _ in range(6))
    return (
        f"-----BEGIN {kind}PRIVATE "
        + f"KEY-----{end}{body}{end}-----END {kind}PRIVATE "
        + "KEY-----"
    )


def _web_token(dice: random.Random) -> str:
    return "ey" + "J" + run_of(dice, 20) + ".ey" + "J" + run_of(dice, 40) + "." + run_of(dice, 43)


# Shape → maker. What it returns must be gone from the redacted text, whatever stands around it.
SHAPES: dict[str, Callable[[random.Random], str]] = {
    "aws": lambda dice: "AK" + "IA" + run_of(dice, 16, string.ascii_uppercase + string.digits),
    "aws session": lambda dice: (
        "AS" + "IA" + run_of(dice, 16, string.ascii_uppercase + string.digits)
    ),
    "github": lambda dice: "gh" + dice.choice("pousr") + "_" + run_of(dice, 36),
    "github fine": lambda dice: "github_" + "pat_" + run_of(dice, 22) + "_" + run_of(dice, 59),
    "google": lambda dice: "AI" + "za" + run_of(dice, 35),
    "slack": lambda dice: "xo" + "x" + dice.choice("bapr") + "-" + run_of(dice, 24),
    "stripe": lambda dice: (
        dice.choice("sr") + "k_" + dice.choice(("live", "test")) + "_" + run_of(dice, 24)
    ),
    "openai": lambda dice: "s" + "k-" + dice.choice(("", "proj-", "ant-")) + run_of(dice, 40),
    "gitlab": lambda dice: "gl" + "pat-" + run_of(dice, 20),
    "npm": lambda dice: "np" + "m_" + run_of(dice, 36),
    "web token": _web_token,
    "key block": key_block,
}
