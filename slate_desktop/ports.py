"""The seams between the turn and the outside: what it may ask of a gate, of hands, eyes, windows and widgets.

Adapters and the fakes in tests/fakes implement these; nothing above the desk sees anything else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from slate_desktop.consoles import Consoles
from slate_desktop.elements import Deed, Detail, Element, Key, Seen, TextNow, Tree
from slate_desktop.errors import SlateError
from slate_desktop.geometry import Point, Rect
from slate_desktop.intent import Intent
from slate_desktop.model import (
    Desktop,
    Drawn,
    Handle,
    KeyBurst,
    Pixels,
    Place,
    PointerStep,
    Window,
    WindowId,
)
from slate_desktop.outcome import Launched, Outcome
from slated.model import Grant


class Gate(Protocol):
    """Whoever decides whether an intent may run. Only a gate makes a Grant."""

    async def admit(self, intent: Intent, *, under: Grant | None = None) -> Grant:
        """Permission for this intent, or Refused. `under`: the grant of the batch this intent is a step of."""

    async def finish(self, grant: Grant, outcome: Outcome | SlateError) -> None:
        """The receipt: what came of it. Called exactly once for each grant."""


class Hands(Protocol):
    """The keyboard and pointer of one leased seat. A burst leaves in one flush, led by the focus it is meant for."""

    @property
    def seat(self) -> str:
        """The compositor's name of the seat, as in `Desktop.focus`."""

    async def focus(self, handle: Handle) -> bool:
        """Focus a window for this seat alone. True once the compositor says it is activated, False after 0.3 s."""

    def focused(self, handle: Handle) -> bool:
        """Whether the compositor last said this window is activated."""

    async def keys(self, handle: Handle, burst: KeyBurst, *, hold_s: float = 0) -> None:
        """Focus and strokes in one flush, then a round trip. `hold_s` keeps the last stroke down that long."""

    async def pointer(
        self, output: str, steps: Sequence[PointerStep], *, modifiers: int = 0
    ) -> None:
        """Pointer steps on one output in one flush, keyboard modifiers (mask) held around them, then a round trip."""

    async def rest(self) -> None:
        """Release everything held and put the focus back on our parking window. Safe at any time, also twice."""


class Clipboard(Protocol):
    """The clipboard of one leased seat. The person's is another one."""

    @property
    def types(self) -> tuple[str, ...]:
        """The media types that are offered now."""

    async def read(self, type_: str, *, limit: int, deadline_s: float) -> bytes:
        """The content as that type, unchanged and at most `limit` bytes."""

    async def offer(self, content: Mapping[str, bytes]) -> None:
        """Make this the clipboard; nothing empties it."""


class Eyes(Protocol):
    """Pictures of windows and screens. Looking changes nothing the person sees."""

    async def window(self, handle: Handle, *, settle: bool = True) -> Pixels:
        """The window's surfaces (shadows included). `settle` waits until no frame has come for 40 ms (at most 250)."""

    async def output(self, name: str) -> Pixels:
        """What an output shows, upright, in physical pixels."""

    async def still(self, handle: Handle, *, quiet_s: float, deadline_s: float) -> bool:
        """Wait until the window has not repainted for `quiet_s`; False when the deadline came first."""


class Windows(Protocol):
    """The window manager. Windows are addressed by id only: no text of theirs ever enters a command."""

    async def desktop(self, *, drawn: bool = False) -> Desktop:
        """Everything as it is now, and the current seat the person's again; `drawn`: once a pointer finds it so."""

    async def changed(self, *, deadline_s: float) -> bool:
        """Wait for the next window, workspace or output event after this call; False when none came in time."""

    async def close(self, id_: WindowId) -> None:
        """Ask the window to close."""

    async def reshape(
        self,
        id_: WindowId,
        *,
        rect: Rect | None = None,
        floating: bool | None = None,
        fullscreen: bool | None = None,
        place: Place | None = None,
    ) -> None:
        """Change what is given; the caller measures what it became."""

    async def arrange(self, ids: Sequence[WindowId], layout: str) -> None:
        """Lay out background windows: side-by-side, stacked, tabbed, grid or floating."""

    async def to_background(self, id_: WindowId) -> None:
        """Move a window to the agent's workspace without changing anyone's focus."""


class Widgets(Protocol):
    """The elements of windows, as their programs describe them. Each call ends within 2 s, also when one hangs.

    Errors of all: `unavailable.no_bus`, `.no_tree`, `.not_enabled`, `.not_ready`, `.frozen`.
    """

    async def tree(self, window: Window, *, budget_s: float = 2.0, most: int = 6_000) -> Tree:
        """A window's elements with its open menus, at most `most`; what is missing is said in it."""

    async def details(
        self, window: Window, elements: Sequence[Element], *, characters: int = 400
    ) -> Mapping[Key, Detail]:
        """Boxes, values (their first `characters`) and actions; of elements gone meanwhile, nothing."""

    async def texts(self, window: Window, keys: Sequence[Key], near: int) -> Mapping[Key, TextNow]:
        """The `near` characters before the carets of elements that have text."""

    async def now(self, window: Window, seen: Seen) -> Seen | None:
        """What the element of a ref is now; None when it is gone."""

    async def hit(self, window: Window, point: Point) -> Sequence[Element]:
        """What a pointer at a point of the content would hit by the program's own word, and what is around that."""

    async def do(self, window: Window, key: Key, deed: Deed) -> bool:
        """Ask something of an element; False when it does not offer that or says no."""


class Launcher(Protocol):
    """Starts programs in the agent's background."""

    def command(self, app: str, files: Sequence[str]) -> Sequence[str]:
        """The argv of a desktop entry, named by id or name, for these files or URLs."""

    async def start(
        self, argv: Sequence[str], *, cwd: str | None, seat: str | None = None, x11: bool = False
    ) -> Launched:
        """Start detached, stdin closed, output to a capped file; every window it opens carries `Launched.id`.

        Its programs are told of `seat` before all others: some take input from the first only. With `x11` they have
        an X server of their own, which is one window.
        """

    async def close(self, launch: str) -> bool:
        """Ask the X server of a launch to have its window closed; False when it has none."""


class Witness(Protocol):
    """Whoever saw programs draw their windows."""

    async def drawn(self, desktop: Desktop, window: Window) -> Drawn | None:
        """How a window is drawn now; None when nobody saw, or the window could be one of several."""


@dataclass(frozen=True, slots=True)
class Desk:
    """What every connection works with: the outside, behind its seams."""

    gate: Gate
    eyes: Eyes
    windows: Windows
    launcher: Launcher
    widgets: Widgets
    witness: Witness
    consoles: Consoles


__all__ = [
    "Desk",
    "Eyes",
    "Gate",
    "Hands",
    "Launched",
    "Launcher",
    "Widgets",
    "Window",
    "Windows",
    "Witness",
]
