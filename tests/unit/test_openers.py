"""Which desk is opened, and what stops one from being opened, before anything is started."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio
import pytest

from slate_desktop import daemon, openers, settings
from slate_desktop.errors import Unavailable
from slate_desktop.headless import runtime

pytestmark = pytest.mark.anyio


@pytest.fixture
def environ(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    run = tmp_path_factory.mktemp("r")
    run.chmod(0o700)
    return {"XDG_RUNTIME_DIR": str(run), "HOME": str(run)}


async def test_without_a_sway_there_is_no_desktop_to_attach_to(environ: dict[str, str]) -> None:
    with pytest.raises(Unavailable) as caught:
        async with openers.attached(environ):
            pass
    assert caught.value.code == "unavailable.compositor"


async def test_without_a_new_enough_sway_the_way_to_get_one_is_named(
    environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runtime, "find_sway", lambda _: None)
    with pytest.raises(Unavailable) as caught:
        async with openers.headless(environ, "1280x800"):
            pass
    assert caught.value.code == "unavailable.sway"
    assert caught.value.next_step == "slate-desktop runtime install"


async def test_what_a_daemon_serves_with_can_be_imported_beside_the_event_loop() -> None:
    await daemon.imported("slate_desktop.mcp_server")


async def test_a_desktop_has_ended_when_its_sway_hangs_up(tmp_path: Path) -> None:
    path = tmp_path / "s"
    ended = anyio.Event()

    async def watch() -> None:
        desk: Any = None
        compositor = settings.Compositor(path, path)
        assert await openers.DeskHeld(desk, (), compositor, None).ended() == "sway"
        ended.set()

    async with await anyio.create_unix_listener(path) as sway, anyio.create_task_group() as tasks:
        tasks.start_soon(watch)
        with anyio.fail_after(5):
            link = await sway.accept()
            await anyio.sleep(0.05)
            assert not ended.is_set()
            await link.aclose()
            await ended.wait()


async def test_a_desktop_whose_sway_is_gone_already_has_ended(tmp_path: Path) -> None:
    desk: Any = None
    gone = settings.Compositor(tmp_path / "s", tmp_path / "w")
    with anyio.fail_after(5):
        assert await openers.DeskHeld(desk, (), gone, None).ended() == "sway"
