"""The command line `slate-desktop`. Each command imports its own room, so that `mcp` and the verbs start at once."""

from __future__ import annotations

import argparse
import os
import sys

# Also started by its path, with `python -I -S`: the front needs neither site-packages nor the environment.
_ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
if _ROOT not in sys.path:
    sys.path.insert(0, _ROOT)

from slate_desktop import __version__  # noqa: E402 - needs the path from above
from slated.errors import SlateError  # noqa: E402
from slated.wire import front, start  # noqa: E402

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

SIZE = "1280x800"
HELP = """\
usage: slate-desktop COMMAND ...

  mcp [--headless] [--size WxH]     serve an agent over stdin and stdout (register this with it)
  daemon                            hold the desktop; started by itself when it is needed
  headless [--size WxH] [-- CMD]    a complete desktop without a screen, until CMD or you end it
  runtime install|status|remove     the private sway, for machines that have none
  doctor                            say what works here
  VERB [ARGUMENT ...]               one call of the tool desktop_VERB, as in:
        windows · screenshot w3 -o out.png · click w3 100 50 · type "text" --target w3
        move · drag · scroll · key · launch · close · focus · show · hide · window-set · arrange
        elements · read · element-click · element-set-text · clipboard-get · clipboard-set
        wait · status · batch
        VERB --help tells its arguments; --json prints facts for programs; --headless asks the
        desktop without a screen
"""


def main(words: Sequence[str] | None = None) -> int:
    """Run the command that `words` (default: the command line) name; the exit code."""
    given = list(sys.argv[1:] if words is None else words)
    if not given or given[0] in ("-h", "--help", "help"):
        sys.stdout.write(HELP)
        return 0 if given else 2
    if given[0] in ("-V", "--version"):
        sys.stdout.write(f"slate-desktop {__version__}\n")
        return 0
    command = _COMMANDS.get(given[0])
    try:
        return command(given[1:]) if command else _verb(given)
    except SlateError as error:
        sys.stderr.write(f"slate-desktop: {error.code}: {error.message}\n")
        if error.next_step:
            sys.stderr.write(f"next: {error.next_step}\n")
        return 1


def daemon_of(
    environ: Mapping[str, str], *, headless: bool, size: str = SIZE, version: str = __version__
) -> start.Daemon:
    """The daemon of this user's desktop, or of the one without a screen, and how to start it."""
    command = [sys.executable, "-I", os.path.abspath(__file__), "daemon"]
    if headless:
        return start.Daemon(
            "headless",
            version=version,
            command=[*command, "--headless", "--size", size],
            environ=environ,
            unit="slate-headless.service",
        )
    return start.Daemon(
        "desktop",
        version=version,
        command=command,
        environ=environ,
        attached=("WAYLAND_DISPLAY", "SWAYSOCK"),
        unit="slate-desktop.service",
    )


def _parser(name: str, text: str) -> argparse.ArgumentParser:
    return argparse.ArgumentParser(prog=f"slate-desktop {name}", description=text)


def _mcp(words: list[str]) -> int:
    parser = _parser("mcp", "Serve an agent over stdin and stdout.")
    parser.add_argument("--headless", action="store_true", help="a desktop without a screen")
    parser.add_argument(
        "--size", default=SIZE, metavar="WxH", help="of its screen, if this starts it (%(default)s)"
    )
    given = parser.parse_args(words)
    front.main(lambda env: daemon_of(env, headless=given.headless, size=given.size))


def _daemon(words: list[str]) -> int:
    parser = _parser("daemon", "Hold the desktop for this session.")
    parser.add_argument("--headless", action="store_true", help="start a desktop without a screen")
    parser.add_argument("--size", default=SIZE, metavar="WxH", help="of its screen (%(default)s)")
    parser.add_argument(
        "--linger",
        type=float,
        default=600,
        metavar="SECONDS",
        help="a desktop without a screen ends after so long without connections and windows (%(default)g)",
    )
    parser.add_argument(
        "--seats",
        choices=("transient", "named"),
        help="the agent's own (default), or slate-1 of sway/slate-seat.conf; also SLATE_SEATS",
    )
    parser.add_argument("--ready-fd", type=int, metavar="FD", help="gets a line once it serves")
    given = parser.parse_args(words)
    from slate_desktop import openers

    return openers.serve(
        daemon_of(start.surroundings(), headless=given.headless).socket,
        size=given.size if given.headless else None,
        linger_s=given.linger if given.headless else None,
        ready_fd=given.ready_fd,
        seats=given.seats,
    )


def _headless(words: list[str]) -> int:
    from slate_desktop.headless import command

    parser = _parser("headless", "A complete desktop without a screen.")
    command.add_arguments(parser)
    return command.run(parser.parse_args(words))


def _runtime(words: list[str]) -> int:
    from slate_desktop.headless import runtime_command

    parser = _parser("runtime", "The private sway, for machines that have none.")
    runtime_command.add_arguments(parser)
    return runtime_command.run(parser.parse_args(words))


def _doctor(words: list[str]) -> int:
    from slate_desktop import doctor

    _parser("doctor", "Say what works here.").parse_args(words)
    environ = start.surroundings()
    daemons = [daemon_of(environ, headless=headless) for headless in (False, True)]
    return doctor.run(daemons, sys.stdout.write)


def _verb(words: list[str]) -> int:
    from slate_desktop import verbs

    return verbs.run(words, daemon_of, start.surroundings())


_COMMANDS: dict[str, Callable[[list[str]], int]] = {
    "mcp": _mcp,
    "daemon": _daemon,
    "headless": _headless,
    "runtime": _runtime,
    "doctor": _doctor,
}

if __name__ == "__main__":
    sys.exit(main())
