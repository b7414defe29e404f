"""A daemon over the fake desktop: `python daemon.py SOCKET [--version V] [--linger S] [--fail]
[--ready-fd N]`.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import anyio

sys.path.insert(0, str(Path(__file__).parents[2]))

from slate_desktop import __version__, daemon
from slate_desktop.errors import Unavailable
from slated.toolspec import ToolSpec
from slated.wire.peer import Peer
from tests.fakes.desktop import REGISTRY, Ledger


class FakeDesk:
    """Serves the fake tools; every lease is a ledger. What leases did is kept in the file `ledger`
    names.
    """

    registry: Sequence[ToolSpec] = REGISTRY

    def __init__(self, ledger: Path) -> None:
        self._ledger = ledger

    @asynccontextmanager
    async def lease(self, peer: Peer) -> AsyncIterator[Ledger]:
        ledger = Ledger()
        try:
            yield ledger
        finally:
            with self._ledger.open("a") as out:
                out.write(f"lease over, held {sorted(ledger.held)}, did {ledger.log}\n")

    async def occupied(self) -> bool:
        return False

    async def ended(self) -> str:
        await anyio.sleep_forever()
        return ""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("socket")
    parser.add_argument("--version", default=__version__)
    parser.add_argument("--linger", type=float)
    parser.add_argument("--fail", action="store_true")
    parser.add_argument("--ready-fd", type=int)
    given = parser.parse_args()
    print("a module that prints while it is imported")
    daemon.prepare()

    @asynccontextmanager
    async def opener() -> AsyncIterator[FakeDesk]:
        if given.fail:
            raise Unavailable("compositor", "no sway answers.", next_step="start sway")
        await daemon.imported("slate_desktop.mcp_server")
        yield FakeDesk(Path(given.socket + ".ledger"))

    async def run() -> int:
        return await daemon.run(
            given.socket,
            opener,
            version=given.version,
            linger_s=given.linger,
            ready_fd=given.ready_fd,
        )

    os._exit(anyio.run(run))


if __name__ == "__main__":
    main()
