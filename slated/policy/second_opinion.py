"""Compares what we and bash itself make of a command line; where they differ, nothing below confirm is right."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace

from slated.model import Tier
from slated.policy.grade import CommandGrade, Graded
from slated.policy.shell import parse
from slated.policy.words import Script

ARGV = ("bash", "--norc", "--noprofile", "--pretty-print")
"""The program that a runner starts, with the command line on its standard input and an empty environment."""

Runner = Callable[[str], Awaitable[str | None]]
"""Gives what bash prints for a command line, or None if it fails or says that the line is wrong."""


def difference(text: str, printed: str | None, given: Mapping[str, str] | None = None) -> str:
    """Why bash's own reading of a line does not agree with ours, or nothing.

    `printed` is what `bash --pretty-print` makes of it.
    """
    if printed is None:
        return "bash does not take it as a command line"
    ours, theirs = parse(text, given), parse(joined(printed), given)
    if ours.problem or theirs.problem:
        return ours.problem or f"as bash prints it, it cannot be read off: {theirs.problem}"
    return "" if commands(ours) == commands(theirs) else "bash reads other commands in it"


OPEN_LINE = re.compile(r"""[^'"#]*<<-?(['"]?)(?P<mark>\w+)\1[^'"#]*(?:\||&&|\|\|)""")


def joined(printed: str) -> str:
    """Bash's printing with each line that goes on after a here-document put back before it.

    Our grammar takes such a document's first line for a command. A wrong guess here only makes a difference.
    """
    lines = printed.split("\n")
    for index, line in enumerate(lines):
        found = OPEN_LINE.fullmatch(line)
        if found and found["mark"] in lines[index + 1 : -1]:
            rest = lines.index(found["mark"], index + 1) + 1
            lines[index] = f"{line} {lines.pop(rest).strip()}"
    return "\n".join(lines)


def commands(script: Script) -> Counter[tuple[str, ...]]:
    """The commands of a script, whatever their order: here-documents move their line's tail."""
    return Counter(
        (
            *(word.text for word in command.argv),
            "\n",
            *sorted(f"{r.operator}{r.word.text}" for r in command.redirections if r.word),
            *(f"{item.name}={item.values[0].text}" for item in command.assignments),
        )
        for command in script.commands
    )


async def confirmed(graded: Graded, given: Mapping[str, str], runner: Runner) -> Graded:
    """The same grade, or confirm if bash reads the line or a text inside of it differently.

    A line that is a question anyway is not asked about.
    """
    if graded.tier is Tier.CONFIRM:
        return graded
    for text in graded.texts:
        if reason := difference(text, await runner(text), given):
            return doubted(graded, text, reason)
    return graded


def doubted(graded: Graded, text: str, reason: str) -> Graded:
    """The grade raised to confirm."""
    why = f"what it runs cannot be read off: {reason}"
    doubt = CommandGrade(text, Tier.CONFIRM, "shell.second_opinion", why)
    return replace(
        graded,
        tier=Tier.CONFIRM,
        rule=doubt.rule,
        reason=why,
        commands=(*graded.commands, doubt),
    )
