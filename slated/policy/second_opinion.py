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


_RESERVED = frozenset(
    "if then else elif fi case esac for select while until do done in function time coproc".split()
)
_WORD = r"""(?:[\w@%+=:,./*?~-]|'[^'\\\n]*+'|"[\w @%+=:,./*?~-]*+")++"""
_COMMAND = rf"{_WORD}(?:[ \t]++{_WORD})*+"
_LINE = re.compile(rf"{_COMMAND}(?:[ \t]*+(?:&&|\|\||;|\|)[ \t]*+{_COMMAND})*+", re.ASCII)
_TOKEN = re.compile(rf"{_WORD}|[;|&]+", re.ASCII)
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=", re.ASCII)
_LONGEST = 4_000


def evident(text: str, given: Mapping[str, str] | None = None) -> bool:
    """Whether a line can be read in one way only, and is so read by us: then bash need not be asked.

    It is words of harmless characters and plain quotes, joined by `&&`, `||`, `|` and `;`, and no word of it starts a
    construct. Its words are told here without a grammar, to be held against what our grammar made of it.
    """
    if len(text) > _LONGEST or not _LINE.fullmatch(text):
        return False
    simple: list[list[str]] = [[]]
    for token in _TOKEN.findall(text):
        if token in _RESERVED:
            return False
        if token[0] in ";|&":
            simple.append([])
        elif simple[-1] or not _ASSIGNMENT.match(token):
            simple[-1].append(re.sub("['\"]", "", token))
    ours = parse(text, given)
    if ours.problem or any(command.redirections for command in ours.commands):
        return False
    told = Counter(tuple(word.text for word in command.argv) for command in ours.commands)
    return told == Counter(map(tuple, simple))


async def doubt(text: str, runner: Runner, given: Mapping[str, str] | None = None) -> str:
    """Why bash's own reading of a line does not agree with ours, or nothing."""
    return "" if evident(text, given) else difference(text, await runner(text), given)


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
        if reason := await doubt(text, runner, given):
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
