"""The tools an agent is given: one module per family, one list of ToolSpecs each."""

from __future__ import annotations

from slate_desktop.tools import batch
from slated.toolspec import ToolSpec

ALL: tuple[ToolSpec, ...] = (*batch.STEPPED.values(), *batch.TOOLS)
"""Every tool, in the order in which they are listed."""
