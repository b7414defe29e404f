"""A scripted accessibility bus for every test here."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from slate_desktop.geometry import Rect
from slate_desktop.model import Window
from tests.fakes.a11y import A11yBus, a11y_bus
from tests.fakes.ports import window


@pytest.fixture
async def bus() -> AsyncIterator[A11yBus]:
    """The bus."""
    async with a11y_bus() as made:
        yield made


@pytest.fixture
def shown() -> Window:
    """The window of the scripted program, which is this process."""
    return replace(window(2), pid=os.getpid(), title="Editor", rect=Rect(0, 5800, 400, 300))
