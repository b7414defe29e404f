"""One direction of a connection over real sockets: bytes, descriptors, a reader that is slow or gone."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator

import pytest

from slate_desktop.seat_filter.lane import MOST_FDS, Lane
from slate_desktop.seat_filter.wire import Garbage


class Ends:
    """A lane with somebody to write into it and somebody to read from it."""

    def __init__(self) -> None:
        self.writer, source = socket.socketpair()
        sink, self.reader = socket.socketpair()
        for end in (self.writer, source, sink, self.reader):
            end.setblocking(False)
        self.lane = Lane(source, sink, self.told)
        self.held = b""
        self.hold = False

    def told(self, data: bytes) -> bytes:
        if self.hold:
            self.held += data
            return b""
        data, self.held = self.held + data, b""
        return data

    def close(self) -> None:
        for end in (self.writer, self.lane.source, self.lane.sink, self.reader):
            end.close()


@pytest.fixture
def ends() -> Iterator[Ends]:
    before = len(os.listdir("/proc/self/fd"))
    made = Ends()
    yield made
    made.lane.cut()
    made.close()
    assert len(os.listdir("/proc/self/fd")) == before, "descriptors are left open"


def marks(count: int) -> list[int]:
    """So many descriptors of files that say which they are."""
    made = []
    for number in range(count):
        fd = os.memfd_create("mark")
        os.write(fd, str(number).encode())
        made.append(fd)
    return made


def close(fds: list[int]) -> None:
    for fd in fds:
        os.close(fd)


def read(fds: list[int]) -> list[int]:
    """Which they are; closes them."""
    found = [int(os.pread(fd, 9, 0)) for fd in fds]
    close(fds)
    return found


def test_bytes_and_their_descriptors_arrive(ends: Ends) -> None:
    mine = marks(3)
    socket.send_fds(ends.writer, [b"hello"], mine)
    close(mine)
    assert ends.lane.read()
    ends.lane.send()
    data, fds, _, _ = socket.recv_fds(ends.reader, 100, 100)
    assert (data, read(fds)) == (b"hello", [0, 1, 2])
    assert not ends.lane.waiting


def test_no_more_than_28_descriptors_ride_in_one_message(ends: Ends) -> None:
    mine = marks(2 * MOST_FDS + 4)
    socket.send_fds(ends.writer, [b"abcdef"], mine)
    close(mine)
    assert ends.lane.read()
    ends.lane.send()
    data = b""
    seen: list[int] = []
    while len(data) < 6:
        part, fds, _, _ = socket.recv_fds(ends.reader, 100, 253)
        assert len(fds) <= MOST_FDS
        data, seen = data + part, seen + read(fds)
    assert (data, seen) == (b"abcdef", list(range(2 * MOST_FDS + 4)))


def test_descriptors_of_a_message_that_is_not_complete_wait_for_it(ends: Ends) -> None:
    ends.hold, mine = True, marks(1)
    socket.send_fds(ends.writer, [b"first "], mine)
    close(mine)
    assert ends.lane.read()
    assert not ends.lane.waiting
    ends.hold = False
    ends.writer.send(b"rest")
    assert ends.lane.read()
    ends.lane.send()
    data, fds, _, _ = socket.recv_fds(ends.reader, 100, 100)
    assert (data, read(fds)) == (b"first rest", [0])


def test_a_slow_reader_fills_the_lane_and_loses_nothing(ends: Ends) -> None:
    sent, received = 0, 0
    while not ends.lane.full:
        sent += ends.writer.send(bytes([sent % 251]) * 4096)
        assert ends.lane.read()
        ends.lane.send()
    ends.lane.send()
    while received < sent:
        ends.lane.send()
        received += len(ends.reader.recv(1 << 20))
    assert not ends.lane.waiting
    assert not ends.lane.full


def test_the_end_of_the_source_is_told(ends: Ends) -> None:
    ends.writer.send(b"last")
    ends.writer.close()
    assert ends.lane.read()
    assert not ends.lane.read()
    ends.lane.send()
    assert ends.reader.recv(100) == b"last"


def test_what_is_for_a_sink_that_is_gone_is_dropped_with_its_descriptors(ends: Ends) -> None:
    ends.reader.close()
    mine = marks(2)
    socket.send_fds(ends.writer, [b"late"], mine)
    close(mine)
    assert ends.lane.read()
    ends.lane.send()
    assert not ends.lane.waiting
    ends.writer.send(b"later")
    assert ends.lane.read()
    assert not ends.lane.waiting


def test_descriptors_without_end_and_without_a_message_are_garbage(ends: Ends) -> None:
    ends.hold, mine = True, marks(200)
    with pytest.raises(Garbage):  # noqa: PT012  # which of them is one too many does not matter
        for _ in range(4):
            socket.send_fds(ends.writer, [b"x"], mine)
            ends.lane.read()
    close(mine)
