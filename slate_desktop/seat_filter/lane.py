"""One direction of a connection: bytes with the file descriptors that ride on them, from a socket to a socket."""

from __future__ import annotations

import os
import socket
from collections import deque

from slate_desktop.seat_filter.wire import Garbage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

CHUNK = 1 << 16
MOST_FDS = 28  # that libwayland takes in one message of a socket
_KERNEL_FDS = 253
FULL_BYTES, FULL_FDS = 1 << 18, 2 * MOST_FDS


class Lane:
    """`told` turns what was read into what is sent on.

    Descriptors leave with the first byte that follows what was read with them, so never after the
    message they belong to.
    """

    def __init__(
        self, source: socket.socket, sink: socket.socket, told: Callable[[bytes], bytes]
    ) -> None:
        self.source, self.sink = source, sink
        self._told = told
        self._queue: deque[tuple[bytes, list[int]]] = deque()
        self._early: list[int] = []  # descriptors that wait for the rest of their message
        self._bytes = self._fds = 0
        self._cut = False

    @property
    def waiting(self) -> bool:
        """Whether something is still to be sent."""
        return bool(self._queue)

    @property
    def full(self) -> bool:
        """Whether nothing more is to be read before something was sent."""
        return self.waiting and (self._bytes >= FULL_BYTES or self._fds >= FULL_FDS)

    def read(self) -> bool:
        """Take what the source has, once; False at its end. Garbage: it cannot go on."""
        try:
            data, fds, flags, _ = socket.recv_fds(self.source, CHUNK, _KERNEL_FDS)
        except BlockingIOError:
            return True
        except ConnectionError:
            return False
        self._early += fds
        self._fds += len(fds)
        if flags & socket.MSG_CTRUNC:
            raise Garbage("descriptors were lost on the way")
        if not data:
            return False
        self.add(self._told(data))
        if self._fds > 2 * _KERNEL_FDS:
            raise Garbage("descriptors without their messages")
        return True

    def add(self, data: bytes) -> None:
        """Queue bytes behind what waits."""
        if self._cut:
            self.cut()
        while data and not self._cut:
            fds, self._early = self._early[:MOST_FDS], self._early[MOST_FDS:]
            part = data[:1] if self._early else data
            data = data[len(part) :]
            self._bytes += len(part)
            self._queue.append((part, fds))

    def send(self) -> None:
        """Send as much as the sink takes now; drop everything, now and later, when it is gone.

        OSError when the system refuses.
        """
        while self._queue:
            data, fds = self._queue[0]
            try:
                sent = socket.send_fds(self.sink, [data], fds) if fds else self.sink.send(data)
            except BlockingIOError:
                return
            except ConnectionError:  # what the sink has said before it went may still be read
                self.cut()
                return
            for fd in fds:
                os.close(fd)
            self._fds -= len(fds)
            self._bytes -= sent
            if sent < len(data):
                self._queue[0] = data[sent:], []
                return
            self._queue.popleft()

    def cut(self) -> None:
        """Send nothing any more; let go of the descriptors that were not sent."""
        self._cut = True
        for fds in (self._early, *(fds for _, fds in self._queue)):
            for fd in fds:
                os.close(fd)
        self._early = []
        self._queue.clear()
        self._bytes = self._fds = 0
