"""What stops the strokes of an agent's seat: lock screens, launchers, reloads, and the compositor's end."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import AsyncIterator, Awaitable, Callable

import anyio
import pytest

from slate_desktop.headless.program import SwayProgram
from slate_desktop.keys import parse_chord, text_bursts
from slated.errors import SlateError, Unavailable
from tests.live.bed import stage as stages
from tests.live.bed.arms import armed, heard
from tests.live.bed.patience import until
from tests.live.bed.stage import Stage

pytestmark = pytest.mark.anyio


@pytest.fixture
async def own_stage(sway_program: SwayProgram) -> AsyncIterator[Stage]:
    """A session of its own, for what would hurt the other tests."""
    async with stages.staged(sway_program) as stage:
        yield stage


async def refused(call: Callable[[], Awaitable[None]]) -> str:
    """The code with which a call is refused."""
    with pytest.raises(SlateError) as caught:
        await call()
    return caught.value.code


async def test_a_lock_screen_gets_no_key_of_ours(own_stage: Stage) -> None:
    async with armed(own_stage) as arms:
        ours = await own_stage.window("bed.ours")
        handle = arms.handle("bed.ours")
        await arms.type("bed.ours", "a")
        await own_stage.start(["swaylock", "--no-unlock-indicator"])
        await until(lambda: not arms.hands.focused(handle), "the lock has taken the keyboard")
        code = await refused(lambda: arms.hands.keys(handle, text_bursts("secret\n")[0]))
        assert code == "unavailable.person_prompt"
        assert not await arms.hands.focus(handle)
        assert await heard(ours, arms) == "a"


async def test_a_launcher_gets_no_key_of_ours_and_stays_open(own_stage: Stage) -> None:
    async with armed(own_stage) as arms:
        ours = await own_stage.window("bed.ours")
        handle = arms.handle("bed.ours")
        await arms.type("bed.ours", "a")
        launcher = await own_stage.start(["fuzzel", "--no-icons"])
        await until(lambda: own_stage.sway.focus() == 0, "the launcher has taken the keyboard")
        await until(lambda: not arms.hands.focused(handle), "and we know")
        code = await refused(lambda: arms.hands.keys(handle, text_bursts("b\n")[0]))
        assert code == "unavailable.person_prompt"
        await arms.hands.rest()
        await anyio.sleep(0.2)
        assert launcher.returncode is None
        assert own_stage.sway.focus() == 0
        launcher.terminate()
        await launcher.wait()
        await arms.type("bed.ours", "c")
        assert await heard(ours, arms) == "ac"


async def test_a_reload_stops_the_strokes_leaves_the_person_alone_and_passes(
    own_stage: Stage,
) -> None:
    async with armed(own_stage) as arms:
        ours = await own_stage.window("bed.ours")
        handle = arms.handle("bed.ours")
        assert await arms.hands.focus(handle)
        async with anyio.create_task_group() as tasks:

            async def hold() -> None:
                code = await refused(
                    lambda: arms.hands.keys(handle, parse_chord("ctrl+x"), hold_s=5)
                )
                assert code == "unavailable.compositor"

            tasks.start_soon(hold)
            await anyio.sleep(0.1)
            own_stage.sway.run("reload")
        devices = own_stage.sway.seats()["seat0"]["devices"]
        assert [d["name"] for d in devices if "virtual" in d["name"]] == []
        await ours.ask("forget")
        await arms.type("bed.ours", "after")
        assert await heard(ours, arms) == "after"


async def test_a_compositor_that_dies_is_unavailable_at_once(own_stage: Stage) -> None:
    async with armed(own_stage) as arms:
        await own_stage.window("bed.ours")
        handle = arms.handle("bed.ours")
        async with anyio.create_task_group() as tasks:

            async def hold() -> None:
                with pytest.raises(Unavailable) as caught:
                    await arms.hands.keys(handle, parse_chord("ctrl+x"), hold_s=5)
                assert caught.value.code == "unavailable.compositor"

            tasks.start_soon(hold)
            await anyio.sleep(0.1)
            started = time.monotonic()
            os.kill(own_stage.session.sway_pid, signal.SIGKILL)
        assert time.monotonic() - started < 1
