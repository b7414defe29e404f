"""The filter's process: takes clients in, carries their connections, tells where windows are, ends with its launch."""

from __future__ import annotations

import errno
import itertools
import os
import selectors
import socket
import struct
import time
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

from slate_desktop.seat_filter.conversation import Conversation
from slate_desktop.seat_filter.lane import Lane
from slate_desktop.seat_filter.wire import Garbage

JOB_FDS = 5
HELD_S = 0.01  # a seat is held back no longer: a burst of announcements is there at once
FAREWELL_S = 1.0  # for what is still to be sent on when one side has ended
FULL_HOUSE_S = 0.2  # without descriptors to spare, before clients are taken in again
UPSTREAM_S = 1.0  # for the compositor to take a connection
_CREDENTIALS = struct.Struct("=iII")  # pid, uid, gid
_NO_FDS = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)


class Job(NamedTuple):
    """What one filter does: descriptors it was given, the compositor's socket, our seat's
    number.

    `programs` is at its end when the launch's last program is gone. `asked` is where the daemon
    connects to learn where windows are. The display lives as long as `life` is open. Files in
    `names` go when the filter does.
    """

    listening: int
    asked: int
    programs: int
    life: int
    upstream: str
    own_seat: int
    names: tuple[str, ...] = ()


class Client:
    """One program's connection, and ours to the compositor for it."""

    def __init__(
        self, filter_: Filter, near: socket.socket, far: socket.socket, talk: Conversation
    ) -> None:
        self._filter, self.talk = filter_, talk
        self._near, self._far = near, far
        peer = near.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
        self.pid: int = _CREDENTIALS.unpack(peer)[0]
        self._up = Lane(near, far, self._heard)
        self._down = Lane(far, near, talk.event)
        self._events = {near: 0, far: 0}
        self.ended = False  # one side has; what is left goes out until `deadline`
        self.deadline: float | None = None
        self._closed = False
        for end in (near, far):
            end.setblocking(False)
        self._watch()

    def _heard(self, data: bytes) -> bytes:
        self.talk.request(data)
        return data

    def near_ready(self, mask: int) -> None:
        """The program has said something, or can be told something."""
        self._ready(mask, self._up, self._down)

    def far_ready(self, mask: int) -> None:
        """The same of the compositor."""
        self._ready(mask, self._down, self._up)

    def late(self) -> None:
        """The deadline has come."""
        if self.ended:
            self.close()
            return
        self._down.add(self.talk.release())
        self._ready(selectors.EVENT_WRITE, self._up, self._down)

    def _ready(self, mask: int, inward: Lane, outward: Lane) -> None:
        if self._closed:  # by what was ready in the same moment
            return
        try:
            if mask & selectors.EVENT_WRITE:
                outward.send()
            if mask & selectors.EVENT_READ and not self.ended:
                if not inward.read():
                    self._end(outward)
                inward.send()
        except (OSError, Garbage):
            self.close()
            return
        if self.ended and not (self._up.waiting or self._down.waiting):
            self.close()
        else:
            self._watch()

    def _end(self, unread: Lane) -> None:
        """One side is at its end and reads no more; what it has said is still sent on."""
        self.ended, self.deadline = True, time.monotonic() + FAREWELL_S
        unread.cut()

    def _watch(self) -> None:
        if not self.ended:
            now = time.monotonic()
            self.deadline = (self.deadline or now + HELD_S) if self.talk.holding else None
        self._register(self._near, self.near_ready, self._up, self._down)
        self._register(self._far, self.far_ready, self._down, self._up)

    def _register(
        self, end: socket.socket, ready: Callable[[int], None], inward: Lane, outward: Lane
    ) -> None:
        events = selectors.EVENT_READ if not (self.ended or inward.full) else 0
        events |= selectors.EVENT_WRITE if outward.waiting else 0
        if events != self._events[end]:
            self._filter.watch(end, self._events[end], events, ready)
            self._events[end] = events

    def close(self) -> None:
        """Let go of everything."""
        self._closed = True
        for end, events in self._events.items():
            self._filter.watch(end, events, 0, self.near_ready)
            end.close()
        self._up.cut()
        self._down.cut()
        self._filter.gone(self)


class Filter:
    """All clients of one launch."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._selector = selectors.DefaultSelector()
        self._listening = socket.socket(fileno=job.listening)
        self._asked = socket.socket(fileno=job.asked)
        self._clients: set[Client] = set()
        self._numbered = itertools.count(1)
        self._programs = True
        self._shut_until: float | None = None  # no client is taken in before
        self._doors = ((self._listening, self._accept), (self._asked, self._answer))
        for listener, _ in self._doors:
            listener.setblocking(False)
        self._open_house()
        self._selector.register(job.programs, selectors.EVENT_READ, self._programs_over)

    def run(self) -> None:
        """Serve until the launch's programs and their connections are gone."""
        while self._programs or self._clients:
            for key, mask in self._selector.select(self._wait_s()):
                key.data(mask)
            now = time.monotonic()
            for client in list(self._clients):
                if client.deadline is not None and client.deadline <= now:
                    client.late()
            if self._shut_until is not None and self._shut_until <= now:
                self._open_house()
        for name in self._job.names:
            with suppress(OSError):
                os.unlink(name)

    def watch(
        self, end: socket.socket, before: int, events: int, ready: Callable[[int], None]
    ) -> None:
        """Call `ready` for what a socket is ready for; no `events` ends that."""
        if not events:
            if before:
                self._selector.unregister(end)
        elif before:
            self._selector.modify(end, events, ready)
        else:
            self._selector.register(end, events, ready)

    def gone(self, client: Client) -> None:
        """A client has ended; there is room for another."""
        self._clients.discard(client)
        if self._shut_until is not None:
            self._open_house()

    def _wait_s(self) -> float | None:
        deadlines = [c.deadline for c in self._clients if c.deadline is not None]
        if self._shut_until is not None:
            deadlines.append(self._shut_until)
        return max(0.0, min(deadlines) - time.monotonic()) if deadlines else None

    def _accept(self, _mask: int) -> None:
        if self._shut_until is not None:
            return
        try:
            far = socket.socket(socket.AF_UNIX)
        except OSError:
            self._shut_house()
            return
        try:
            near, _ = self._listening.accept()
        except OSError as fault:
            far.close()
            if fault.errno in _NO_FDS:
                self._shut_house()
            return
        try:
            far.settimeout(UPSTREAM_S)
            far.connect(self._job.upstream)
        except OSError:  # no compositor, so no display: as without us
            near.close()
            far.close()
            return
        talk = Conversation(self._job.own_seat, self._numbered)
        self._clients.add(Client(self, near, far, talk))

    def _shut_house(self) -> None:
        # A listener that cannot be served is ready for ever: it is left alone for a while.
        if self._shut_until is None:
            for listener, ready in self._doors:
                self.watch(listener, selectors.EVENT_READ, 0, ready)
        self._shut_until = time.monotonic() + FULL_HOUSE_S

    def _open_house(self) -> None:
        self._shut_until = None
        for listener, ready in self._doors:
            self.watch(listener, 0, selectors.EVENT_READ, ready)

    def _answer(self, _mask: int) -> None:
        """Tell whoever connects where windows are, as one JSON text."""
        try:
            peer, _ = self._asked.accept()
        except OSError as fault:
            if fault.errno in _NO_FDS:
                self._shut_house()
            return
        import json  # rarely needed, and slow to load

        seen = [
            {**window._asdict(), "pid": client.pid}
            for client in self._clients
            for window in client.talk.windows()
        ]
        with peer, suppress(OSError):
            peer.setblocking(False)
            peer.send(json.dumps(sorted(seen, key=lambda facts: facts["order"])).encode())

    def _programs_over(self, _mask: int) -> None:
        self._selector.unregister(self._job.programs)
        self._programs = False


def main(control: int) -> None:
    """Wait on a socket for the job of one launch and do it; end when nobody is left to give one."""
    with socket.socket(fileno=control) as given:
        words, descriptors, _, _ = socket.recv_fds(given, 1 << 14, JOB_FDS)
    if not words:
        return
    upstream, own_seat, *names = words.decode().split("\0")
    listening, asked, programs, life, log = descriptors
    os.dup2(log, 2)
    os.close(log)
    Filter(Job(listening, asked, programs, life, upstream, int(own_seat), tuple(names))).run()
