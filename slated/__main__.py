"""The command lines `slate` and `slated`. Each command imports its own room, so that all start at once."""

from __future__ import annotations

import argparse
import os
import sys

# Also started by its path, with `python -I`: then the package is found through this.
_ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
if _ROOT not in sys.path:
    sys.path.insert(0, _ROOT)

from slated import __version__  # noqa: E402 - needs the path from above
from slated.errors import SlateError  # noqa: E402

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

HELP = """\
usage: slate COMMAND ...

  status                       how slated is, and the tasks that run
  tasks                        every task that is remembered
  approvals                    answer questions, in a terminal of its own
  audit [FILTER ...]           what was asked, decided and done
  audit verify | export        judge the log; write it out as it stands
  policy check -- COMMAND ...  which tier a command has, and why
  policy check --tool NAME JSON [--client NAME]
  catch-up                     what agents found that nobody looked at yet
  catch-up bind|propose|dismiss|retry|set-aside SLATE
  review                       decide about it, in a terminal of its own
  workspace list|show|create|rename|archive|add|remove|member ...
                               where findings of a project go, and who may read them
  memory [find|remember|forget ...]
                               what agents remember
  auto on|off TASK             let a task run unasked for 60 minutes
  undo [TASK] [--last]         take back what an agent did: its last prompt, or a whole task
  undo --redo | --resume       take the last undo back; finish one that was cut off
  snapshots list|show|prune    what can be undone, and what it takes
  hook install|uninstall claude|codex
                               put Slate's hooks and servers into an agent program's settings
  mcp                          serve an agent over stdin and stdout
  serve                        be slated; started by itself when it is needed
"""


def main(words: Sequence[str] | None = None) -> int:
    """Run the command that `words` (default: the command line) name; the exit code."""
    given = list(sys.argv[1:] if words is None else words)
    if not given or given[0] in ("-h", "--help", "help"):
        sys.stdout.write(HELP)
        return 0 if given else 2
    if given[0] in ("-V", "--version"):
        sys.stdout.write(f"slate {__version__}\n")
        return 0
    command = _COMMANDS.get(given[0])
    if command is None:
        sys.stderr.write(f"slate: there is no command {given[0]!r}\n{HELP}")
        return 2
    try:
        code = command(given[1:])
        sys.stdout.flush()
        return code
    except SlateError as error:
        sys.stderr.write(f"slate: {error.code}: {error.message}\n")
        if error.next_step:
            sys.stderr.write(f"next: {error.next_step}\n")
        return 1
    except BrokenPipeError:
        # Who read us has seen enough; what is left in the buffer must not fail once more at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141


def _environ() -> Mapping[str, str]:
    from slated import settings

    return settings.environment()


def _parser(name: str, text: str) -> argparse.ArgumentParser:
    return argparse.ArgumentParser(prog=f"slate {name}", description=text)


def _serve(words: list[str]) -> int:
    parser = _parser("serve", "Be slated: the conscience of this user's agents.")
    parser.add_argument(
        "--linger", type=float, metavar="SECONDS", help="end after so long unneeded"
    )
    parser.add_argument("--ready-fd", type=int, metavar="FD", help="gets a line once it serves")
    parser.add_argument(
        "--no-marks",
        action="store_true",
        help="for tests: leave the limits of agent programs as they are, and tell what they start by parents only",
    )
    given = parser.parse_args(words)
    import anyio

    from slated import daemon, settings
    from slated.wire import control

    daemon.prepare()
    environ = settings.environment()
    where = settings.directories(environ)
    linger_s = daemon.LINGER_S if given.linger is None else given.linger

    async def run() -> int:
        socket = control.daemon_of(environ).socket
        return await daemon.run(
            socket, where, linger_s=linger_s, ready_fd=given.ready_fd, marks=not given.no_marks
        )

    return anyio.run(run)


def _status(words: list[str]) -> int:
    parser = _parser("status", "How slated is, and the tasks that run.")
    parser.add_argument("--json", action="store_true", help="facts for programs")
    given = parser.parse_args(words)
    from slated.commands import status

    return status.status(_environ(), as_json=given.json)


def _tasks(words: list[str]) -> int:
    parser = _parser("tasks", "Every task that is remembered.")
    parser.add_argument("--json", action="store_true", help="facts for programs")
    given = parser.parse_args(words)
    from slated.commands import status

    return status.tasks(_environ(), as_json=given.json)


def _auto(words: list[str]) -> int:
    parser = _parser("auto", "Let a task run unasked for 60 minutes, or end that.")
    parser.add_argument("switch", choices=("on", "off"))
    parser.add_argument("task", metavar="TASK")
    given = parser.parse_args(words)
    from slated.commands import status

    return status.auto(_environ(), given.task, on=given.switch == "on")


def _approvals(words: list[str]) -> int:
    _parser("approvals", "Answer questions. Needs a terminal window of its own.").parse_args(words)
    from slated.commands import approvals

    return approvals.run(_environ())


def _audit(words: list[str]) -> int:
    parser = _parser("audit", "What was asked, decided and done.")
    parser.add_argument("what", nargs="?", choices=("show", "verify", "export"), default="show")
    parser.add_argument("--task", default="", metavar="ID")
    parser.add_argument("--tool", default="", metavar="NAME", help="or the start of a name")
    parser.add_argument("--tier", default="", choices=("observe", "reversible", "confirm"))
    parser.add_argument(
        "--kind", default="", metavar="KIND", help="call, outcome, question, answer, …"
    )
    parser.add_argument("--since", default="", metavar="TIME", help="90m, 2h, 3d or an ISO time")
    parser.add_argument("--json", action="store_true", help="one object a line")
    parser.add_argument("-f", "--follow", action="store_true", help="go on with new records")
    given = parser.parse_args(words)
    from slated import settings
    from slated.audit.reader import Wanted
    from slated.commands import audit

    directory = settings.directories(_environ()).audit
    if given.what == "verify":
        return audit.verify(directory, as_json=given.json)
    if given.what == "export":
        return audit.exported(directory)
    since = audit.since(given.since)
    wanted = Wanted(given.task, given.tool, given.tier, given.kind, since)
    return audit.show(directory, wanted, as_json=given.json, follow=given.follow)


def _policy(words: list[str]) -> int:
    words, dashes, command = _split(words)
    parser = _parser("policy", "Which tier something has, and why.")
    parser.add_argument("what", choices=("check",))
    parser.add_argument("--tool", nargs=2, metavar=("NAME", "JSON"))
    parser.add_argument("--client", default="claude", help="whose tool it is (%(default)s)")
    parser.add_argument("--json", action="store_true", help="facts for programs")
    given = parser.parse_args(words)
    if bool(given.tool) == dashes:
        parser.error("give either --tool NAME JSON or -- COMMAND")
    from slated import settings
    from slated.commands import policy

    where = settings.directories(_environ())
    if given.tool:
        name, arguments = given.tool
        return policy.check_tool(where, given.client, name, arguments, as_json=given.json)
    return policy.check_command(where, policy.line_of(command), as_json=given.json)


def _hook(words: list[str]) -> int:
    parser = _parser("hook", "Slate's hooks and servers in an agent program's settings.")
    parser.add_argument("what", choices=("install", "uninstall"))
    parser.add_argument("program", choices=("claude", "codex"))
    parser.add_argument("-n", "--dry-run", action="store_true", help="only say what would change")
    given = parser.parse_args(words)
    from slated.commands import hook

    return hook.run(_environ(), given.what, given.program, dry=given.dry_run)


def _workspace(words: list[str]) -> int:
    from slated.commands import workspace

    return workspace.run(_environ(), words)


def _catch_up(words: list[str]) -> int:
    from slated.commands import catch_up

    return catch_up.run(_environ(), words)


def _review(words: list[str]) -> int:
    from slated.commands import review

    return review.run(_environ(), words)


def _memory(words: list[str]) -> int:
    from slated.commands import memory

    return memory.run(_environ(), words)


def _undo(words: list[str]) -> int:
    parser = _parser("undo", "Take back what an agent did. Without words: the last prompt.")
    parser.add_argument("task", nargs="?", default="", metavar="TASK", help="all of this task")
    part = parser.add_mutually_exclusive_group()
    part.add_argument("--last", action="store_true", help="only the task's last prompt")
    part.add_argument("--to", type=int, metavar="MARK", help="only what came after this mark")
    part.add_argument("--redo", action="store_true", help="take the last undo back")
    part.add_argument("--resume", action="store_true", help="finish an undo that was cut off")
    parser.add_argument("--preview", action="store_true", help="only say what would be done")
    parser.add_argument("--diff", action="store_true", help="with the lines that change")
    parser.add_argument("--only", nargs="+", action="extend", default=[], metavar="PATH")
    parser.add_argument(
        "--include", nargs="+", action="extend", default=[], metavar="PATH",
        help="also where others changed it too, or later",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="facts for programs")
    given = parser.parse_args(words)
    if given.task and (given.redo or given.resume):
        parser.error("--redo and --resume are about the last undo, whichever task it was of")
    if given.resume and (given.preview or given.diff or given.only or given.include):
        parser.error("--resume finishes what was begun, and nothing else")
    from slated.commands import undo

    return undo.undo(_environ(), vars(given))


def _snapshots(words: list[str]) -> int:
    parser = _parser("snapshots", "What can be undone, and what it takes.")
    parser.add_argument("what", choices=("list", "show", "prune"))
    parser.add_argument("task", nargs="?", default="", metavar="TASK", help="whose marks to show")
    parser.add_argument("--json", action="store_true", help="facts for programs")
    given = parser.parse_args(words)
    if (given.what == "show") != bool(given.task):
        parser.error("`show` needs a task, the others take none")
    from slated.commands import snapshots

    return snapshots.run(_environ(), given.what, given.task, as_json=given.json)


def _mcp(words: list[str]) -> int:
    _parser("mcp", "Serve an agent over stdin and stdout.").parse_args(words)
    from slated.wire import control, front

    front.main(control.daemon_of, share=control.MCP)


def _split(words: list[str]) -> tuple[list[str], bool, list[str]]:
    """What stands before `--`, whether there is one, and what stands behind it."""
    if "--" not in words:
        return words, False, []
    at = words.index("--")
    return words[:at], True, words[at + 1 :]


_COMMANDS: dict[str, Callable[[list[str]], int]] = {
    "status": _status,
    "tasks": _tasks,
    "approvals": _approvals,
    "audit": _audit,
    "policy": _policy,
    "auto": _auto,
    "catch-up": _catch_up,
    "review": _review,
    "workspace": _workspace,
    "memory": _memory,
    "undo": _undo,
    "snapshots": _snapshots,
    "hook": _hook,
    "mcp": _mcp,
    "serve": _serve,
}

if __name__ == "__main__":
    sys.exit(main())
