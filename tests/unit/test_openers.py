"""Which desk is opened, and what stops one from being opened, before anything is started."""

from __future__ import annotations

import pytest

from slate_desktop import daemon, openers
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
