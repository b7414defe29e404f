"""Where heads of the log are told to others: a file beside it, and the system journal where there is one."""

from __future__ import annotations

import json
import os
import socket
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Final, Protocol

from slated import files
from slated.audit.lines import Anchor, anchor_of, anchor_record
from slated.errors import Unavailable

JOURNAL_SOCKET: Final = "/run/systemd/journal/socket"
JOURNALCTL: Final = "/usr/bin/journalctl"
SIDE_FILE: Final = "anchors"
_IDENTIFIER: Final = "slate-audit"
_READ_S: Final = 20.0
_SIDE_LIMIT: Final = 64 << 20


class Witness(Protocol):
    """Somebody who is told anchors and can repeat them."""

    def put(self, anchor: Anchor) -> bool:
        """Tell it; whether it took it."""
        ...

    def read(self) -> list[Anchor] | None:
        """All it was told, oldest first; None when it cannot be asked."""
        ...


class SideFile:
    """A file beside the log. It shows accidents; who can rewrite the log can rewrite it too."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def put(self, anchor: Anchor) -> bool:
        with files.opened(self._directory, create=False) as handle:
            try:
                files.cut_torn_tail(handle, SIDE_FILE)
                files.append_line(handle, SIDE_FILE, json.dumps(anchor_record(anchor)).encode())
            except Unavailable:
                return False
        return True

    def read(self) -> list[Anchor] | None:
        with files.opened(self._directory, create=False) as handle:
            data = files.read_file(handle, SIDE_FILE, limit=_SIDE_LIMIT)
        return None if data is None else _anchors(data.splitlines())


class Journal:
    """The system journal: its files belong to root, so what stands there stays. The log's directory is the key.

    Anybody of the same user can add false anchors, which makes a good log look bad and never a bad one good.
    """

    def __init__(
        self,
        directory: Path,
        *,
        to: str = JOURNAL_SOCKET,
        reader: str = JOURNALCTL,
    ) -> None:
        self._directory = str(directory)
        self._to = to
        self._reader = reader

    def put(self, anchor: Anchor) -> bool:
        message = json.dumps({**anchor_record(anchor), "directory": self._directory})
        fields = f"SYSLOG_IDENTIFIER={_IDENTIFIER}\nPRIORITY=6\nMESSAGE={message}\n"
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as link:
            link.setblocking(False)
            try:
                link.sendto(fields.encode(), self._to)
            except OSError:
                return False
        return True

    def read(self) -> list[Anchor] | None:
        if not os.access(self._reader, os.X_OK) or not os.path.exists(self._to):
            return None
        wanted = [f"SYSLOG_IDENTIFIER={_IDENTIFIER}", f"_UID={os.getuid()}"]
        with suppress(OSError, subprocess.TimeoutExpired):
            done = subprocess.run(
                [self._reader, "--output=cat", "--no-pager", "--quiet", *wanted],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_READ_S,
                check=False,
                env={"PATH": "/usr/bin:/bin"},
            )
            if done.returncode == 0:
                return _anchors(done.stdout.splitlines(), self._directory)
        return None


class Anchors:
    """All witnesses of one log, told together; a head is told once."""

    def __init__(self, *witnesses: Witness) -> None:
        self._witnesses = witnesses
        self._last: Anchor | None = None

    def put(self, anchor: Anchor) -> None:
        """Tell every witness. One that does not listen makes the log less sure, not unusable."""
        if self._last is not None and self._last.head == anchor.head:
            return
        for witness in self._witnesses:
            witness.put(anchor)
        self._last = anchor


def _anchors(lines: list[bytes], directory: str | None = None) -> list[Anchor]:
    found = []
    for line in lines:
        try:
            record = json.loads(line)
        except ValueError:
            continue
        anchor = anchor_of(record)
        if anchor is not None and (directory is None or record.get("directory") == directory):
            found.append(anchor)
    return found
