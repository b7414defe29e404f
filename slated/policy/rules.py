"""Reads policy.toml and answers questions about it; a broken file is an error with a line, the last good rules stay."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from pydantic import ValidationError

from slated.model import Tier
from slated.policy.facts import ProtectedRoots, absolute_roots, is_under
from slated.policy.paths import Tables
from slated.policy.rules_lines import line_of
from slated.policy.rules_schema import PolicyFile

LEFT_OUT = (
    "~/.cache ~/.local/state ~/.claude ~/.claude.json ~/.codex ~/.mozilla ~/.thunderbird ~/.config/chromium"
    " ~/.config/google-chrome ~/.config/dconf ~/.local/share/keyrings ~/.local/share/recently-used.xbel"
    " ~/.local/share/fish ~/.bash_history ~/.zsh_history ~/.python_history"
).split()
"""Agent programs, browsers and shells write here all the time, whoever works: to take that back would break them."""
TIERS = {"observe": Tier.OBSERVE, "reversible": Tier.REVERSIBLE, "confirm": Tier.CONFIRM}


@dataclass(frozen=True, slots=True)
class RuleError:
    """What is wrong in policy.toml. `line` counts from 1; 0 when no line can be named."""

    line: int
    message: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.message}" if self.line else self.message


@dataclass(frozen=True, slots=True)
class Rules:
    """The person's rules, ready to be asked. `home` replaces `~`."""

    file: PolicyFile
    home: str
    tables: Tables

    @classmethod
    def of(cls, file: PolicyFile, home: str, bin_directories: Iterable[str] = ()) -> Rules:
        """Rules for one person; `bin_directories` are the PATH directories that the person may write."""
        return cls(
            file, home, Tables.of(home, file.paths.delayed, file.paths.secret, bin_directories)
        )

    def tool_tier(self, name: str) -> Tier | None:
        """The tier the person gave to a tool."""
        word = self.file.tools.get(name)
        return TIERS[word] if word else None

    def host_is_listed(self, host: str) -> bool:
        """Whether bytes may go to this host without a question."""
        name = host.lower().rstrip(".")
        return any(
            name == listed.lower()
            or (listed.startswith("*.") and name.endswith(listed[1:].lower()))
            for listed in self.file.network.hosts
        )

    def trusts(self, directory: str, argv: tuple[str, ...]) -> bool:
        """Whether the person trusts this command in the project that holds `directory` (absolute, links followed)."""
        for trust in self.file.trust:
            (project,) = absolute_roots([trust.project], self.home)
            if is_under(directory, project) and any(
                starts(argv, program) for program in trust.programs
            ):
                return True
        return False

    def command_rules(self, argv: tuple[str, ...]) -> Iterator[tuple[Tier, str]]:
        """Tiers that the person asks for commands that start like this one."""
        for rule in self.file.commands:
            if rule.match == "*" or starts(argv, rule.match):
                yield TIERS[rule.tier], f"{rule.match} = {rule.tier}"

    def window_is_private(self, app_id: str, title: str) -> bool:
        """Whether looking at this window is a question."""
        for pattern in self.file.windows.private:
            kind, colon, part = pattern.partition(":")
            if colon and kind == "title":
                if fnmatchcase(title.casefold(), f"*{part.casefold()}*"):
                    return True
            elif fnmatchcase(app_id.casefold(), pattern.casefold()):
                return True
        return False

    def protected(self) -> ProtectedRoots:
        """The simple reach: the directories that the person lists as protected, else their home."""
        roots = self.roots()
        inside = (p for p in self.left_out() if any(is_under(p, r) and p != r for r in roots))
        return ProtectedRoots(roots, tuple(inside))

    def roots(self) -> tuple[str, ...]:
        """What undo covers: the directories that the person lists, else their home."""
        listed = self.file.paths.protected
        return absolute_roots(["~"] if listed is None else listed, self.home)

    def left_out(self) -> tuple[str, ...]:
        """What undo leaves alone: state of programs that are at work beside the agent, and what the person lists."""
        return absolute_roots([*LEFT_OUT, *self.file.undo.leave_out], self.home)


def starts(argv: tuple[str, ...], words: str) -> bool:
    """Whether a command starts with these words; the program may be given by its path."""
    wanted = words.split()
    if not argv or len(argv) < len(wanted):
        return False
    first = argv[0] if "/" in wanted[0] else argv[0].rpartition("/")[2]
    given = argv[0] if wanted[0].count("/") else first
    return [given, *argv[1 : len(wanted)]] == wanted


def read(text: str) -> PolicyFile | tuple[RuleError, ...]:
    """The file's content, or everything that is wrong with it."""
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        found = re.search(r"\(at line (\d+)", str(problem))
        line = int(found[1]) if found else len(text.splitlines())
        return (RuleError(line, f"this is no valid TOML: {str(problem).partition(' (at ')[0]}"),)
    try:
        return PolicyFile.model_validate(raw)
    except ValidationError as problem:
        return tuple(
            RuleError(
                line_of(text, error["loc"]),
                f"{'.'.join(str(part) for part in error['loc'])}: {plain(error['msg'])}",
            )
            for error in problem.errors(include_url=False)
        )


def plain(message: str) -> str:
    """A validator's message in the words of this file."""
    if message == "Extra inputs are not permitted":
        return "there is no such setting"
    return message.removeprefix("Value error, ")


@dataclass(slots=True)
class Rulebook:
    """The rules in force, and what is wrong with the file on disk if it could not be taken."""

    home: str
    bin_directories: tuple[str, ...] = ()
    rules: Rules = field(init=False)
    errors: tuple[RuleError, ...] = ()

    def __post_init__(self) -> None:
        self.rules = Rules.of(PolicyFile(), self.home, self.bin_directories)

    def take(self, text: str) -> tuple[RuleError, ...]:
        """Takes new file content; on errors the last good rules stay. Returns the errors."""
        found = read(text)
        if isinstance(found, PolicyFile):
            self.rules, self.errors = Rules.of(found, self.home, self.bin_directories), ()
        else:
            self.errors = found
        return self.errors
