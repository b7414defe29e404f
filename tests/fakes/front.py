"""A front that starts the fake daemon when there is none: `python front.py NAME [argument of the
daemon ...]`.
"""

from __future__ import annotations

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

from slated.wire import front, start

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def the_daemon(
    name: str,
    extra: list[str],
    version: str,
    environ: Mapping[str, str],
    program: str = "daemon.py",
) -> start.Daemon:
    """The fake daemon of that name, with its socket where the environment says."""
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), program)
    daemon = start.Daemon(name, version=version, command=[], environ=environ)
    python = environ.get("PYTHON", sys.executable)
    daemon.command = [python, program, daemon.socket, "--version", version, *extra]
    return daemon


if __name__ == "__main__":
    front.main(lambda env: the_daemon(sys.argv[1], sys.argv[2:], env.get("VERSION", "0.1.0"), env))
