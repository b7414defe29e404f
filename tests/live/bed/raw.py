"""Runs inside a terminal: takes the tty raw and appends every byte that arrives to a file, at
once.

`python -m tests.live.bed.raw FILE [TEXT]`: the terminal shows the file TEXT first. The file
exists, empty, once it is ready. It ends when the terminal does.
"""

from __future__ import annotations

import os
import sys
import tty
from pathlib import Path


def main(path: str, shown: str | None = None) -> None:
    """Copy the terminal's input to `path` until it ends."""
    if shown is not None:
        print(Path(shown).read_text(encoding="utf-8"), flush=True)
    terminal = sys.stdin.fileno()
    tty.setraw(terminal)
    record = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    while data := os.read(terminal, 4096):
        os.write(record, data)


if __name__ == "__main__":
    main(*sys.argv[1:])
