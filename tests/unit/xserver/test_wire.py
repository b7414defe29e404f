"""X11 messages, byte for byte as the protocol lays them out."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slate_desktop.xserver import wire
from slate_desktop.xserver.wire import Root


def welcoming(vendor: bytes = b"Maker", formats: int = 3) -> bytes:
    """A server's first message: a screen of 1280x800 with root window 0x1e0."""
    fixed = struct.pack("<IIIIHHBBBBBBBBI", 1, 2, 3, 4, len(vendor), 9, 1, formats, *[0] * 6, 0)
    screen = struct.pack("<IIIIIHH", 0x1E0, 5, 6, 7, 8, 1280, 800) + bytes(16)
    rest = fixed + wire.padded(vendor) + bytes(8 * formats) + screen
    return struct.pack("<BxHHH", 1, 11, 0, len(rest) // 4) + rest


@given(st.binary(max_size=9), st.integers(0, 9), st.binary(max_size=40), st.data())
def test_the_root_window_is_found_however_the_message_is_torn(
    vendor: bytes, formats: int, after: bytes, data: st.DataObject
) -> None:
    whole = welcoming(vendor, formats)
    assert wire.welcome(whole[: data.draw(st.integers(0, len(whole) - 1))]) is None
    assert wire.welcome(whole + after) == (Root(0x1E0, 1280, 800), after)


def test_a_server_that_refuses_is_an_error() -> None:
    with pytest.raises(ConnectionError):
        wire.welcome(b"\0" + bytes(31))


def test_hello_asks_for_little_endian_version_11_with_a_cookie() -> None:
    said = wire.hello(b"c" * 16)
    assert said[:12] == b"l\0" + struct.pack("<HHHHH", 11, 0, 18, 16, 0)
    assert said[12:30] == b"MIT-MAGIC-COOKIE-1"
    assert said[32:] == b"c" * 16


@given(st.lists(st.sampled_from([0, 17, 22, 1, 35]), max_size=6), st.data())
def test_messages_are_cut_by_their_lengths(kinds: list[int], data: st.DataObject) -> None:
    """Replies and events of extensions say how long they are; all others have 32 bytes."""
    whole = [
        struct.pack("<BxHI", kind, 7, extra).ljust(32 + 4 * extra, b"x")
        for kind in kinds
        for extra in [data.draw(st.integers(0, 5)) if kind in (1, 35) else 0]
    ]
    stream = b"".join(whole)
    cut = data.draw(st.integers(0, len(stream)))
    first, rest = wire.messages(stream[:cut])
    second, left = wire.messages(rest + stream[cut:])
    assert first + second == whole
    assert left == b""


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        (wire.watch(9, 16), (2, struct.pack("<III", 9, 0x800, 16))),
        (wire.map_window(9), (8, struct.pack("<I", 9))),
        (wire.focus(9), (42, struct.pack("<II", 9, 0))),
        (wire.geometry(9), (14, struct.pack("<I", 9))),
        (wire.transient_for(9), (20, struct.pack("<IIIII", 9, 68, 33, 0, 1))),
        (wire.atom(b"WM_PROTOCOLS"), (16, struct.pack("<Hxx", 12) + b"WM_PROTOCOLS")),
        (wire.configure(9, {8: 600, 1: -2}), (12, struct.pack("<IHxxiI", 9, 9, -2, 600))),
    ],
)
def test_a_request_has_its_opcode_its_length_and_its_words(
    request_: bytes, expected: tuple[int, bytes]
) -> None:
    assert request_[0] == expected[0]
    assert struct.unpack_from("<H", request_, 2)[0] * 4 == len(request_)
    assert request_[4:] == expected[1]


def test_what_is_sent_to_a_window_is_an_event_of_32_bytes() -> None:
    for sent, kind in ((wire.please(9, 70, 71), 33), (wire.told(9, 0, 0, 640, 480), 22)):
        assert (sent[0], len(sent), sent[12]) == (25, 44, kind)
    assert struct.unpack_from("<III", wire.please(9, 70, 71), 16) == (9, 70, 71)
    assert struct.unpack_from("<HH", wire.told(9, 0, 0, 640, 480), 12 + 20) == (640, 480)
