"""Terminals without processes: who reads them is what a test says."""

from __future__ import annotations

from dataclasses import dataclass, field

from slate_desktop.model import Foreground


@dataclass
class FakeTerminals:
    """Who reads the terminals of processes: what `readers` says; other processes hold none."""

    readers: dict[int, Foreground] = field(default_factory=dict)

    async def look(self, pid: int) -> Foreground | None:
        return self.readers.get(pid)
