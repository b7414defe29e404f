"""A window manager for a screen with one program on it: its windows fill the screen, its dialogs stand in the middle of
it, and the keyboard is with the newest or where the pointer went. Pure: messages in, requests out.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from slate_desktop.xserver import wire
from slate_desktop.xserver.wire import ABOVE, BORDER, HEIGHT, STACK, WIDTH, Root, X, Y

_SEQUENCE = 1 << 16
_PROTOCOLS, _DELETE = b"WM_PROTOCOLS", b"WM_DELETE_WINDOW"


@dataclass(slots=True)
class _Window:
    """A window that was mapped. `dialog` once we know that it belongs to another one."""

    id: int
    dialog: bool = False


class Steward:
    """Feed it what the server sends after its welcome; what it answers goes to the server."""

    def __init__(self, root: Root) -> None:
        self._root = root
        self._size = root.width, root.height
        self._windows: list[_Window] = []  # as they were mapped
        self._asked: dict[
            int, _Window
        ] = {}  # by the number of the request whose answer is about it
        self._atoms: dict[bytes, int] = {}
        self._named: dict[int, bytes] = {}  # atoms asked for, by the number of the request
        self._sequence = 0
        self._rest = b""

    @property
    def windows(self) -> int:
        """How many windows are there."""
        return len(self._windows)

    def begin(self) -> bytes:
        """What makes us the window manager."""
        sent = self._send(wire.watch(self._root.id, wire.OF_ROOT))
        for name in (_PROTOCOLS, _DELETE):
            sent += self._send(wire.atom(name))
            self._named[self._sequence] = name
        return sent

    def close(self) -> bytes:
        """Asks the newest window to close, as its close button would; b"" when there is none."""
        if not self._windows or len(self._atoms) < 2:
            return b""
        protocols, delete = self._atoms[_PROTOCOLS], self._atoms[_DELETE]
        return self._send(wire.please(self._windows[-1].id, protocols, delete))

    def feed(self, data: bytes) -> bytes:
        """Our answers to what these bytes complete."""
        found, self._rest = wire.messages(self._rest + data)
        return b"".join(self._on(message) for message in found)

    def _send(self, *requests: bytes) -> bytes:
        self._sequence = (self._sequence + len(requests)) % _SEQUENCE
        return b"".join(requests)

    def _on(self, message: bytes) -> bytes:
        kind = message[0] & 0x7F
        first, second = struct.unpack_from("<II", message, 4)
        match kind:
            case wire.MAP_ASKED:
                return self._map_asked(second)
            case wire.CONFIGURE_ASKED:
                return self._configure_asked(second, message)
            case wire.REPLY:
                return self._answered(message)
            case wire.UNMAPPED | wire.DESTROYED:
                return self._gone(second)
            case wire.CONFIGURED if first == second == self._root.id:
                self._size = struct.unpack_from("<HH", message, 20)
                return self._send(*(self._fill(w.id) for w in self._windows if not w.dialog))
            case wire.ENTERED:
                (entered,) = struct.unpack_from("<I", message, 12)
                return self._send(wire.focus(entered)) if self._known(entered) else b""
        return b""

    def _map_asked(self, id_: int) -> bytes:
        window = self._known(id_) or _Window(id_)
        if window not in self._windows:
            self._windows.append(window)
        sent = self._send(wire.watch(id_, wire.ENTER), wire.transient_for(id_))
        self._asked[self._sequence] = window
        sent += self._send(wire.geometry(id_))
        self._asked[self._sequence] = window
        return sent

    def _answered(self, message: bytes) -> bytes:
        """First whether it is a dialog, then how large it is: the first one says nothing of sizes."""
        (number,) = struct.unpack_from("<H", message, 2)
        if number in self._named:
            (self._atoms[self._named.pop(number)],) = struct.unpack_from("<I", message, 8)
            return b""
        window = self._asked.pop(number, None)
        if window is None:
            return b""
        if window in self._asked.values():
            window.dialog = len(message) > 32 and struct.unpack_from("<I", message, 32)[0] != 0
            return b""
        width, height = struct.unpack_from("<HH", message, 16)
        place = self._centre(window.id, width, height) if window.dialog else self._fill(window.id)
        return self._send(place, wire.map_window(window.id), wire.focus(window.id))

    def _configure_asked(self, id_: int, message: bytes) -> bytes:
        window = self._known(id_)
        if window is not None and not window.dialog:
            return self._send(self._fill(id_), wire.told(id_, 0, 0, *self._size))
        x, y, width, height, border = struct.unpack_from("<hhHHH", message, 16)
        (mask,) = struct.unpack_from("<H", message, 26)
        asked = {X: x, Y: y, WIDTH: width, HEIGHT: height, BORDER: border}
        return self._send(
            wire.configure(id_, {bit: value for bit, value in asked.items() if mask & bit})
        )

    def _gone(self, id_: int) -> bytes:
        window = self._known(id_)
        if window is None:
            return b""
        self._windows.remove(window)
        self._asked = {number: w for number, w in self._asked.items() if w is not window}
        return self._send(wire.focus(self._windows[-1].id)) if self._windows else b""

    def _known(self, id_: int) -> _Window | None:
        return next((window for window in self._windows if window.id == id_), None)

    def _fill(self, id_: int) -> bytes:
        width, height = self._size
        return wire.configure(
            id_, {X: 0, Y: 0, WIDTH: width, HEIGHT: height, BORDER: 0, STACK: ABOVE}
        )

    def _centre(self, id_: int, width: int, height: int) -> bytes:
        across, down = self._size
        left, top = max(0, (across - width) // 2), max(0, (down - height) // 2)
        return wire.configure(id_, {X: left, Y: top, STACK: ABOVE})
