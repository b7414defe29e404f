"""A connection to slated for a hook that found none: started, or of our version again. Standard library only."""

from __future__ import annotations

import os
import sys

from slated.errors import Unavailable
from slated.wire import control, reach, start

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket


def wake(path: str, deadline_s: float) -> socket.socket:
    """A greeted connection to the slated of the socket at `path`; each wait on it ends after `deadline_s`.

    Raises `unavailable.daemon` and what else `reach` raises.
    """
    runtime = os.path.dirname(os.path.dirname(path))
    daemon = control.daemon_of({**start.surroundings(), "XDG_RUNTIME_DIR": runtime})
    if daemon.socket != path:
        raise Unavailable(
            "daemon", f"slated's socket is {daemon.socket}, the hook was registered with {path}.",
            next_step="run `slate hook install` again",
        )  # fmt: skip
    link = reach.reach(daemon, say=_say)
    link.settimeout(deadline_s)
    return link


def _say(text: str) -> None:
    sys.stderr.write(f"slate: {text}\n")
