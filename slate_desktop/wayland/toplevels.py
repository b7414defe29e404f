"""The compositor's two window lists, paired: one has identifiers, one focuses."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from struct import iter_unpack

from pywayland.protocol.ext_foreign_toplevel_list_v1 import (
    ExtForeignToplevelHandleV1Proxy,
    ExtForeignToplevelListV1Proxy,
)
from pywayland.protocol.wayland import WlSeatProxy

from slate_desktop.errors import window_gone
from slate_desktop.model import Handle
from slate_desktop.wayland.bindings.wlr_foreign_toplevel_management_unstable_v1 import (
    ZwlrForeignToplevelHandleV1,
    ZwlrForeignToplevelHandleV1Proxy,
    ZwlrForeignToplevelManagerV1Proxy,
)
from slate_desktop.wayland.globals import Globals

UNNAMED = Handle("")
ACTIVATED = ZwlrForeignToplevelHandleV1.state.activated


@dataclass(slots=True, eq=False)
class _Identified:
    """A window of ext_foreign_toplevel_list_v1."""

    proxy: ExtForeignToplevelHandleV1Proxy
    handle: Handle = UNNAMED
    title: str = ""
    app_id: str = ""
    described: bool = False


@dataclass(slots=True, eq=False)
class _Managed:
    """A window of zwlr_foreign_toplevel_manager_v1."""

    proxy: ZwlrForeignToplevelHandleV1Proxy
    title: str = ""
    app_id: str = ""
    activated: bool = False
    described: bool = False
    stirred_at: float = 0.0


class Toplevels:
    """Every window of the compositor by its handle."""

    def __init__(self, globals_: Globals) -> None:
        self._connection = globals_.connection
        self._identified: list[_Identified] = []  # not paired yet, in order of announcement
        self._managed: list[_Managed] = []
        self._pairs: dict[Handle, tuple[_Identified, _Managed]] = {}
        self._watchers: list[Callable[[], None]] = []
        self._clock = asyncio.get_running_loop().time
        self._all_stirred_at = 0.0
        self._news = False
        self._connection.on_batch(self._tell)
        # Both in one flush, so both lists begin with the same windows.
        identifying = globals_.bind(ExtForeignToplevelListV1Proxy, 1)
        managing = globals_.bind(ZwlrForeignToplevelManagerV1Proxy, 3)
        self._connection.on(identifying, "toplevel", self._on_identified)
        self._connection.on(managing, "toplevel", self._on_managed)

    @property
    def handles(self) -> tuple[Handle, ...]:
        """All windows, oldest known first."""
        return tuple(self._pairs)

    def watch(self, handler: Callable[[], None]) -> None:
        """Call `handler` after a batch in which a window came, went, changed state or title."""
        self._watchers.append(handler)

    def unwatch(self, handler: Callable[[], None]) -> None:
        """Stop calling `handler`. Safe twice."""
        if handler in self._watchers:
            self._watchers.remove(handler)

    def title(self, handle: Handle) -> str:
        """The title as last announced; `stale.window_gone` like all calls here."""
        return self._pair(handle)[1].title

    def app_id(self, handle: Handle) -> str:
        """The app id; for an X11 window its class."""
        return self._pair(handle)[1].app_id

    def activated(self, handle: Handle) -> bool:
        """Whether some seat's focus is here, as last announced. False for a window that is gone."""
        pair = self._pairs.get(handle)
        return pair is not None and pair[1].activated

    def activated_handles(self) -> frozenset[Handle]:
        """All windows that some seat focuses."""
        return frozenset(
            handle for handle, (_, managed) in self._pairs.items() if managed.activated
        )

    def activate(self, handle: Handle, seat: WlSeatProxy) -> None:
        """Queue: focus this window for that seat."""
        managed = self._pair(handle)[1]
        managed.stirred_at = self._clock()
        self._connection.send(managed.proxy.activate, seat)

    def stir(self) -> None:
        """Note that pointers of ours did something: any window may be about to draw anew."""
        self._all_stirred_at = self._clock()

    def stirred_at(self, handle: Handle) -> float:
        """When a window last had a reason to draw, on the loop's clock: strokes, a new title or state."""
        return max(self._pair(handle)[1].stirred_at, self._all_stirred_at)

    def capture_object(self, handle: Handle) -> ExtForeignToplevelHandleV1Proxy:
        """The object that capture sources are made from."""
        return self._pair(handle)[0].proxy

    def by_title(self, app_id: str, title: str) -> Handle | None:
        """The window of exactly that app id and title, if it is there."""
        for handle, (_, managed) in self._pairs.items():
            if (managed.app_id, managed.title) == (app_id, title):
                return handle
        return None

    async def known(self, handle: Handle, deadline_s: float = 0.3) -> None:
        """Wait until a window of sway's tree is in our lists too, else `stale.window_gone`."""
        if handle not in self._pairs:
            await self._connection.sync()
            await self._connection.until(lambda: handle in self._pairs, deadline_s)
        self._pair(handle)

    def _pair(self, handle: Handle) -> tuple[_Identified, _Managed]:
        pair = self._pairs.get(handle)
        if pair is None:
            raise window_gone("the window")
        return pair

    def _on_identified(self, proxy: ExtForeignToplevelHandleV1Proxy) -> None:
        connection, window = self._connection, _Identified(proxy)
        connection.adopt_object(proxy)
        self._identified.append(window)

        def identifier(value: str) -> None:
            window.handle = Handle(value)

        def closed() -> None:
            if window in self._identified:
                self._identified.remove(window)
            self._pairs.pop(window.handle, None)
            connection.destroy(proxy)
            self._changed()

        connection.on(proxy, "identifier", identifier)
        connection.on(proxy, "closed", closed)
        self._describe(window)

    def _on_managed(self, proxy: ZwlrForeignToplevelHandleV1Proxy) -> None:
        connection, window = self._connection, _Managed(proxy)
        connection.adopt_object(proxy)
        self._managed.append(window)

        def state(flags: bytes) -> None:
            window.activated = (ACTIVATED,) in iter_unpack("=I", flags)
            window.stirred_at = self._clock()

        def closed() -> None:
            window.activated = False
            if window in self._managed:
                self._managed.remove(window)
            for handle in [h for h, (_, managed) in self._pairs.items() if managed is window]:
                del self._pairs[handle]
            connection.destroy(proxy)
            self._changed()

        connection.on(proxy, "state", state)
        connection.on(proxy, "closed", closed)
        self._describe(window)

    def _describe(self, window: _Identified | _Managed) -> None:
        def title(value: str) -> None:
            window.title = value
            if isinstance(window, _Managed):
                window.stirred_at = self._clock()

        def app_id(value: str) -> None:
            window.app_id = value

        def done() -> None:
            window.described = True
            self._changed()

        self._connection.on(window.proxy, "title", title)
        self._connection.on(window.proxy, "app_id", app_id)
        self._connection.on(window.proxy, "done", done)

    def _changed(self) -> None:
        for identified, managed in list(self._matches()):
            self._identified.remove(identified)
            self._managed.remove(managed)
            self._pairs[identified.handle] = identified, managed
        self._news = True

    def _tell(self) -> None:
        if self._news:
            self._news = False
            for handler in tuple(self._watchers):
                handler()

    def _matches(self) -> Iterator[tuple[_Identified, _Managed]]:
        """Pairs in order of announcement. A title seen in one list only waits for the other."""
        waiting = [managed for managed in self._managed if managed.described]
        for identified in [window for window in self._identified if window.described]:
            managed = next((m for m in waiting if _same(identified, m)), None)
            if managed is not None:
                waiting.remove(managed)
                yield identified, managed


def _same(identified: _Identified, managed: _Managed) -> bool:
    # X11 windows have no app id in the ext list; the wlr one has their class.
    return identified.title == managed.title and identified.app_id in ("", managed.app_id)
