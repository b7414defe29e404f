"""What the compositor offers: the registry, and binding with types kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from pywayland.protocol_core.proxy import Proxy

from slate_desktop.errors import Unavailable
from slate_desktop.wayland.connection import Connection

T = TypeVar("T", bound=Proxy[Any])

NEEDED_SWAY = "1.12"
LOST_WITHOUT = {
    "ext_transient_seat_manager_v1": "agents get no seat",
    "zwp_virtual_keyboard_manager_v1": "agents cannot type",
    "zwlr_virtual_pointer_manager_v1": "agents have no pointer",
    "zxdg_output_manager_v1": "no pointer finds its output",
    "ext_foreign_toplevel_list_v1": "windows cannot be told apart",
    "zwlr_foreign_toplevel_manager_v1": "agents cannot focus windows",
    "ext_image_copy_capture_manager_v1": "no pictures",
    "ext_foreign_toplevel_image_capture_source_manager_v1": "no pictures of windows",
    "ext_output_image_capture_source_manager_v1": "no pictures of screens",
    "ext_data_control_manager_v1": "agents have no clipboard",
    "wp_security_context_manager_v1": "agents cannot launch programs",
    "wp_viewporter": "seats have nowhere to rest",
}
"""What does not work without a protocol, beside those that every compositor has."""


@dataclass(frozen=True, slots=True)
class Offer:
    """One global: its number in the registry, and the version offered."""

    name: int
    interface: str
    version: int


class Globals:
    """The registry of one connection, kept current."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self._offers: dict[int, Offer] = {}
        self._bound: dict[str, Proxy[Any]] = {}
        self._added: list[tuple[str, Callable[[Offer], None]]] = []
        self._removed: list[Callable[[int], None]] = []
        self._registry = connection.send(connection.display.get_registry)
        connection.on(self._registry, "global", self._on_global)
        connection.on(self._registry, "global_remove", self._on_removed)

    @classmethod
    async def load(cls, connection: Connection) -> Globals:
        """The registry with everything announced so far."""
        globals_ = cls(connection)
        await connection.sync()
        return globals_

    def missing(self) -> dict[str, str]:
        """Protocols that are not offered, with what is lost."""
        offered = {offer.interface for offer in self._offers.values()}
        return {name: lost for name, lost in LOST_WITHOUT.items() if name not in offered}

    def bind(self, proxy: type[T], version: int) -> T:
        """The one object of an interface, at most at `version`, else `unavailable.protocol`."""
        interface = proxy.interface.name
        if interface not in self._bound:
            offer = next((o for o in self._offers.values() if o.interface == interface), None)
            if offer is None:
                raise Unavailable(
                    "protocol",
                    f"the compositor does not offer {interface}; sway {NEEDED_SWAY} or later does.",
                    next_step="slate-desktop runtime install",
                )
            self._bound[interface] = self.bind_offer(offer.name, proxy, min(version, offer.version))
        return cast(T, self._bound[interface])

    def bind_offer(self, name: int, proxy: type[T], version: int) -> T:
        """One of several globals of an interface, by its number."""
        return cast(T, self.connection.send(self._registry.bind, name, proxy.interface, version))

    def offers(self, proxy: type[Proxy[Any]]) -> list[Offer]:
        """Every global of an interface that is there now."""
        return [o for o in self._offers.values() if o.interface == proxy.interface.name]

    def watch(
        self,
        proxy: type[Proxy[Any]],
        added: Callable[[Offer], None],
        removed: Callable[[int], None],
    ) -> None:
        """Call `added` for each global of an interface, now and later; `removed` when one goes."""
        interface = proxy.interface.name
        self._added.append((interface, added))
        self._removed.append(removed)
        for offer in self.offers(proxy):
            added(offer)

    def _on_global(self, name: int, interface: str, version: int) -> None:
        offer = self._offers[name] = Offer(name, interface, version)
        for wanted, added in self._added:
            if wanted == interface:
                added(offer)

    def _on_removed(self, name: int) -> None:
        offer = self._offers.pop(name, None)
        if offer is None:
            return
        gone = self._bound.pop(offer.interface, None)
        if gone is not None:
            self.connection.destroy(gone)
        for removed in self._removed:
            removed(name)
