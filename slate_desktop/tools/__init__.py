"""The tools an agent is given: one module per family, one list of ToolSpecs each."""

from __future__ import annotations

from slate_desktop.tools import (
    batch,
    clipboard,
    elements,
    keyboard,
    look,
    pointer,
    status,
    wait,
    windows,
)
from slated.toolspec import ToolSpec

ALL: tuple[ToolSpec, ...] = (
    *windows.TOOLS,
    *elements.TOOLS,
    *look.TOOLS,
    *wait.TOOLS,
    *pointer.TOOLS,
    *keyboard.TOOLS,
    *clipboard.TOOLS,
    *status.TOOLS,
    *batch.TOOLS,
)
"""Every tool, in the order in which they are listed."""
