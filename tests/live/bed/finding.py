"""Which sway the tests run on, or why there is none; which programs are missing."""

from __future__ import annotations

import shutil

from slate_desktop.headless.program import SwayProgram
from slate_desktop.headless.runtime import find_sway
from slate_desktop.settings import data_home, environment


class Missing(Exception):
    """A program the test needs is not on this machine."""


def need(program: str, path: str) -> None:
    """Raise Missing unless the program is on that path."""
    if shutil.which(program, path=path) is None:
        raise Missing(
            f"{program} is not installed here: scripts/packages.txt lists what tests need"
        )


def find() -> SwayProgram | str:
    """The sway to use, or why there is none."""
    missing = "there is no sway 1.12 or newer here: `slate-desktop runtime install` fetches one"
    return find_sway(data_home(environment())) or missing
