"""Capture as a scripted compositor does it: constraints, frames drawn into the client's own memory."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from tests.fakes.wayland_desk import GLOBALS, FakeDesk
from tests.fakes.wayland_peer import Peer, Request, wired

CAPTURE = (
    ("ext_image_copy_capture_manager_v1", 1),
    ("ext_foreign_toplevel_image_capture_source_manager_v1", 1),
    ("ext_output_image_capture_source_manager_v1", 1),
)
BUFFER_CONSTRAINTS = 1
RED_BGRX = b"\x00\x00\xff\x00"

_SESSION, _FRAME = "ext_image_copy_capture_session_v1", "ext_image_copy_capture_frame_v1"


@dataclass
class FakeBuffer:
    """What the client made: its memory, and how it is to be read."""

    fd: int
    width: int
    height: int
    stride: int
    format: int


class FakeCamera:
    """Draws every frame in one colour. The first of a session at once, further ones when told."""

    def __init__(self, peer: Peer) -> None:
        self.peer = peer
        self.size = (8, 4)
        self.formats = [1]
        self.colour = RED_BGRX
        self.transform = 0
        self.draws_first = True
        self.fails = 0  # so many frames fail before one comes
        self.frames = 0
        self.buffers: dict[int, FakeBuffer] = {}
        self._pools: list[int] = []
        self._pool_of: dict[int, int] = {}
        self._attached: dict[int, int] = {}
        self._seen: set[int] = set()
        self._session_of: dict[int, int] = {}
        self.waiting: list[int] = []
        answers = peer.answers
        answers["wl_shm.create_pool"] = self._pool
        answers["wl_shm_pool.create_buffer"] = self._buffer
        answers["ext_image_copy_capture_manager_v1.create_session"] = self._begin
        answers[f"{_SESSION}.create_frame"] = self._create
        answers[f"{_FRAME}.attach_buffer"] = self._attach
        answers[f"{_FRAME}.capture"] = self._capture

    @classmethod
    @contextmanager
    def wired(cls) -> Iterator[tuple[socket.socket, FakeDesk, FakeCamera]]:
        """A client's end, and a desk with a camera at the other."""
        with wired(*GLOBALS, *CAPTURE) as (sock, peer):
            camera = cls(peer)
            yield sock, FakeDesk(peer), camera
            for fd in (*camera._pools, *(buffer.fd for buffer in camera.buffers.values())):
                os.close(fd)

    def sessions(self) -> list[int]:
        """Sessions that are open."""
        return [id_ for id_, name in self.peer.objects.items() if name == _SESSION]

    def awaited(self) -> list[FakeBuffer]:
        """Buffers of the frames that have not come yet."""
        return [self.buffers[self._attached[frame]] for frame in self.waiting]

    def constrain(self, session: int) -> None:
        """Say what buffers are wanted."""
        self.peer.send(session, "buffer_size", *self.size)
        for format_ in self.formats:
            self.peer.send(session, "shm_format", format_)
        self.peer.send(session, "done")

    def draw(self) -> None:
        """The source was redrawn: all awaited frames come."""
        waiting, self.waiting = self.waiting, []
        for frame in waiting:
            if frame in self.peer.objects:
                self._ready(frame)

    def resize(self, width: int, height: int) -> None:
        """The source has another size: buffers of the old one are refused."""
        self.size = (width, height)
        for session in self.sessions():
            self.constrain(session)
        waiting, self.waiting = self.waiting, []
        for frame in waiting:
            self.peer.send(frame, "failed", BUFFER_CONSTRAINTS)

    def stop(self) -> None:
        """The source is gone."""
        for session in self.sessions():
            self.peer.send(session, "stopped")

    def _pool(self, request: Request) -> None:
        id_, fd, _size = request.arguments
        self._pools.append(fd)
        self._pool_of[id_] = fd

    def _buffer(self, request: Request) -> None:
        id_, _, width, height, stride, format_ = request.arguments
        fd = os.dup(self._pool_of[request.object])
        self.buffers[id_] = FakeBuffer(fd, width, height, stride, format_)

    def _begin(self, request: Request) -> None:
        self.constrain(request.arguments[0])

    def _create(self, request: Request) -> None:
        self._session_of[request.arguments[0]] = request.object

    def _attach(self, request: Request) -> None:
        self._attached[request.object] = request.arguments[0]

    def _capture(self, request: Request) -> None:
        frame, session = request.object, self._session_of[request.object]
        buffer = self.buffers[self._attached[frame]]
        if (buffer.width, buffer.height) != self.size or self.fails > 0:
            self.fails -= 1
            self.peer.send(frame, "failed", BUFFER_CONSTRAINTS)
        elif session not in self._seen and self.draws_first:
            self._ready(frame)
        else:
            self.waiting.append(frame)

    def _ready(self, frame: int) -> None:
        self._seen.add(self._session_of[frame])
        buffer = self.buffers[self._attached[frame]]
        self.frames += 1
        os.pwrite(buffer.fd, self.colour * (buffer.stride * buffer.height // 4), 0)
        self.peer.send(frame, "transform", self.transform)
        self.peer.send(frame, "ready")
