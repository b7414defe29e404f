"""Which drawn window is meant, and what is said when nobody can tell."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio.abc import SocketStream

from slate_desktop.filtered import witness_socket
from slate_desktop.geometry import Point, Rect
from slate_desktop.model import Desktop, Drawn, Handle, Place, Window, WindowId
from slate_desktop.witness import FilterWitness

pytestmark = pytest.mark.anyio


def window(id_: int, title: str = "a", *, sandbox: str | None = "L1") -> Window:
    return Window(
        WindowId(id_),
        Handle(f"h{id_}"),
        title,
        "app",
        7,
        Rect(0, 0, 400, 300),
        Place.BACKGROUND,
        "agent",
        "HEADLESS-2",
        sandbox=sandbox,
    )


def seen(order: int, title: str = "a", x: int = 0, *popups: list[int]) -> dict[str, Any]:
    return {
        "order": order,
        "title": title,
        "app_id": "app",
        "content": [x, 0],
        "size": None,
        "popups": list(popups),
        "pid": 100 + order,
    }


@asynccontextmanager
async def telling(directory: Path, told: bytes, *, after_s: float = 0) -> AsyncIterator[None]:
    """A filter that answers every question with `told`."""

    async def answer(stream: SocketStream) -> None:
        async with stream:
            await anyio.sleep(after_s)
            await stream.send(told)

    async with (
        await anyio.create_unix_listener(witness_socket(directory, "L1")) as listener,
        anyio.create_task_group() as tasks,
    ):
        tasks.start_soon(listener.serve, answer)
        yield
        tasks.cancel_scope.cancel()


async def drawn(directory: Path, one: Window, *others: Window) -> Drawn | None:
    return await FilterWitness(directory).drawn(Desktop((one, *others), ()), one)


async def test_a_window_is_told_with_its_menus(tmp_path: Path) -> None:
    told = json.dumps([seen(1, "b"), seen(2, "a", 20, [-5, 6, 70, 80])])
    async with telling(tmp_path, told.encode()):
        assert await drawn(tmp_path, window(3), window(4, "b")) == Drawn(
            Point(20, 0), (Rect(-5, 6, 70, 80),)
        )


async def test_windows_that_are_alike_are_told_apart_by_their_order(tmp_path: Path) -> None:
    told = json.dumps([seen(1, x=1), seen(2, "b"), seen(5, x=5)]).encode()
    async with telling(tmp_path, told):
        first, second, other = window(8), window(11), window(9, sandbox="L2")
        for one, x in ((first, 1), (second, 5)):
            others = {first, second, other} - {one}
            found = await drawn(tmp_path, one, *others)
            assert found == Drawn(Point(x, 0))


async def test_with_more_windows_seen_than_there_are_nothing_is_said(tmp_path: Path) -> None:
    async with telling(tmp_path, json.dumps([seen(1), seen(2)]).encode()):
        assert await drawn(tmp_path, window(3)) is None


@pytest.mark.parametrize("told", [b"", b'[{"order": 1, "ti', b"[]"])
async def test_half_an_answer_is_none(tmp_path: Path, told: bytes) -> None:
    async with telling(tmp_path, told):
        assert await drawn(tmp_path, window(3)) is None


async def test_a_filter_that_hangs_is_not_waited_for(tmp_path: Path) -> None:
    async with telling(tmp_path, b"[]", after_s=60):
        with anyio.fail_after(2):
            assert await drawn(tmp_path, window(3)) is None


async def test_without_a_filter_nothing_is_said(tmp_path: Path) -> None:
    assert await drawn(tmp_path, window(3)) is None
    assert await drawn(tmp_path, window(3, sandbox=None)) is None


async def test_windows_get_the_pids_of_their_programs_and_keep_them(tmp_path: Path) -> None:
    plain = window(9, sandbox=None)
    desktop = Desktop((window(3), window(4, "b"), plain), ())
    witness = FilterWitness(tmp_path)
    async with telling(tmp_path, json.dumps([seen(1, "b"), seen(2, "a")]).encode()):
        named = await witness.named(desktop)
    assert [w.pid for w in named.windows] == [102, 101, plain.pid]
    renamed = Desktop((window(3, "another title"), window(4, "b"), plain), ())
    assert [w.pid for w in (await witness.named(renamed)).windows] == [102, 101, plain.pid]


async def test_a_window_of_a_launch_of_one_program_needs_no_name(tmp_path: Path) -> None:
    told = [seen(1, "old title"), seen(1, "old title")]
    async with telling(tmp_path, json.dumps(told).encode()):
        named = await FilterWitness(tmp_path).named(Desktop((window(3),), ()))
    assert named.windows[0].pid == 101


async def test_without_a_filter_windows_stay_as_they_are(tmp_path: Path) -> None:
    desktop = Desktop((window(3), window(4, sandbox=None)), ())
    assert await FilterWitness(tmp_path).named(desktop) == desktop
