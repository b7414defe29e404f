"""The virtual pointers of one seat, one per output, with a ledger of buttons. Never flushes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pywayland.protocol.wayland import WlPointer, WlSeatProxy

from slate_desktop.geometry import Rect
from slate_desktop.model import Button, PointerMove, PointerPress, PointerScroll, PointerStep
from slate_desktop.wayland.bindings.wlr_virtual_pointer_unstable_v1 import (
    ZwlrVirtualPointerManagerV1Proxy,
    ZwlrVirtualPointerV1Proxy,
)
from slate_desktop.wayland.connection import Connection
from slate_desktop.wayland.keyboard import DOWN, UP, clock_ms
from slate_desktop.wayland.outputs import OutputObject, Outputs
from slated.errors import BadRequest

CODES = {Button.LEFT: 0x110, Button.RIGHT: 0x111, Button.MIDDLE: 0x112}
LEAST = 1 / 256  # the smallest step of an axis that the protocol knows
NOTCH = 15.0  # units of the axis that one notch of a wheel is
FINENESS = 64  # positions per logical pixel


class _Place(NamedTuple):
    """A point of an output and the output's size, as `motion_absolute` takes them."""

    x: int
    y: int
    width: int
    height: int


class Pointers:
    """All virtual pointers of a seat. They move one cursor; each reaches one output.

    A reload unbinds pointers from their outputs without a word. On a seat that lives on through it, `bound` is false:
    one pointer for all outputs, whose places are those of the whole layout before and after.
    """

    def __init__(
        self,
        connection: Connection,
        maker: ZwlrVirtualPointerManagerV1Proxy,
        seat: WlSeatProxy,
        outputs: Outputs,
        *,
        bound: bool = True,
    ) -> None:
        self._connection, self._maker, self._seat, self._outputs = connection, maker, seat, outputs
        self._bound = bound
        self._by_output: dict[str, ZwlrVirtualPointerV1Proxy] = {}
        self._down: list[tuple[str, Button]] = []
        self._last: tuple[str, PointerMove, Rect] | None = None  # move, and the layout it was for
        # Of bound ones, never moved: it keeps the seat's pointer capability while outputs come and go, since
        # clients need a moment to take up a pointer that appears later.
        self._anchor = connection.send(maker.create_virtual_pointer, seat)
        outputs.on_gone(self._on_output_gone)

    @property
    def down(self) -> tuple[Button, ...]:
        """The buttons that are down, in order."""
        return tuple(button for _, button in self._down)

    def steps(self, output_name: str, steps: Sequence[PointerStep]) -> None:
        """Queue steps on one output, or none if a point is not on it (`bad_request.outside`)."""
        output = self._outputs.find(output_name)
        for step in steps:
            if isinstance(step, PointerMove) and not output.rect.contains(step.point):
                raise BadRequest(
                    "outside",
                    f"nothing was sent: {step.point.x:g},{step.point.y:g} is not on {output.name}.",
                )
        pointer = self._pointer(output)
        self._last = None
        for step in steps:
            if isinstance(step, PointerMove):
                self._move(pointer, output, step)
                self._last = output_name, step, self._outputs.whole
            elif isinstance(step, PointerPress):
                self._press(output_name, step.button, down=step.down)
            else:
                self._scroll(pointer, step)

    def corrected(self) -> bool:
        """Queue the last move of the last steps again if the layout has changed since, and so its place; whether so."""
        if self._bound or self._last is None or self._last[2] == self._outputs.whole:
            return False
        output_name, step, _ = self._last
        self.steps(output_name, [step])
        return True

    def release(self) -> None:
        """Queue the release of every button that is down."""
        for output_name, button in reversed(self._down.copy()):
            self._press(output_name, button, down=False)

    def close(self) -> None:
        """Destroy all pointers; the compositor releases what was down. Safe twice."""
        for pointer in (*self._by_output.values(), self._anchor):
            self._connection.destroy(pointer)
        self._by_output.clear()
        self._down.clear()

    def _pointer(self, output: OutputObject) -> ZwlrVirtualPointerV1Proxy:
        if not self._bound:
            return self._anchor
        if output.name not in self._by_output:
            made = self._connection.send(
                self._maker.create_virtual_pointer_with_output, self._seat, output.proxy
            )
            self._by_output[output.name] = made
        return self._by_output[output.name]

    def _on_output_gone(self, output: OutputObject) -> None:
        # Left alive it would be free to roam the person's outputs.
        pointer = self._by_output.pop(output.name, None)
        if pointer is not None:
            self._down = [(name, button) for name, button in self._down if name != output.name]
            self._connection.destroy(pointer)

    def _move(
        self, pointer: ZwlrVirtualPointerV1Proxy, output: OutputObject, step: PointerMove
    ) -> None:
        rect = output.rect if self._bound else self._outputs.whole
        point = step.point.minus(rect.origin)
        place = _Place(
            round(point.x * FINENESS),
            round(point.y * FINENESS),
            rect.width * FINENESS,
            rect.height * FINENESS,
        )
        self._connection.send(
            pointer.motion_absolute,
            clock_ms(),
            *_unturned(place, output.transform if self._bound else 0),
        )
        self._connection.send(pointer.frame)

    def _press(self, output_name: str, button: Button, *, down: bool) -> None:
        pointer = self._by_output.get(output_name, self._anchor)
        held = (output_name, button)
        if down:
            self._down.append(held)
        elif held in self._down:
            self._down.remove(held)
        self._connection.send(pointer.button, clock_ms(), CODES[button], DOWN if down else UP)
        self._connection.send(pointer.frame)

    def _scroll(self, pointer: ZwlrVirtualPointerV1Proxy, step: PointerScroll) -> None:
        if step.begun:
            for axis, notches in _axes(step):
                for turn in (LEAST, -LEAST) if notches else ():
                    self._connection.send(pointer.axis_source, WlPointer.axis_source.continuous)
                    self._connection.send(pointer.axis, clock_ms(), axis, turn)
                    self._connection.send(pointer.frame)
        # A frame per notch: GTK turns a frame of several discrete steps into one.
        for place in range(max(abs(step.down), abs(step.right))):
            self._connection.send(pointer.axis_source, WlPointer.axis_source.wheel)
            for axis, notches in _axes(step):
                if place < abs(notches):
                    sign = 1 if notches > 0 else -1
                    self._connection.send(
                        pointer.axis_discrete, clock_ms(), axis, sign * NOTCH, sign
                    )
            self._connection.send(pointer.frame)


def _axes(step: PointerScroll) -> tuple[tuple[int, int], tuple[int, int]]:
    return (
        (WlPointer.axis.vertical_scroll, step.down),
        (WlPointer.axis.horizontal_scroll, step.right),
    )


def _unturned(place: _Place, transform: int) -> _Place:
    """The place that the compositor turns into `place`: it turns what a pointer bound to an output
    says as if the device were glued to the panel (wlroots 0.20, measured for all eight transforms).
    """
    x, y, width, height = place
    left, up = width - x, height - y
    turned = {
        1: _Place(y, left, height, width),
        2: _Place(left, up, width, height),
        3: _Place(up, x, height, width),
        4: _Place(left, y, width, height),
        5: _Place(y, x, height, width),
        6: _Place(x, up, width, height),
        7: _Place(up, left, height, width),
    }
    return turned.get(transform, place)
