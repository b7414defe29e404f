"""What a program would do, as read off its command line, before anybody says whether that is allowed."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from slated.policy.words import Command, Stdin, Word


class Deed(StrEnum):
    """What happens to a path."""

    LIST = "list"
    """Names, sizes, times; no content."""
    READ = "read"
    WRITE = "write"
    """Makes the file or gives it new content; a link at the last component is followed."""
    REPLACE = "replace"
    """Puts a new file or link at the name; a link at the last component is not followed."""
    CHANGE = "change"
    """Mode, owner, times; follows links."""
    DELETE = "delete"
    """Takes the name away."""


@dataclass(frozen=True, slots=True)
class Touch:
    """A deed on the path a word names. `recursive`: on everything below it as well.

    `like`: the word is a pattern because it takes the names that this one matches somewhere else.
    """

    deed: Deed
    word: Word
    recursive: bool = False
    like: Word | None = None


@dataclass(frozen=True, slots=True)
class Ask:
    """Always a question: `rule` is stable (`network.send`), `reason` is for a person."""

    rule: str
    reason: str


@dataclass(frozen=True, slots=True)
class Opaque:
    """Runs code that cannot be read off; the person may trust it for a project (`words` is what would be trusted)."""

    reason: str


@dataclass(frozen=True, slots=True)
class Send:
    """Talks to `host` (None when it is not known). `rule` and `reason` are used unless the host is listed.

    `fetches` is true when nothing but the request itself leaves the machine.
    """

    host: str | None
    rule: str
    reason: str
    fetches: bool = False


@dataclass(frozen=True, slots=True)
class Run:
    """Runs another simple command, whose words are part of this one's."""

    argv: tuple[Word, ...]
    stdin: Stdin | None = None
    directory: Word | None = None


@dataclass(frozen=True, slots=True)
class RunText:
    """Runs `text` as a script of `shell`; `agent` and `terminal` stand for the shell of the setting.

    `later`: at a time that is not known, so wherever the line's commands have gone by then.
    """

    text: Word
    shell: str = "bash"
    later: bool = False


@dataclass(frozen=True, slots=True)
class Note:
    """Nothing worth asking about; says why (`rule`, `reason`) for the explanation."""

    rule: str
    reason: str


@dataclass(frozen=True, slots=True)
class Mild:
    """Changes something that a person can change back by hand, outside of files; not recorded as undoable."""

    rule: str
    reason: str


Effect = Touch | Ask | Opaque | Send | Run | RunText | Note | Mild


@dataclass(frozen=True, slots=True)
class Call:
    """A command with its program known: `name` is the plain name, `words` are the arguments."""

    name: str
    words: tuple[Word, ...]
    command: Command
    directories: tuple[str | None, ...]
    """Where it may run: each possible directory, None for one that is not known."""


def touches(deed: Deed, words: list[Word], *, recursive: bool = False) -> list[Effect]:
    """The same deed on each word."""
    return [Touch(deed, word, recursive) for word in words]
