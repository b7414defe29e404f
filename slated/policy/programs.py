"""Finds out what a command name means and what that program does: builtin, function, system program or opaque one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from slated.policy import git, programs_table, readers
from slated.policy.archives import ARCHIVES
from slated.policy.builtins import BUILTINS
from slated.policy.developer_tools import DEVELOPER_TOOLS
from slated.policy.effects import Ask, Call, Effect, Note, Opaque, Send
from slated.policy.facts import Facts
from slated.policy.file_tools import FILE_TOOLS
from slated.policy.find import fd, find
from slated.policy.readers_table import READERS
from slated.policy.system_tools import SYSTEM_TOOLS
from slated.policy.text_tools import TEXT_TOOLS
from slated.policy.words import Command
from slated.policy.wrappers import WRAPPING

HANDLERS: dict[str, Callable[[Call], list[Effect]]] = {
    **FILE_TOOLS, **ARCHIVES, **TEXT_TOOLS, **WRAPPING, **DEVELOPER_TOOLS, **SYSTEM_TOOLS,
    "find": find, "fd": fd, "fdfind": fd,
}  # fmt: skip
SHELL_RUNS_ITSELF = frozenset("command builtin exec time".split())
"""Names that the shell knows without looking for a program."""


@dataclass(frozen=True, slots=True)
class Found:
    """The program's file (None for a builtin, a function, or an unknown name) and what the command does."""

    path: str | None
    effects: list[Effect]


def look_up(
    command: Command, functions: frozenset[str], directories: tuple[str | None, ...], facts: Facts
) -> Found:
    """What a simple command does."""
    name = command.name
    if name is None or not name:
        return Found(None, [Ask("shell.dynamic_name", "which program it runs is not written here")])
    call = Call(name, command.argv[1:], command, directories)
    programs = [facts.program(name, directory) for directory in directories]
    if any(program.redefined for program in programs):
        return Found(None, [Opaque(f"{name} is an alias or a function of the agent's shell")])
    if name in BUILTINS:
        return Found(None, BUILTINS[name](call))
    if name in SHELL_RUNS_ITSELF:
        return Found(None, HANDLERS[name](call))
    if name in functions:
        return Found(
            None,
            [
                Note("shell.function", "a function of this line, whose body is graded itself"),
                *shadowed(call, facts),
            ],
        )
    path = next((program.path for program in programs if program.path), None)
    if "/" in name and path is None:
        return Found(None, [Opaque(f"{name} is no program of the system")])
    outside = next(
        (program.path for program in programs if program.path and not program.system), None
    )
    if outside:
        return Found(
            outside,
            [Opaque(f"{outside} does not lie in a directory of the system"), *warnings(call)],
        )
    plain = Call(name.rpartition("/")[2], call.words, command, directories)
    return Found(path, known(plain, facts))


def shadowed(call: Call, facts: Facts) -> list[Effect]:
    """A function's name reaches the program until the function is defined; that only matters for a known one."""
    return known(call, facts) if call.name in HANDLERS or call.name in READERS else []


def warnings(call: Call) -> list[Effect]:
    """For an opaque program with a known name: the reasons its name gives, which no trust takes away."""
    return [
        effect
        for effect in by_name(call)
        if isinstance(effect, Ask) and effect.rule != "program.unknown"
    ]


def known(call: Call, facts: Facts) -> list[Effect]:
    """What a program of the system does, by the tables."""
    if call.name == "git":
        return git.effects(call, facts)
    handler, reader = HANDLERS.get(call.name), READERS.get(call.name)
    if handler is None and reader is None:
        return by_name(call)
    harmless = version_only(call) if call.name not in WRAPPING else []
    if harmless:
        return harmless
    if handler is not None:
        return handler(call)
    return readers.effects(call, reader) if reader is not None else []


def by_name(call: Call) -> list[Effect]:
    """Programs that are a question whatever their words are, unless they only print their version."""
    name = call.name
    if reason := programs_table.OPAQUE.get(name):
        return version_only(call) or [Opaque(reason)]
    for rule, names in programs_table.ALWAYS_ASK:
        if reason := names.get(name):
            harmless = version_only(call) if rule != "privilege" else []
            if rule == "network.send":
                return harmless or [Send(None, rule, reason)]
            return harmless or [Ask(rule, f"{name}: {reason}")]
    return [Ask("program.unknown", f"{name} is in none of the tables")]


def version_only(call: Call) -> list[Effect]:
    """For a command whose only word asks for a version or help: that it just prints."""
    if call.name in programs_table.VERSION_LOADS:
        return []
    if len(call.words) == 1 and call.words[0].exact in programs_table.VERSION_ONLY:
        return [Note("program.version", "it only prints its version or its help")]
    return []
