"""A daemon that only greets, for tests of starting and reaching one: `python doorman.py SOCKET [--fail]`."""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
from pathlib import Path

import anyio

sys.path.insert(0, str(Path(__file__).parents[2]))

from slated.wire.serve import Connection, Door, alone, listening


async def _until_they_leave(connection: Connection) -> None:
    try:
        async for _ in connection.stream:
            pass
    except anyio.BrokenResourceError:
        return


async def _serve(socket: str, version: str, ready_fd: int | None) -> None:
    door = Door(version=version)
    async with alone(socket), listening(socket) as listener, anyio.create_task_group() as tasks:
        _tell(ready_fd, {"ready": True})
        tasks.start_soon(door.serve, listener, _until_they_leave)
        await door.leaving.wait()
        tasks.cancel_scope.cancel()


def _tell(ready_fd: int | None, what: dict[str, object]) -> None:
    if ready_fd is not None:
        os.write(ready_fd, json.dumps(what).encode() + b"\n")
        os.close(ready_fd)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("socket")
    parser.add_argument("--version", default="0.1.0")
    parser.add_argument("--fail", action="store_true")
    parser.add_argument("--ready-fd", type=int)
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    print("a line of output", flush=True)
    if given.fail:
        failure = {
            "code": "unavailable.compositor",
            "message": "no sway answers.",
            "next": "start sway",
        }
        _tell(given.ready_fd, {**failure})
        sys.exit(1)
    anyio.run(_serve, given.socket, given.version, given.ready_fd)


if __name__ == "__main__":
    main()
