"""What the surroundings say: environment and directories of the conscience. The only reader of os.environ here."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from slated.wire import places

POLICY_FILE = "policy.toml"
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
"""Where a command name is looked up; an agent's own PATH counts for nothing."""


@dataclass(frozen=True, slots=True)
class Directories:
    """Where everything of one slated is. `home` and `policy` are those of the password database's user, always."""

    home: Path
    policy: Path
    runtime: Path
    state: Path
    audit: Path

    @property
    def undo(self) -> Path:
        """Marks and copies of what can be undone; one writer each, as the log."""
        return self.state / self.audit.name.replace("audit", "undo", 1)


def environment() -> Mapping[str, str]:
    """This process's environment, as it is now."""
    return dict(os.environ)


def directories(environ: Mapping[str, str]) -> Directories:
    """The directories; `runtime` and `state` are made if need be.

    Rules and home do not follow the environment: whoever starts us first, an agent too, would choose them. A runtime
    directory of its own (a desktop without a screen, a test) has a log of its own, since a log has one writer.
    """
    uid = os.getuid()
    home = Path(places.home(environ, uid))
    runtime = Path(places.runtime_directory(environ, uid))
    usual = runtime == Path(f"{places.RUN_USER}/{uid}/slate")
    state = Path(places.state_directory({} if usual else environ, uid))
    name = "audit" if usual else f"audit-{hashlib.sha256(os.fsencode(runtime)).hexdigest()[:8]}"
    return Directories(home, home / ".config/slate" / POLICY_FILE, runtime, state, state / name)
