"""Which sway the tests run on, or why there is none."""

from __future__ import annotations

from slate_desktop.headless.program import SwayProgram
from slate_desktop.headless.runtime import find_sway
from slate_desktop.settings import data_home, environment


def find() -> SwayProgram | str:
    """The sway to use, or why there is none."""
    missing = "there is no sway 1.12 or newer here: `slate-desktop runtime install` fetches one"
    return find_sway(data_home(environment())) or missing
