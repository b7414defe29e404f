"""Which programs keep 16 bits of a character, told by what lies beside them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from slate_desktop.hearing import Hearing
from slate_desktop.model import Desktop
from tests.fakes.ports import desktop, window


def process(proc: Path, pid: int, program: str, *beside: str) -> None:
    """A process whose program lies in its own root."""
    entry = proc / str(pid)
    folder = entry / "root" / Path(program).parent.relative_to("/")
    folder.mkdir(parents=True)
    for name in beside:
        (folder / name).touch()
    (entry / "exe").symlink_to(program)


def told(proc: Path, *pids: int | None) -> list[bool]:
    seen = desktop(*(replace(window(n + 1), pid=pid) for n, pid in enumerate(pids)))
    return [w.halves for w in Hearing(proc).told(seen).windows]


def test_r03_every_program_with_chromiums_snapshot_beside_it_is_one(tmp_path: Path) -> None:
    process(tmp_path, 7, "/usr/lib/chromium/chromium", "v8_context_snapshot.bin")
    process(tmp_path, 8, "/opt/editor/editor", "snapshot_blob.bin")
    process(tmp_path, 9, "/usr/bin/foot", "chromium")
    assert told(tmp_path, 7, 8, 9) == [True, True, False]


def test_r01_an_x_server_hears_keys_only(tmp_path: Path) -> None:
    process(tmp_path, 7, "/usr/bin/Xwayland")
    process(tmp_path, 8, "/usr/bin/foot")
    seen = desktop(*(replace(window(pid), pid=pid) for pid in (7, 8)))
    heard = [w.hears_keys_only for w in Hearing(tmp_path).told(seen).windows]
    assert heard == [True, False]


def test_a_program_that_cannot_be_looked_at_hears_as_most_do(tmp_path: Path) -> None:
    assert told(tmp_path, 404, None) == [False, False]


def test_a_program_is_looked_at_once(tmp_path: Path) -> None:
    process(tmp_path, 7, "/usr/bin/thing", "snapshot_blob.bin")
    seen = desktop(replace(window(1), pid=7))
    hearing = Hearing(tmp_path)
    assert hearing.told(seen).windows[0].halves
    (tmp_path / "7/exe").unlink()
    assert hearing.told(seen).windows[0].halves
    hearing.told(Desktop((), ()))
    assert not hearing.told(seen).windows[0].halves
