"""The command `slate-desktop runtime`: install, status and remove of a private sway."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from slate_desktop import settings
from slate_desktop.errors import SlateError
from slate_desktop.headless import runtime
from slate_desktop.headless.program import WANTED
from slate_desktop.headless.progress import Progress

INTERRUPTED = 130  # as shells say it
WANTED_TEXT = ".".join(str(part) for part in WANTED)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add `install`, `status` and `remove` to a parser."""
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="install|status|remove")
    install = verbs.add_parser("install", help=f"make sure there is a sway ≥ {WANTED_TEXT}")
    install.add_argument(
        "--mirror", metavar="ADDRESS", help="Debian mirror (else: that of your apt)"
    )
    install.add_argument(
        "--keyring", type=Path, metavar="FILE", help="keys of the mirror (else: Debian's keyring)"
    )
    verbs.add_parser("status", help="say which sway is used; exit code 1 when there is none")
    verbs.add_parser("remove", help="remove the private sway")


def run(arguments: argparse.Namespace) -> int:
    """Do what the parsed arguments say; returns the exit code."""
    environ = settings.environment()
    data_home = settings.data_home(environ)
    progress = Progress(sys.stderr, live=sys.stderr.isatty())
    try:
        if arguments.verb == "install":
            request = runtime.Request(
                arguments.mirror, arguments.keyring, settings.proxies(environ)
            )
            runtime.install(data_home, request, progress)
            return _status(data_home)
        if arguments.verb == "remove":
            removed = runtime.remove(data_home, progress)
            _say("the private sway is gone" if removed else "there was no private sway")
            return 0
        return _status(data_home)
    except SlateError as error:
        progress.close()
        sys.stderr.write(f"slate-desktop: {error.message}\n")
        if error.next_step:
            sys.stderr.write(f"next: {error.next_step}\n")
        return 1
    except KeyboardInterrupt:
        progress.close()
        sys.stderr.write("slate-desktop: interrupted; what has arrived is kept for the next try\n")
        return INTERRUPTED
    finally:
        progress.close()


def _status(data_home: Path) -> int:
    program = runtime.find_sway(data_home)
    system = runtime.system_version()
    if program is None:
        has = f"the system's is {system[0]}.{system[1]}" if system else "the system has none"
        _say(f"no sway ≥ {WANTED_TEXT}: {has}, and no private one is installed")
        _say("next: slate-desktop runtime install")
    elif program.source == "system":
        _say(f"sway {program.version[0]}.{program.version[1]} of the system: {program.argv[0]}")
    for one in runtime.installed(data_home):
        used = "in use" if program and program.source == "private" else "not used"
        _say(f"private sway {one.package}, {one.size_bytes / 1e6:.0f} MB, {used}: {one.directory}")
    return 0 if program else 1


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
