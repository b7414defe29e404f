"""`slate hook install` and `uninstall`: our hooks and servers in the settings of agent programs, and out of them."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from slated.agents import claude_settings, codex_config, edits
from slated.agents.codex_trust import trust
from slated.agents.edits import Edit
from slated.agents.own import Own
from slated.errors import Unavailable
from slated.wire import control

PROGRAMS: Final = (claude_settings.PROGRAM, codex_config.PROGRAM)


def run(environ: Mapping[str, str], what: str, program: str, *, dry: bool) -> int:
    """Install or uninstall the hooks of a program, or say what that would change. The exit code."""
    mine = Own(sys.executable, control.daemon_of(environ).socket)
    planned = _plan(environ, what, program, mine)
    if dry:
        _say(
            [f"would change {edit.path}" for edit in planned if edit.changes],
            "nothing would change",
        )
        return 0
    _say(edits.apply(planned), "nothing to change")
    if what == "install" and program == codex_config.PROGRAM:
        _trust(environ, mine)
    return 0


def _say(lines: list[str], otherwise: str) -> None:
    print("\n".join(lines) or otherwise)


def _plan(environ: Mapping[str, str], what: str, program: str, mine: Own) -> list[Edit]:
    config = _config(environ, program)
    if program == claude_settings.PROGRAM:
        place = claude_settings.Place(config, config)
        claude = what == "install"
        return claude_settings.installed(place, mine) if claude else claude_settings.removed(place)
    where = codex_config.Place(config, config)
    return codex_config.installed(where, mine) if what == "install" else codex_config.removed(where)


def _config(environ: Mapping[str, str], program: str) -> Path:
    """The directory where a program looks for its settings: as it would, by the environment."""
    variable = {"claude": "CLAUDE_CONFIG_DIR", "codex": "CODEX_HOME"}[program]
    home = Path(environ.get("HOME") or os.path.expanduser("~"))
    return Path(environ.get(variable) or home / f".{program}").absolute()


def _trust(environ: Mapping[str, str], mine: Own) -> None:
    found = shutil.which("codex", path=environ.get("PATH", ""))
    if found is None:
        raise Unavailable(
            "codex",
            "the hooks are in, but codex is not in PATH to be told to trust them.",
            next_step="install codex and run this again, or trust them in codex with /hooks",
        )
    count = trust(found, _config(environ, codex_config.PROGRAM), mine, environ)
    if count != len(codex_config.EVENTS):
        raise Unavailable(
            "codex",
            f"Codex trusts {count} of {len(codex_config.EVENTS)} hooks.",
            next_step="trust the others in codex with /hooks",
        )
    print(f"codex trusts the {count} hooks")
