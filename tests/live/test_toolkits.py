"""What applications of each toolkit get from an agent, while a person types elsewhere; all of them: `make matrix`."""

from __future__ import annotations

import pytest

from tests.live.bed.stage import Stage
from tests.matrix.toolkits import row
from tests.matrix.trials import SEAT0

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.usefixtures("daemon"),
    pytest.mark.timeout(180),
]

# Of the table, what other live tests do not show of a toolkit.
SHOWN = {
    "Chromium app": ("type Unicode", "chord", "popup located", "drag and drop"),
    "GTK 3 on X11": ("type ASCII", "type Unicode", "chord", "scroll both axes", "popup located"),
    "xterm": ("type Unicode", "right click", "scroll both axes"),
    "Qt 5": ("click", "type Unicode", "drag and drop"),
    "Qt 6": ("click element",),  # Qt 5 on Wayland has no tree in Debian 13
    "foot": ("clipboard paste", "scroll both axes"),
    "SDL 2": ("double click", "chord", "capture hidden"),
}


@pytest.mark.promise("person-untouched")
@pytest.mark.parametrize("kind", SHOWN)
async def test_r01_r03_r30_an_application_gets_what_was_meant_for_it(
    stage: Stage, kind: str
) -> None:
    columns = [*SHOWN[kind], SEAT0]
    assert await row(stage, kind, columns) == dict.fromkeys(columns, "yes")
