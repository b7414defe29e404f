"""What is found on a real sway, without anything being changed."""

from __future__ import annotations

import pytest

from slate_desktop.desk import accessible, missing_protocols
from tests.live.bed.stage import Stage

pytestmark = pytest.mark.anyio


async def test_a_new_enough_sway_has_every_protocol(stage: Stage) -> None:
    assert await missing_protocols(stage.session.wayland_socket) == {}


async def test_a_bus_that_can_start_accessibility_is_known_by_it(stage: Stage) -> None:
    assert await accessible(stage.env["DBUS_SESSION_BUS_ADDRESS"])
