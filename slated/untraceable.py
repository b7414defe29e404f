"""Keeps other programs of the same user from tracing this process and from reading its memory."""

from __future__ import annotations

import ctypes
from typing import Final

from slated.errors import Unavailable

_PR_GET_DUMPABLE: Final = 3
_PR_SET_DUMPABLE: Final = 4


def become() -> None:
    """From now on nobody without privileges may attach to us. Raises `unavailable.untraceable`."""
    if ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0) != 0:
        raise Unavailable("untraceable", "the system does not let this process be untraceable.")


def is_so() -> bool:
    """Whether this process is untraceable."""
    return bool(ctypes.CDLL(None).prctl(_PR_GET_DUMPABLE, 0, 0, 0, 0) == 0)
