"""The compositor's outputs by name, with their place in the layout."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pywayland.protocol.wayland import WlOutputProxy
from pywayland.protocol.xdg_output_unstable_v1 import ZxdgOutputManagerV1Proxy, ZxdgOutputV1Proxy

from slate_desktop.errors import Stale
from slate_desktop.geometry import Rect
from slate_desktop.wayland.globals import Globals, Offer

NOWHERE = Rect(0, 0, 0, 0)


@dataclass(slots=True)
class OutputObject:
    """An output on the wire: `rect` in logical pixels of the layout, empty until announced.

    `transform` is how its content is turned: a wl_output.transform number.
    """

    proxy: WlOutputProxy
    place: ZxdgOutputV1Proxy
    name: str = ""
    rect: Rect = NOWHERE
    transform: int = 0


class Outputs:
    """All outputs of a connection, kept current."""

    def __init__(self, globals_: Globals) -> None:
        self._globals = globals_
        self._places = globals_.bind(ZxdgOutputManagerV1Proxy, 3)
        self._outputs: dict[int, OutputObject] = {}
        self._gone: list[Callable[[OutputObject], None]] = []
        globals_.watch(WlOutputProxy, self._on_added, self._on_removed)

    @property
    def whole(self) -> Rect:
        """The smallest rectangle around all outputs; empty when there are none."""
        rects = [o.rect for o in self._outputs.values() if not o.rect.empty]
        left = min((r.x for r in rects), default=0)
        top = min((r.y for r in rects), default=0)
        right = max((r.x + r.width for r in rects), default=0)
        bottom = max((r.y + r.height for r in rects), default=0)
        return Rect(left, top, right - left, bottom - top)

    def find(self, name: str) -> OutputObject:
        """The output of that name; `stale.output_gone` if there is none."""
        output = self._find(name)
        if output is None:
            raise Stale(
                "output_gone",
                f"nothing was sent: there is no output {name}.",
                next_step="desktop_windows lists outputs",
            )
        return output

    async def known(self, name: str, deadline_s: float = 0.3) -> None:
        """Wait until an output that sway names is known here too, else `stale.output_gone`."""
        connection = self._globals.connection
        await connection.until(lambda: self._find(name) is not None, deadline_s)
        self.find(name)

    def on_gone(self, handler: Callable[[OutputObject], None]) -> None:
        """Call `handler` when an output goes, before its objects are destroyed."""
        self._gone.append(handler)

    def _find(self, name: str) -> OutputObject | None:
        known = (o for o in self._outputs.values() if o.name == name and not o.rect.empty)
        return next(known, None)

    def _on_added(self, offer: Offer) -> None:
        connection = self._globals.connection
        proxy = self._globals.bind_offer(offer.name, WlOutputProxy, min(offer.version, 4))
        output = OutputObject(proxy, connection.send(self._places.get_xdg_output, proxy))

        def named(name: str) -> None:
            output.name = name

        def turned(*facts: object) -> None:
            output.transform = int(str(facts[-1]))

        def moved(x: int, y: int) -> None:
            output.rect = Rect(x, y, output.rect.width, output.rect.height)

        def resized(width: int, height: int) -> None:
            output.rect = Rect(output.rect.x, output.rect.y, width, height)

        connection.on(proxy, "name", named)
        connection.on(proxy, "geometry", turned)
        connection.on(output.place, "logical_position", moved)
        connection.on(output.place, "logical_size", resized)
        self._outputs[offer.name] = output

    def _on_removed(self, name: int) -> None:
        output = self._outputs.pop(name, None)
        if output is None:
            return
        for handler in self._gone:
            handler(output)
        self._globals.connection.destroy(output.place)
        self._globals.connection.destroy(output.proxy)
