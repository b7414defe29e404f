"""A sway that can be started: how to call it, what it needs, how new it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

WANTED = (1, 12)  # the first version with capture of single windows


@dataclass(frozen=True, slots=True)
class SwayProgram:
    """How to call sway (`argv`) and its client (`swaymsg`), with `env` on top of any other."""

    argv: tuple[str, ...]
    env: Mapping[str, str]
    version: tuple[int, int]
    source: Literal["system", "private"]
    swaymsg: tuple[str, ...] = field(default=())
