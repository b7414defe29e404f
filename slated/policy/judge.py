"""Turns what a command does to paths into findings: tier, rule and reason, by tables, reach and the real places."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from slated.model import Tier
from slated.policy.effects import Deed, Touch
from slated.policy.facts import BELOW, Facts, Kind, Place, Reach
from slated.policy.paths import Tables, ends_as_directory, join, normal
from slated.policy.places_table import SAFE_DEVICES
from slated.policy.words import UNKNOWN, Word

READS = {Deed.LIST, Deed.READ}
OWN_DESCRIPTOR = re.compile(r"/dev/fd/\d+")
ON_THE_CONTENT = READS | {Deed.WRITE}
ON_THE_NAME = {Deed.DELETE, Deed.REPLACE, Deed.LIST}


@dataclass(frozen=True, slots=True)
class Finding:
    """One reason for a tier. `path` is the real path it is about, if it is about one."""

    tier: Tier
    rule: str
    reason: str
    path: str = ""

    @property
    def changes(self) -> bool:
        """Whether the path is one that may change; a secret is only read, a device holds nothing."""
        return self.rule not in ("path.secret", "path.device")


QUIET = Finding(Tier.OBSERVE, "path.read", "it only reads")


def confirm(rule: str, reason: str, path: str = "") -> Finding:
    return Finding(Tier.CONFIRM, rule, reason, path)


@dataclass(frozen=True, slots=True)
class PathJudge:
    """Judges deeds on paths for one person's machine."""

    facts: Facts
    reach: Reach
    tables: Tables

    def judge(self, touch: Touch, directories: tuple[str | None, ...]) -> Iterator[Finding]:
        """Findings of one deed, from each directory the command may run in."""
        word, deed = touch.word, touch.deed
        safe = word.text in SAFE_DEVICES or OWN_DESCRIPTOR.fullmatch(word.text)
        if word.process or (safe and deed in ON_THE_CONTENT):
            yield QUIET
        elif word.text.startswith("/dev/"):
            yield from self._device(touch)
        elif word.below:
            yield from self._below(touch, directories)
        elif UNKNOWN in word.text:
            yield from self._unknown(touch, directories)
        elif word.glob and deed in READS:
            yield from self._pattern_read(touch, directories)
        elif word.glob:
            yield from self._pattern_change(touch, directories)
        else:
            for directory in directories:
                yield self._path(touch, word.text, directory)

    def _device(self, touch: Touch) -> Iterator[Finding]:
        if touch.word.text.startswith(("/dev/tcp/", "/dev/udp/")):
            yield confirm("network.socket", "it opens a network connection")
        elif touch.deed is Deed.LIST:
            yield QUIET
        else:
            yield confirm("path.device", f"{touch.word.shown} is a device", touch.word.head)

    def _unknown(self, touch: Touch, directories: tuple[str | None, ...]) -> Iterator[Finding]:
        """A path that only the running shell will know."""
        word = touch.word
        if touch.deed is Deed.LIST:
            yield QUIET
            return
        if touch.deed is not Deed.READ:
            yield confirm("path.unknown", f"which file {word.shown} means is not known")
            return
        if pattern := self._named(word):
            yield confirm("path.secret", f"{word.shown} may be a secret ({pattern})")
        for directory in directories:
            if word.head and (word.head.startswith("/") or directory):
                yield self._secret(normal(join(directory or "/", word.head)), touch) or QUIET
            if word.head.endswith("/"):
                yield self._secret_below(normal(join(directory or "/", word.head)), touch) or QUIET
        if word.foreign:
            yield confirm(
                "path.unknown",
                f"which file {word.shown} means is not known, so it may hold a secret",
            )
        elif "/" not in word.head or touch.recursive:
            yield from self._secret_pattern(word, directories)

    def _secret_pattern(self, word: Word, directories: tuple[str | None, ...]) -> Iterator[Finding]:
        for directory in directories:
            pattern = self.tables.secret.reachable(join(directory or "/", word.text))
            if pattern and word.head:
                yield confirm("path.secret", f"{word.shown} may be a secret ({pattern})")

    def _named(self, word: Word) -> str | None:
        """A secret that the name behind an unknown stretch may be (`-name .env`), compared as find does."""
        name = word.text.rpartition(UNKNOWN)[2].removeprefix("/").lower()
        return self.tables.secret.named(name) if name.strip("*") else None

    def _below(self, touch: Touch, directories: tuple[str | None, ...]) -> Iterator[Finding]:
        """A path that find makes up: somewhere below a directory, never through a link."""
        top = touch.word.text.partition(UNKNOWN)[0]
        if touch.deed is Deed.READ and (pattern := self._named(touch.word)):
            yield confirm("path.secret", f"{touch.word.shown} may be a secret ({pattern})")
        for directory in directories:
            if directory is None and not top.startswith("/"):
                yield self._nowhere(touch, top)
                continue
            whole = join(directory or "/", top.rstrip("/") or "/")
            place = self.facts.place(whole)
            if touch.deed in READS:
                found = self._secret_below(place.real, touch) if touch.deed is Deed.READ else None
                yield found or QUIET
            elif touch.deed is not Deed.DELETE:
                yield confirm(
                    "path.delayed",
                    f"it may change files below {place.real} that run later, such as git hooks",
                    place.real,
                )
            else:
                yield self._reach(f"{place.real.rstrip('/')}/{BELOW}", touch)

    def _pattern_read(self, touch: Touch, directories: tuple[str | None, ...]) -> Iterator[Finding]:
        for directory in directories:
            pattern = None
            if touch.deed is Deed.READ:
                pattern = self.tables.secret.reachable(
                    normal(join(directory or "/", touch.word.text))
                )
            if pattern:
                yield confirm("path.secret", f"{touch.word.shown} may match a secret ({pattern})")
            else:
                yield QUIET

    def _copied(
        self, touch: Touch, like: Word, directories: tuple[str | None, ...]
    ) -> Iterator[Finding]:
        """A pattern that takes the names of other files: those that are there now, else any that counts."""
        into = touch.word.text.rpartition("/")[0]
        for directory in directories:
            there = self.facts.expand(join(directory, like.text)) if directory else None
            for match in there or ():
                yield self._path(touch, f"{into}/{match.rpartition('/')[2]}", directory)
            whole = normal(join(directory or "/", touch.word.text))
            if not there and (pattern := self.tables.delayed.reachable(whole)):
                why = f"{touch.word.shown} may make a file that runs or counts later ({pattern})"
                yield confirm("path.delayed", why)

    def _pattern_change(
        self, touch: Touch, directories: tuple[str | None, ...]
    ) -> Iterator[Finding]:
        if touch.like is not None:
            yield from self._copied(touch, touch.like, directories)
        text = touch.word.text
        for directory in directories:
            if directory is None and not text.startswith("/"):
                yield self._nowhere(touch, text)
                continue
            matches = self.facts.expand(join(directory or "/", text))
            if matches is None:
                yield confirm("path.many", f"{text} matches too many files to look at")
                continue
            for match in matches or (join(directory or "/", touch.word.head or text),):
                yield self._path(
                    touch, match + "/" * (text.endswith("/") and not match.endswith("/")), "/"
                )

    def _nowhere(self, touch: Touch, text: str) -> Finding:
        """A relative path in a directory that is not known."""
        if touch.deed is Deed.READ:
            return self._secret(normal("/" + text), touch) or QUIET
        if touch.deed is Deed.LIST:
            return QUIET
        return confirm("path.unknown_directory", f"in which directory {text} lies is not known")

    def _path(self, touch: Touch, text: str, directory: str | None) -> Finding:
        """A path that is fully known."""
        if directory is None and not text.startswith("/"):
            return self._nowhere(touch, text)
        path = join(directory or "/", text)
        if touch.deed is Deed.LIST:
            return QUIET
        place = self.facts.place(path)
        follows = touch.deed not in ON_THE_NAME or ends_as_directory(text)
        target = place.real if follows else place.name
        if touch.deed is Deed.READ:
            found = self._secret(normal(path), touch) or self._secret(place.real, touch)
            return (
                found
                or (self._secret_below(place.real, touch) if touch.recursive else None)
                or QUIET
            )
        return self._change(touch, normal(path), target, place)

    def _change(self, touch: Touch, written: str, target: str, place: Place) -> Finding:
        for path in (written, target):
            if pattern := self.tables.delayed.matching(path):
                return confirm(
                    "path.delayed",
                    f"{path} runs or counts later: {self.tables.reason(pattern)}",
                    target,
                )
        whole = touch.recursive and touch.deed is not Deed.DELETE
        if whole and (
            pattern := self.tables.delayed.below(target) or self.tables.parents.matching(target)
        ):
            return confirm("path.delayed", f"{target} may hold what runs later ({pattern})", target)
        if touch.deed in {Deed.WRITE, Deed.CHANGE} and place.kind is Kind.FILE and place.links > 1:
            return confirm(
                "path.hard_link",
                f"{target} shares its content with another name (a hard link)",
                target,
            )
        if touch.deed is Deed.WRITE and place.kind is Kind.OTHER:
            return confirm("path.special", f"{target} is a pipe, a socket or a device", target)
        return self._reach(target, touch)

    def _reach(self, target: str, touch: Touch) -> Finding:
        cover = self.reach.covers(target)
        if cover.covered:
            return Finding(Tier.REVERSIBLE, f"reach.{touch.deed}", cover.reason, target)
        return confirm("reach.outside", f"it changes {target} and {cover.reason}", target)

    def _secret(self, path: str, touch: Touch) -> Finding | None:
        if pattern := self.tables.secret.matching(path):
            return confirm("path.secret", f"{path} is a secret ({pattern})", path)
        return None

    def _secret_below(self, path: str, touch: Touch) -> Finding | None:
        if pattern := self.tables.secret.below(path) or self.tables.secret.matching(path):
            return confirm(
                "path.secret", f"it reads everything below {path}, secrets too ({pattern})", path
            )
        return None
