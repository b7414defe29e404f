"""Displays of launches against a scripted compositor."""

from __future__ import annotations

import os
import socket
import stat
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio
import pytest

from slate_desktop.errors import Unavailable
from slate_desktop.wayland.connection import Connection
from slate_desktop.wayland.globals import Globals
from slate_desktop.wayland.security import SecurityContexts
from tests.fakes.wayland_peer import Peer, wired

pytestmark = pytest.mark.anyio

MANAGER, CONTEXT = "wp_security_context_manager_v1", "wp_security_context_v1"


@dataclass
class Office:
    contexts: SecurityContexts
    peer: Peer
    directory: Path


@asynccontextmanager
async def office(*globals_: tuple[str, int], name: str = "") -> AsyncIterator[Office]:
    with (
        tempfile.TemporaryDirectory(prefix="sc-") as top,
        wired(*(globals_ or ((MANAGER, 1),))) as (sock, peer),
    ):
        directory = Path(top, name)
        os.makedirs(directory, exist_ok=True)
        async with Connection.adopt(sock) as connection:
            contexts = SecurityContexts(await Globals.load(connection), directory)
            yield Office(contexts, peer, directory)


async def test_a_launch_is_labelled_before_it_is_committed() -> None:
    async with office() as it:
        context = await it.contexts.open("L1", "foot")
        names = [name for name in it.peer.names() if name.startswith(CONTEXT)]
        assert names == [
            f"{CONTEXT}.{request}"
            for request in (
                "set_sandbox_engine",
                "set_app_id",
                "set_instance_id",
                "commit",
                "destroy",
            )
        ]
        words = [r.arguments[0] for r in it.peer.requests if r.interface == CONTEXT and r.arguments]
        assert words == ["dev.slate", "foot", "L1"]
        assert context.socket == it.directory / "wayland-L1"
        assert stat.S_ISSOCK(context.socket.stat().st_mode)
        context.handed_over()


async def test_the_compositor_hears_the_end_when_the_last_holder_is_gone() -> None:
    async with office() as it:
        context = await it.contexts.open("L1", "foot")
        request = next(r for r in it.peer.requests if r.name == "create_listener")
        listening, close_fd = request.arguments[1:]
        inherited = os.dup(context.life)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(context.until_over)
            context.handed_over()
            await anyio.sleep(0.05)
            assert context.socket.exists()
            with socket.socket(socket.AF_UNIX) as program:
                program.connect(str(context.socket))
            os.close(inherited)
        assert os.read(close_fd, 1) == b""
        assert not context.socket.exists()
        os.close(listening)
        os.close(close_fd)


async def test_sockets_nobody_listens_on_are_swept_and_living_ones_stay() -> None:
    async with office() as it:
        dead, alive = it.directory / "wayland-L1", it.directory / "wayland-L2"
        with socket.socket(socket.AF_UNIX) as first:
            first.bind(str(dead))
        with socket.socket(socket.AF_UNIX) as second:
            second.bind(str(alive))
            second.listen()
            SecurityContexts(it.contexts._globals, it.directory)
            assert (dead.exists(), alive.exists()) == (False, True)


async def test_a_compositor_without_security_contexts_is_unavailable_and_leaves_nothing() -> None:
    async with office(("wl_compositor", 6)) as it:
        before = len(os.listdir("/proc/self/fd"))
        with pytest.raises(Unavailable, match=MANAGER):
            await it.contexts.open("L1", "foot")
        assert list(it.directory.iterdir()) == []
        assert len(os.listdir("/proc/self/fd")) == before


async def test_a_compositor_that_dies_leaves_no_socket_and_no_descriptor() -> None:
    async with office() as it:
        before = len(os.listdir("/proc/self/fd"))
        it.peer.answers[f"{MANAGER}.create_listener"] = lambda _: it.peer.close()
        with pytest.raises(Unavailable):
            await it.contexts.open("L1", "foot")
        assert list(it.directory.iterdir()) == []
        for fd in it.peer.fds:
            os.close(fd)
        assert len(os.listdir("/proc/self/fd")) <= before + 2


async def test_a_directory_too_deep_for_a_socket_is_said_to_be() -> None:
    async with office(name="x" * 100) as it:
        with pytest.raises(Unavailable) as raised:
            await it.contexts.open("L1", "foot")
        assert raised.value.code == "unavailable.path_too_long"
