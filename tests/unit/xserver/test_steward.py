"""What the window manager of an X server of our own answers, request by request."""

from __future__ import annotations

import struct

from slate_desktop.xserver import wire
from slate_desktop.xserver.steward import Steward
from slate_desktop.xserver.wire import Root

ROOT, ONE, TWO = 0x1E0, 0x400001, 0x400002
MAP, CONFIGURE, FOCUS, SEND = 8, 12, 42, 25


class Server:
    """The other side: counts requests as a server does, and answers what is asked."""

    def __init__(self) -> None:
        self.steward = Steward(Root(ROOT, 1280, 800))
        self.owner: dict[int, int] = {}
        self.number = 0
        self.asked: list[tuple[int, bytes]] = []
        self.take(self.steward.begin())
        self.answer()

    def take(self, sent: bytes) -> list[bytes]:
        """The requests in what was sent."""
        found = []
        while sent:
            length = 4 * struct.unpack_from("<H", sent, 2)[0]
            self.number += 1
            found.append(sent[:length])
            if sent[0] in (14, 16, 20):
                self.asked.append((self.number, sent[:length]))
            sent = sent[length:]
        return found

    def answer(self) -> list[bytes]:
        """Replies to what was asked; the requests that follow."""
        found: list[bytes] = []
        while self.asked:
            number, request = self.asked.pop(0)
            (window,) = struct.unpack_from("<I", request, 4)
            if request[0] == 16:
                body = struct.pack("<BxHII", 1, number, 0, 300 + number).ljust(32, b"\0")
            elif request[0] == 14:
                body = struct.pack("<BxHIIhhHH", 1, number, 0, ROOT, 5, 6, 400, 300).ljust(
                    32, b"\0"
                )
            else:
                owner = self.owner.get(window)
                body = struct.pack("<BBHI", 1, 32, number, 1 if owner else 0).ljust(32, b"\0")
                body += struct.pack("<I", owner) if owner else b""
            found += self.take(self.steward.feed(body))
        return found

    def event(self, kind: int, *words: int, rest: bytes = b"") -> list[bytes]:
        body = struct.pack(f"<BxH{len(words)}I", kind, 0, *words) + rest
        return self.take(self.steward.feed(body.ljust(32, b"\0"))) + self.answer()

    def maps(self, window: int) -> list[bytes]:
        return self.event(wire.MAP_ASKED, ROOT, window)


def words(requests: list[bytes], opcode: int) -> list[tuple[int, ...]]:
    """The 32-bit words of the requests of a kind."""
    return [struct.unpack(f"<{len(r) // 4 - 1}I", r[4:]) for r in requests if r[0] == opcode]


def test_a_window_fills_the_screen_and_has_the_keyboard() -> None:
    answers = Server().maps(ONE)
    assert words(answers, CONFIGURE) == [(ONE, 0x5F, 0, 0, 1280, 800, 0, 0)]
    assert words(answers, MAP) == [(ONE,)]
    assert words(answers, FOCUS) == [(ONE, 0)]


def test_a_dialog_stands_in_the_middle_and_gives_the_keyboard_back() -> None:
    server = Server()
    server.maps(ONE)
    server.owner[TWO] = ONE
    answers = server.maps(TWO)
    assert words(answers, CONFIGURE) == [(TWO, 0x43, 440, 250, 0)]
    assert words(answers, FOCUS) == [(TWO, 0)]
    assert server.steward.windows == 2
    assert words(server.event(wire.UNMAPPED, ROOT, TWO), FOCUS) == [(ONE, 0)]
    assert server.event(wire.DESTROYED, ROOT, ONE) == []
    assert server.steward.windows == 0


def test_the_keyboard_follows_the_pointer_between_windows_it_knows() -> None:
    server = Server()
    server.maps(ONE)
    server.maps(TWO)
    assert words(server.event(wire.ENTERED, 1, ROOT, ONE), FOCUS) == [(ONE, 0)]
    assert server.event(wire.ENTERED, 1, ROOT, 0x999) == []


def test_a_window_keeps_its_place_whatever_it_asks_and_is_told_so() -> None:
    server = Server()
    asked = struct.pack("<hhHHHH", 10, 20, 300, 200, 1, wire.WIDTH | wire.HEIGHT)
    before = server.event(wire.CONFIGURE_ASKED, ROOT, ONE, 0, rest=asked)
    assert words(before, CONFIGURE) == [(ONE, 0xC, 300, 200)]  # not mapped yet: as it likes
    server.maps(ONE)
    after = server.event(wire.CONFIGURE_ASKED, ROOT, ONE, 0, rest=asked)
    assert words(after, CONFIGURE) == [(ONE, 0x5F, 0, 0, 1280, 800, 0, 0)]
    assert len(words(after, SEND)) == 1


def test_windows_follow_the_screen_when_it_changes_its_size() -> None:
    server = Server()
    server.maps(ONE)
    sized = struct.pack("<IhhHH", 0, 0, 0, 640, 480)
    answers = server.event(wire.CONFIGURED, ROOT, ROOT, rest=sized)
    assert words(answers, CONFIGURE) == [(ONE, 0x5F, 0, 0, 640, 480, 0, 0)]
    assert server.event(wire.CONFIGURED, ROOT, ONE, rest=sized) == []


def test_closing_asks_the_newest_window_and_nothing_when_there_is_none() -> None:
    server = Server()
    assert server.steward.close() == b""
    server.maps(ONE)
    server.maps(TWO)
    (sent,) = words(server.take(server.steward.close()), SEND)
    assert sent[0] == TWO
    assert sent[3] == TWO


def test_a_window_that_goes_before_it_was_looked_at_is_forgotten() -> None:
    server = Server()
    server.take(server.steward.feed(struct.pack("<BxHII", wire.MAP_ASKED, 0, ROOT, ONE).ljust(32)))
    server.take(server.steward.feed(struct.pack("<BxHII", wire.DESTROYED, 0, ROOT, ONE).ljust(32)))
    assert server.answer() == []
    assert server.steward.windows == 0
