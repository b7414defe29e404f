"""Cutting and reading messages."""

from __future__ import annotations

import itertools
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slate_desktop.seat_filter.wire import Frames, Garbage, Message
from tests.fakes.wayland_bytes import message

MESSAGES = [message(3, 7), message(4, 65535, 1, -2, "a"), message(1, 0, "", "four", 5)]


@given(cuts=st.lists(st.integers(0, sum(map(len, MESSAGES))), max_size=6))
def test_messages_come_out_whole_however_the_bytes_come_in(cuts: list[int]) -> None:
    stream, frames, found = b"".join(MESSAGES), Frames(), []
    ends = [0, *sorted(cuts), len(stream)]
    for begin, end in itertools.pairwise(ends):
        found += frames.cut(stream[begin:end])
    assert [m.data for m in found] == MESSAGES
    assert [(m.object, m.opcode) for m in found] == [(3, 7), (4, 65535), (1, 0)]
    assert not frames.partial


def test_arguments_are_read_by_their_place() -> None:
    it = Message(4, 0, message(4, 0, 9, -3, "wl_seat", 2))
    assert (it.unsigned(0), it.signed(1)) == (9, -3)
    assert it.text(2) == ("wl_seat", 5)
    assert it.unsigned(5) == 2


@pytest.mark.parametrize("size", [0, 4, 7, 9, 10, 65535])
def test_a_size_that_cannot_be_is_garbage(size: int) -> None:
    with pytest.raises(Garbage):
        Frames().cut(struct.pack("=II", 3, size << 16) + b"x" * 8)


def test_nothing_is_said_to_object_zero() -> None:
    with pytest.raises(Garbage):
        Frames().cut(message(0, 1))


def test_arguments_beyond_the_end_are_garbage() -> None:
    with pytest.raises(Garbage):
        Message(4, 0, message(4, 0)).unsigned(0)
    with pytest.raises(Garbage):
        Message(4, 0, message(4, 0, 500)).text(0)


@given(st.binary(max_size=200))
def test_any_bytes_are_messages_or_garbage(data: bytes) -> None:
    frames = Frames()
    try:
        found = frames.cut(data)
    except Garbage:
        return
    assert data.startswith(b"".join(m.data for m in found))
