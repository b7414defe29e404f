"""Takes options and operands apart, the way GNU programs do: clusters, values, abbreviations, permutation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from slated.policy.words import Word


@dataclass(frozen=True, slots=True)
class Syntax:
    """Which options take a value: letters in `values`, names in `long_values` (separated by blanks)."""

    values: str = ""
    long_values: str = ""
    stops_at_operand: bool = False
    """The first operand ends the options (wrappers, programs with subcommands)."""


@dataclass(slots=True)
class Parsed:
    """Options in order (`-x` as "x", `--name` as "--name") with their values, and operands."""

    options: list[tuple[str, Word | None]] = field(default_factory=list)
    operands: list[Word] = field(default_factory=list)
    unclear: list[Word] = field(default_factory=list)
    """Operands that the program may take for options."""

    def has(self, *names: str) -> bool:
        """Whether one of the options is given; a long name also when it is abbreviated."""
        return any(True for _ in self.all(*names))

    def all(self, *names: str) -> Iterator[Word | None]:
        """The values of these options."""
        for name, value in self.options:
            if any(
                name == wanted or (len(name) > 2 and wanted.startswith(name)) for wanted in names
            ):
                yield value

    def outside(self, known: Iterable[str]) -> str | None:
        """The first option that is in none of the known names."""
        wanted = list(known)
        for name, _ in self.options:
            if name not in wanted and not (
                len(name) > 2 and any(long.startswith(name) for long in wanted)
            ):
                return name if name.startswith("--") else f"-{name}"
        return None


def parse(words: Iterable[Word], syntax: Syntax) -> Parsed:
    """Options and operands of an argument list."""
    parsed, rest = Parsed(), list(words)
    while rest:
        word = rest.pop(0)
        if word.exact == "--":
            parsed.operands += rest
            break
        if word.exact is None and word.may_be_option:
            parsed.unclear.append(word)
            parsed.operands.append(word)
        elif word.text.startswith("--"):
            long_option(word, rest, syntax, parsed)
        elif word.text.startswith("-") and len(word.text) > 1:
            cluster(word, rest, syntax, parsed)
        else:
            parsed.operands.append(word)
            if syntax.stops_at_operand:
                parsed.operands += rest
                break
    return parsed


def long_option(word: Word, rest: list[Word], syntax: Syntax, parsed: Parsed) -> None:
    name, equals, _ = word.text.partition("=")
    if equals:
        parsed.options.append((name, tail(word, len(name) + 1)))
    elif any(wanted.startswith(name[2:]) for wanted in syntax.long_values.split()):
        parsed.options.append((name, rest.pop(0) if rest else None))
    else:
        parsed.options.append((name, None))


def cluster(word: Word, rest: list[Word], syntax: Syntax, parsed: Parsed) -> None:
    """`-abc`, `-n5`, `-n 5`."""
    for index in range(1, len(word.text)):
        letter = word.text[index]
        if letter in syntax.values:
            attached = tail(word, index + 1)
            value = attached if attached.text else (rest.pop(0) if rest else None)
            parsed.options.append((letter, value))
            return
        parsed.options.append((letter, None))


def tail(word: Word, start: int) -> Word:
    """A word without its first characters."""
    return replace(word, text=word.text[start:])
