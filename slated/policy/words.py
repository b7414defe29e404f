"""What is known about a shell command before it runs: words, redirections, simple commands, scripts."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum

UNKNOWN = "\0"
"""Stands in `Word.text` for a stretch that only the running shell will know."""

GLOB_CHARACTERS = "*?["
# Python writes bytes of a file name that are no UTF-8 as U+DC80 to U+DCFF; the other surrogates mean nothing.
_HALF = re.compile("[\ud800-\udc7f\udd00-\udfff]")


@dataclass(frozen=True, slots=True)
class Word:
    """One word after quotes are removed.

    `text` has UNKNOWN for each stretch nobody can know and keeps unquoted pattern characters.
    """

    source: str
    text: str
    glob: bool = False
    splits: bool = False
    """May become no word, or several: an unquoted unknown stretch."""
    foreign: bool = False
    """An unknown stretch comes from outside of this command line (environment, a program's output)."""
    literal: bool = True
    """Written out in the line itself: no expansion had a part in it."""
    below: bool = False
    """The unknown stretch stays below `head`: a path that find itself made up from there."""
    process: bool = False
    """A process substitution: the shell puts a pipe here."""

    @property
    def exact(self) -> str | None:
        """The word as the program will get it, or None when that is not known."""
        return None if self.glob or UNKNOWN in self.text else self.text

    @property
    def head(self) -> str:
        """The part before the first unknown or pattern character."""
        ends = [self.text.find(UNKNOWN)]
        if self.glob:
            ends += [self.text.find(character) for character in GLOB_CHARACTERS]
        return self.text[: min((end for end in ends if end >= 0), default=len(self.text))]

    @property
    def may_be_option(self) -> bool:
        """Whether the program could read this word as an option."""
        return self.head.startswith("-") or (not self.head and self.exact is None)

    @property
    def shown(self) -> str:
        """For a person: the text if it is known, else as it was written."""
        return self.text if self.exact is not None else self.source


def plain(text: str) -> Word:
    """A word that means exactly its text; half a character, which no argument and no path can hold, is unknown."""
    return Word(text, _HALF.sub(UNKNOWN, text))


class Feed(StrEnum):
    """Where a command's standard input comes from."""

    INHERITED = "inherited"
    PIPE = "pipe"
    TEXT = "text"
    FILE = "file"


@dataclass(frozen=True, slots=True)
class Stdin:
    """Standard input of a command; `word` is the text (TEXT) or the file (FILE)."""

    feed: Feed = Feed.INHERITED
    word: Word | None = None
    upstream: Command | None = None
    """The simple command on the other end of the pipe, when it is one."""


@dataclass(frozen=True, slots=True)
class Redirection:
    """`operator` as written; `word` is None for a closed or copied descriptor."""

    operator: str
    word: Word | None

    @property
    def writes(self) -> bool:
        return ">" in self.operator and self.word is not None

    @property
    def appends(self) -> bool:
        return ">>" in self.operator


@dataclass(frozen=True, slots=True)
class Assignment:
    """`name=value`; an array has every element in `values`."""

    name: str
    values: tuple[Word, ...]


@dataclass(frozen=True, slots=True)
class Command:
    """One simple command. `argv` is empty when it only assigns or redirects."""

    argv: tuple[Word, ...]
    source: str
    assignments: tuple[Assignment, ...] = ()
    redirections: tuple[Redirection, ...] = ()
    stdin: Stdin = field(default_factory=Stdin)
    repeated: bool = False
    """Stands in a loop or a function: it may run at another time, in another directory."""
    certain: bool = False
    """Runs for sure, once, in the shell itself, before what is written after it."""
    guards: tuple[int, ...] = ()
    """Places in the script's list of commands that have succeeded whenever this one runs."""

    @property
    def name(self) -> str | None:
        """The program's name if it is written out."""
        return self.argv[0].exact if self.argv and self.argv[0].literal else None


@dataclass(frozen=True, slots=True)
class Script:
    """What a command line will run. With a `problem` the list may be short, and nothing below confirm is right."""

    commands: tuple[Command, ...]
    assigned: frozenset[str] = frozenset()
    functions: frozenset[str] = frozenset()
    """Functions that are surely defined before what is written after them."""
    defines: bool = False
    """Any function is defined anywhere."""
    problem: str = ""
