"""The command `slate-desktop headless`: a desktop without a screen, for a program or until a signal."""

from __future__ import annotations

import argparse
import contextlib
import re
import shlex
import shutil
import signal
import sys
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import anyio

from slate_desktop import settings
from slate_desktop.errors import BadRequest, SlateError, Unavailable
from slate_desktop.geometry import Size
from slate_desktop.headless import recipe, runtime
from slate_desktop.headless.session import SCREEN_SIZE, Session, open_session

SIZE = re.compile(r"(\d{2,5})x(\d{2,5})")
LARGEST_PX = 16384
ASKING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
LEAVE_S = 1.0
SIGNALLED = 128  # added to a signal's number, as shells do


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the size of the screen, the home directory and the program to a parser."""
    parser.add_argument(
        "--size", default=str(SCREEN_SIZE), metavar="WxH", help="size of the screen (%(default)s)"
    )
    parser.add_argument(
        "--home", type=Path, metavar="DIR", help="HOME of the programs (else: your own)"
    )
    parser.add_argument(
        "command", nargs="*", metavar="CMD", help="program to run in it; it ends with the program"
    )


def run(arguments: argparse.Namespace) -> int:
    """Open the desktop, run the program in it or wait for a signal; returns the exit code."""
    environ = settings.environment()
    try:
        return anyio.run(_run, arguments, environ)
    except SlateError as error:
        sys.stderr.write(f"slate-desktop: {error.message}\n")
        if error.next_step:
            sys.stderr.write(f"next: {error.next_step}\n")
        return 1


async def _run(arguments: argparse.Namespace, environ: Mapping[str, str]) -> int:
    size = parse_size(arguments.size)
    path = environ.get("PATH") or recipe.PATH
    command = _found(arguments.command, path)
    program = runtime.find_sway(settings.data_home(environ))
    if program is None:
        raise Unavailable(
            "sway",
            "there is no sway ≥ 1.12 on this machine.",
            next_step="slate-desktop runtime install",
        )
    session = open_session(
        program,
        size=size,
        home=arguments.home or settings.home(environ),
        path=path,
        slow=settings.slow(environ),
    )
    with anyio.open_signal_receiver(*ASKING) as signals:
        async with session as desktop:
            ending = Ending()
            async with anyio.create_task_group() as group:
                group.start_soon(_asked, signals, ending, group.cancel_scope)
                group.start_soon(_over, desktop, ending, group.cancel_scope)
                if not command:
                    sys.stdout.write(how_to_join(desktop, size))
                    sys.stdout.flush()
                    await anyio.sleep_forever()
                terminal = {"TERM": environ["TERM"]} if "TERM" in environ else {}
                env = {**desktop.app_env, **terminal}
                ending.code = await _program(command, env)
                group.cancel_scope.cancel()
    if ending.what:
        sys.stderr.write(f"slate-desktop: {ending.what}\n")
    return ending.code


@dataclass(slots=True)
class Ending:
    """How the command will end: its exit code, and what has to be said about it."""

    code: int = 0
    what: str = ""


async def _asked(
    signals: AsyncIterator[signal.Signals], ending: Ending, scope: anyio.CancelScope
) -> None:
    async for number in signals:
        ending.code = SIGNALLED + number
        scope.cancel()


async def _over(desktop: Session, ending: Ending, scope: anyio.CancelScope) -> None:
    ending.what = f"the headless desktop has ended by itself ({await desktop.ended()})"
    ending.code = 1
    scope.cancel()


def _found(command: list[str], path: str) -> list[str]:
    """The command with its program's path, or nothing where there is no command."""
    if not command:
        return []
    program = shutil.which(command[0], path=path)
    if program is None:
        raise BadRequest("command", f"there is no program {command[0]!r}.")
    return [program, *command[1:]]


async def _program(command: list[str], env: Mapping[str, str]) -> int:
    """Run a program on our own input and output; its exit code, as a shell would give it."""
    process = await anyio.open_process(command, stdin=None, stdout=None, stderr=None, env=env)
    try:
        code = await process.wait()
    finally:
        with anyio.CancelScope(shield=True):
            with contextlib.suppress(ProcessLookupError):
                process.terminate()
            with anyio.move_on_after(LEAVE_S):
                await process.wait()
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.aclose()
    return code if code >= 0 else SIGNALLED - code


def how_to_join(desktop: Session, size: Size) -> str:
    """Shell lines that let programs of another terminal into the desktop."""
    personal = ("HOME", "USER", "LOGNAME", "PATH", "LANG", recipe.MARK)
    shared = {name: value for name, value in desktop.app_env.items() if name not in personal}
    shared["SWAYSOCK"] = str(desktop.sway_socket)
    lines = [
        f"# A desktop of {size}; it ends with this command (Ctrl+C). To join from another shell:",
        *(f"export {name}={shlex.quote(value)}" for name, value in shared.items()),
    ]
    return "\n".join(lines) + "\n"


def parse_size(text: str) -> Size:
    """`1280x800` as a Size. Raises BadRequest."""
    match = SIZE.fullmatch(text)
    size = Size(int(match[1]), int(match[2])) if match else Size(0, 0)
    if not (0 < size.width <= LARGEST_PX and 0 < size.height <= LARGEST_PX):
        raise BadRequest("size", f"{text!r} is no size.", next_step="write it like 1280x800")
    return size
