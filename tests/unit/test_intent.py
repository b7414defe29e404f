"""An intent's digest binds everything that decides what would happen."""

from __future__ import annotations

from dataclasses import replace

import pytest

from slate_desktop.geometry import Point, Size
from slate_desktop.intent import (
    Aim,
    Click,
    FrameSighting,
    Intent,
    ScreenSighting,
    TypeText,
    WindowSighting,
)
from slate_desktop.model import Button
from slated.model import Tier
from tests.fakes.ports import desktop, window

SEEN = WindowSighting("w1", window(2))
INTENT = Intent(
    "desktop_click", Tier.REVERSIBLE, Click(), Aim(SEEN, Point(3, 4)), arguments={"x": 3}
)


def test_the_same_intent_has_the_same_digest() -> None:
    again = Intent(
        "desktop_click", Tier.REVERSIBLE, Click(), Aim(SEEN, Point(3, 4)), arguments={"x": 3}
    )
    assert again.digest == INTENT.digest


@pytest.mark.parametrize(
    "other",
    [
        replace(INTENT, tool="desktop_move"),
        replace(INTENT, action=Click(Button.RIGHT)),
        replace(INTENT, action=Click(count=2)),
        replace(INTENT, action=TypeText("x")),
        replace(INTENT, aim=Aim(SEEN, Point(3, 5))),
        replace(INTENT, aim=Aim(WindowSighting("w1", window(3)), Point(3, 4))),
        replace(INTENT, aim=Aim(ScreenSighting(desktop()), Point(3, 4))),
        replace(
            INTENT,
            aim=Aim(
                FrameSighting("f1", None, Size(9, 9), 1.0, Point(0, 0), desktop()), Point(3, 4)
            ),
        ),
        replace(INTENT, aim=None),
        replace(INTENT, arguments={"x": 4}),
    ],
)
def test_anything_that_changes_what_would_happen_changes_the_digest(other: Intent) -> None:
    assert other.digest != INTENT.digest
