"""Which desk a daemon holds: that of the sway it belongs to, or that of a private one without a screen."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import anyio

from slate_desktop import daemon, settings
from slate_desktop.errors import SlateError, Unavailable
from slate_desktop.gate import Conscience, connector, conscience
from slate_desktop.geometry import Size
from slated.toolspec import ToolSpec
from slated.wire.peer import Peer

if TYPE_CHECKING:
    from slate_desktop.desk import OpenDesk
    from slate_desktop.headless.session import Session

# What takes long to import; the SDK alone half a second and more.
ROOMS: Final = ("slate_desktop.mcp_server", "slate_desktop.desk", "slate_desktop.tools")
BACKGROUND: Final = Size(1280, 800)
# An application gets the person's environment but for what names a display: that is given by the launch.
# Toolkits describe their widgets only if they are told to before they start.
ACCESSIBLE: Final = {"QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1", "GTK_A11Y": "atspi"}
_DISPLAYS: Final = frozenset({"WAYLAND_DISPLAY", "WAYLAND_SOCKET", "DISPLAY", "SWAYSOCK", "I3SOCK"})


def serve(
    socket: str,
    *,
    size: str | None,
    linger_s: float | None,
    ready_fd: int | None,
    seats: str | None = None,
) -> int:
    """Be the daemon at `socket`: of a private desktop of that size, or (None) of the person's. The exit code.

    `seats` is the kind of seat, transient or named (None: as the environment says).
    """
    daemon.prepare()
    environ = settings.environment()
    if seats is not None:
        environ = {**environ, "SLATE_SEATS": seats}

    async def run() -> int:
        opener = attached if size is None else partial(headless, size=size)
        return await daemon.run(
            socket, partial(opener, environ), linger_s=linger_s, ready_fd=ready_fd
        )

    return anyio.run(run)


class DeskHeld:
    """An open desk as the daemon wants it."""

    def __init__(
        self,
        desk: OpenDesk,
        registry: Sequence[ToolSpec],
        compositor: settings.Compositor,
        session: Session | None,
    ) -> None:
        self.registry = registry
        self._desk = desk
        self._compositor = compositor
        self._session = session

    def lease(self, peer: Peer) -> AbstractAsyncContextManager[object]:
        """A seat and refs for one connection."""
        return self._desk.lease(peer)

    async def occupied(self) -> bool:
        """Whether programs of the agent have windows open."""
        return await self._desk.occupied()

    async def ended(self) -> str:
        """Wait for the end of the sway; of a private session, of any part of it."""
        if self._session is not None:
            return await self._session.ended()
        # A connection that asks nothing stays open as long as the sway does.
        try:
            async with await anyio.connect_unix(self._compositor.sway_socket) as link:
                async for _ in link:
                    pass
        except (OSError, anyio.BrokenResourceError):
            pass
        return "sway"


@asynccontextmanager
async def attached(environ: Mapping[str, str]) -> AsyncIterator[DeskHeld]:
    """The desk of the sway we were started in, else of the only one there is."""
    runtime = settings.runtime_dir(environ)
    compositor = settings.find_compositor(runtime, environ)
    await daemon.imported(*ROOMS)
    app_env = {name: value for name, value in environ.items() if name not in _DISPLAYS}
    app_env |= {name: value for name, value in ACCESSIBLE.items() if name not in app_env}
    way = conscience(connector(environ), attended=settings.attended(compositor))
    seat = settings.named_seat(environ)
    async with (
        way as slated,
        _desk(compositor, _state(runtime, "desktop"), app_env, None, slated, seat) as held,
    ):
        yield held


@asynccontextmanager
async def headless(environ: Mapping[str, str], size: str) -> AsyncIterator[DeskHeld]:
    """The desk of a private sway with a screen of `size`, started for it and ended with it."""
    state = _state(settings.runtime_dir(environ), "headless")
    async with AsyncExitStack() as stack:
        session = await _session(stack, environ, size)
        compositor = settings.Compositor(session.sway_socket, session.wayland_socket)
        app_env = {n: value for n, value in session.app_env.items() if n not in _DISPLAYS}
        way = conscience(connector(environ), attended=False)
        slated = await stack.enter_async_context(way)
        yield await stack.enter_async_context(_desk(compositor, state, app_env, session, slated))


async def _session(stack: AsyncExitStack, environ: Mapping[str, str], size: str) -> Session:
    """Start the session, and import what serves it meanwhile."""
    from slate_desktop.headless import runtime
    from slate_desktop.headless.command import parse_size
    from slate_desktop.headless.session import open_session

    program = runtime.find_sway(settings.data_home(environ))
    if program is None:
        raise Unavailable(
            "sway",
            "there is no sway ≥ 1.12 on this machine.",
            next_step="slate-desktop runtime install",
        )
    failure: SlateError | None = None
    async with anyio.create_task_group() as imports:
        imports.start_soon(daemon.imported, *ROOMS)
        opening = open_session(program, size=parse_size(size), slow=settings.slow(environ))
        try:
            session = await stack.enter_async_context(opening)
        except SlateError as error:  # out of the task group as it is, not in a group
            failure = error
    if failure is not None:
        raise failure
    return session


@asynccontextmanager
async def _desk(
    compositor: settings.Compositor,
    state: Path,
    app_env: Mapping[str, str],
    session: Session | None,
    slated: Conscience,
    named_seat: str | None = None,
) -> AsyncIterator[DeskHeld]:
    from slate_desktop import tools
    from slate_desktop.desk import DeskPlan, open_desk

    plan = DeskPlan(
        compositor,
        state,
        app_env,
        BACKGROUND,
        a11y_address=session.a11y_address if session is not None else None,
        session_bus=app_env.get("DBUS_SESSION_BUS_ADDRESS"),
        named_seat=named_seat,
        attended=slated.attended,
    )
    async with open_desk(plan, gate=slated.gate) as desk:
        yield DeskHeld(desk, tools.ALL, compositor, session)


def _state(runtime: Path, name: str) -> Path:
    state = settings.state_dir(runtime) / name
    state.mkdir(mode=0o700, exist_ok=True)
    return state
