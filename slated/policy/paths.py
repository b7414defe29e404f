"""Judges paths by their text and their given real place: joining, patterns, what runs later, what is secret."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache

from slated.policy.facts import is_under
from slated.policy.places_table import DELAYED, SECRET


def join(directory: str, path: str) -> str:
    """`path` as seen from `directory`, with no judgement of `..` (a link may stand before it)."""
    return path if path.startswith("/") else f"{directory.rstrip('/')}/{path}"


def normal(path: str) -> str:
    """An absolute path without `.`, `..`, doubled and trailing slashes, by text alone."""
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in {"", "."}:
            parts.append(part)
    return "/" + "/".join(parts)


def ends_as_directory(path: str) -> bool:
    """Whether the text names a directory, so that a link at its end is followed."""
    return path.endswith(("/", "/.", "/..")) or path in {".", ".."}


@lru_cache(maxsize=2048)
def expression(pattern: str) -> re.Pattern[str]:
    """A path pattern as an expression: `**` any number of components, `*` within one."""
    out, index = "", 0
    while index < len(pattern):
        if pattern.startswith("**/", index):
            out, index = out + "(?:[^/]+/)*", index + 3
        elif pattern.startswith("/**", index) and index + 3 == len(pattern):
            out, index = out + "(?:/.*)?", index + 3
        elif pattern[index] == "*":
            out, index = out + "[^/]*", index + 1
        elif pattern[index] == "?":
            out, index = out + "[^/]", index + 1
        else:
            out, index = out + re.escape(pattern[index]), index + 1
    return re.compile(out, re.DOTALL)


@lru_cache(maxsize=16)
def alternatives(patterns: tuple[str, ...]) -> re.Pattern[str]:
    """All patterns as one expression, a group each."""
    return re.compile(
        "|".join(f"({expression(pattern).pattern})" for pattern in patterns), re.DOTALL
    )


@dataclass(frozen=True, slots=True)
class Patterns:
    """A set of path patterns of one person, ready to be asked about absolute paths."""

    patterns: tuple[str, ...]

    @classmethod
    def of(cls, patterns: Iterable[str], home: str) -> Patterns:
        """With `~` replaced; a pattern that starts with `**` may begin anywhere."""
        full = []
        for pattern in patterns:
            text = home.rstrip("/") + pattern[1:] if pattern.startswith("~/") else pattern
            full.append("/" + text if text.startswith("**") else text)
        return cls(tuple(full))

    def matching(self, path: str) -> str | None:
        """The pattern that a normal absolute path matches."""
        found = alternatives(self.patterns).fullmatch(path)
        return self.patterns[found.lastindex - 1] if found and found.lastindex else None

    def below(self, path: str) -> str | None:
        """A pattern with a fixed place below `path` (one that may be anywhere does not count)."""
        for pattern in self.patterns:
            fixed = pattern.partition("*")[0]
            if not pattern.startswith("/**") and is_under(fixed.rstrip("/"), path):
                return pattern
        return None

    def named(self, glob: str) -> str | None:
        """A pattern that may be anywhere and whose last name `glob` may match; here `*` matches a leading dot too."""
        for pattern in self.patterns:
            last = pattern.rpartition("/")[2]
            free = pattern.startswith("/**/") and last not in {"*", "**"}
            if free and (fnmatchcase(last, glob) or fnmatchcase(glob, last)):
                return pattern
        return None

    def reachable(self, glob: str) -> str | None:
        """A pattern that some path matching the shell pattern `glob` may match as well."""
        parts = glob.strip("/").split("/")
        for pattern in self.patterns:
            if meet(parts, pattern.strip("/").split("/")):
                return pattern
        return None


def meet(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two patterns, in components, may have a path in common. `**` stands for any components."""
    if not one or not other:
        return all(part == "**" for part in (*one, *other))
    if other[0] == "**":
        return any(meet(one[skip:], other[1:]) for skip in range(len(one) + 1))
    return component_meets(one[0], other[0]) and meet(one[1:], other[1:])


def component_meets(shell: str, pattern: str) -> bool:
    """Whether a component of a shell pattern may match what a table's component matches.

    The shell's `*` does not match a leading dot.
    """
    if shell[:1] in {"*", "?", "["} and pattern.startswith("."):
        return False
    if "*" not in pattern:
        return shell_expression(shell).fullmatch(pattern) is not None
    if not re.search(r"[*?[\0]", shell):
        return expression(pattern).fullmatch(shell) is not None
    if shell == "*":
        return True
    start = re.split(r"[*?[\0]", shell)[0]
    fixed = pattern.split("*")[0]
    end, tail = re.split(r"[*?\]\0]", shell)[-1], pattern.split("*")[-1]
    starts = start.startswith(fixed) or fixed.startswith(start)
    return starts and (end.endswith(tail) or tail.endswith(end))


@lru_cache(maxsize=2048)
def shell_expression(pattern: str) -> re.Pattern[str]:
    """A shell pattern's component as an expression that matches at least what the shell would."""
    out = ""
    for part in re.findall(r"\[[^\]]+\]|.", pattern, re.DOTALL):
        out += (
            "."
            if part.startswith("[") and len(part) > 1
            else {"*": ".*", "?": ".", "\0": ".*"}.get(part) or re.escape(part)
        )
    return re.compile(out, re.DOTALL)


def parents(pattern: str) -> Iterator[str]:
    """The named directories above a pattern's last name: `**/.venv` for `**/.venv/bin/**`."""
    parts = pattern.removesuffix("/**").split("/")[:-1]
    while parts and parts[-1] not in {"**", "~", ""}:
        yield "/".join(parts)
        parts.pop()


@dataclass(frozen=True, slots=True)
class Tables:
    """The places of one person: what runs later, with reasons, and what is secret."""

    delayed: Patterns
    reasons: tuple[str, ...]
    secret: Patterns
    parents: Patterns
    """Directories that hold a delayed place: a whole tree put there may bring one along."""

    @classmethod
    def of(
        cls,
        home: str,
        delayed: Iterable[str] = (),
        secret: Iterable[str] = (),
        bin_directories: Iterable[str] = (),
    ) -> Tables:
        """The built-in tables and what the person adds to them."""
        rows = list(DELAYED)
        rows += [(pattern, "the person's policy says that it runs later") for pattern in delayed]
        rows += [
            (f"{top.rstrip('/')}/**", "programs are found there by name") for top in bin_directories
        ]
        return cls(
            Patterns.of([pattern for pattern, _ in rows], home),
            tuple(reason for _, reason in rows),
            Patterns.of([*SECRET, *secret], home),
            Patterns.of(sorted({top for pattern, _ in rows for top in parents(pattern)}), home),
        )

    def reason(self, pattern: str) -> str:
        """Why a delayed pattern is in the table."""
        return self.reasons[self.delayed.patterns.index(pattern)]
