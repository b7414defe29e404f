"""Grades a command line: each simple command by its program, options and targets; the line by its strictest part."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Protocol

from slated.model import Tier
from slated.policy import programs, shell
from slated.policy.dialects import dialect_problem
from slated.policy.directories import Directories, moves
from slated.policy.effects import (
    Ask,
    Deed,
    Effect,
    Mild,
    Note,
    Opaque,
    Run,
    RunText,
    Send,
    Touch,
)
from slated.policy.environment_table import decides_what_runs
from slated.policy.facts import WORKTREE, Facts, Reach, Setting, is_under
from slated.policy.judge import Finding, PathJudge, confirm
from slated.policy.paths import Tables, join
from slated.policy.words import UNKNOWN, Command, Script, Word

DEEPEST = 8
LINKING = {"ln", "link", "mv", "cp", "install"}


class Policy(Protocol):
    """What the person's rules say about commands."""

    @property
    def tables(self) -> Tables: ...

    def host_is_listed(self, host: str) -> bool: ...

    def trusts(self, directory: str, argv: tuple[str, ...]) -> bool: ...

    def command_rules(self, argv: tuple[str, ...]) -> Iterable[tuple[Tier, str]]: ...


@dataclass(frozen=True, slots=True)
class CommandGrade:
    """One simple command and why it got its tier. `program` is the file that would run, if it is known."""

    shown: str
    tier: Tier
    rule: str
    reason: str
    argv: tuple[str | None, ...] = ()
    """The words; None for one that is not known, or that may be none or several."""
    program: str | None = None
    paths: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    """Further reasons for the same tier."""
    changes: tuple[str, ...] = ()
    """Those of the paths that it may change."""


@dataclass(frozen=True, slots=True)
class Graded:
    """A whole command line: the strictest of its commands decides."""

    tier: Tier
    rule: str
    reason: str
    commands: tuple[CommandGrade, ...]
    texts: tuple[str, ...] = ()
    """Every text that a shell would read: the line itself and scripts inside of it."""


@dataclass(frozen=True, slots=True)
class Grader:
    """Grades command lines for one person; `reach` says what undo covers."""

    facts: Facts
    reach: Reach
    policy: Policy

    def grade(self, text: str, setting: Setting) -> Graded:
        """The tier of a command line, run by `setting.shell` in `setting.directory`."""
        line = Line(self, setting)
        line.text(text, setting.shell, setting.directory, 0)
        return line.result(text)

    def grade_effects(self, shown: str, effects: Iterable[Effect], setting: Setting) -> Graded:
        """The tier of something that is no command line, by its effects; scripts in it are graded as such."""
        line = Line(self, setting)
        line.effects(shown, effects)
        return line.result("")


@dataclass(slots=True)
class Entry:
    """A command being graded: what it is, and what was found about it."""

    shown: str
    program: str | None
    name: str
    findings: list[Finding]
    argv: tuple[str | None, ...] = ()

    def done(self) -> CommandGrade:
        tier = max((finding.tier for finding in self.findings), default=Tier.OBSERVE)
        top = [finding for finding in self.findings if finding.tier == tier]
        top.sort(key=lambda finding: finding.rule == "path.read")
        first, *rest = top or [Finding(tier, "program.reads", "it changes nothing")]
        paths = tuple(dict.fromkeys(f.path for f in self.findings if f.path))
        others = tuple(dict.fromkeys(f.reason for f in rest if f.reason != first.reason))
        changes = tuple(dict.fromkeys(f.path for f in self.findings if f.path and f.changes))
        return CommandGrade(
            self.shown,
            tier,
            first.rule,
            first.reason,
            self.argv,
            self.program,
            paths,
            others,
            changes,
        )


@dataclass(frozen=True, slots=True)
class Where:
    """What surrounds a command: its script, the directories it may run in, how deep it is nested."""

    script: Script
    directories: tuple[str | None, ...]
    depth: int


class Line:
    """One command line while it is graded; nested commands and texts add to the same list."""

    def __init__(self, grader: Grader, setting: Setting) -> None:
        self.grader, self.setting = grader, setting
        self.judge = PathJudge(grader.facts, grader.reach, grader.policy.tables)
        self.graded: list[Entry] = []
        self.texts: list[str] = []

    def text(self, text: str, name: str, directory: str | None, depth: int) -> None:
        """Grades a script of a shell, found in a directory (None: not known)."""
        self.texts.append(text)
        # What a nested shell inherits may have been set anew on the way.
        given = {} if depth else dict(self.setting.variables)
        given["HOME"] = self.setting.home
        if directory is not None:
            given["PWD"] = directory
        script = shell.parse(text, given)
        if differs := dialect_problem(name, text):
            script = replace(script, problem=script.problem or differs)
        if depth > DEEPEST:
            script = Script((), problem="it is nested too deeply")
        if script.problem:
            self._problem(text, script.problem)
        self._names(script)
        tracker = Directories(self.grader.facts, self.setting.home, directory, script)
        for index, command in enumerate(script.commands):
            self.command(command, Where(script, tracker.before(index), depth))
            tracker.after(index)

    def effects(self, shown: str, effects: Iterable[Effect]) -> None:
        """Grades effects of something that is no command."""
        command = Command((), shown)
        entry = Entry(shown, None, "", [])
        self.graded.append(entry)
        where = Where(Script(()), (self.setting.directory,), 0)
        for effect in effects:
            entry.findings += self._effect(effect, command, where)

    def result(self, text: str) -> Graded:
        """The grade of everything that was graded: its strictest part decides."""
        commands = tuple(self.after_links())
        if not commands:
            return Graded(Tier.OBSERVE, "shell.empty", "it runs nothing", (), (text,))
        strictest = max(commands, key=lambda command: command.tier)
        texts = tuple(self.texts)
        return Graded(strictest.tier, strictest.rule, strictest.reason, commands, texts)

    def _names(self, script: Script) -> None:
        """Variables set by other means than a plain assignment."""
        plain = {item.name for command in script.commands for item in command.assignments}
        for name in sorted(script.assigned - plain):
            if decides_what_runs(name, None):
                finding = confirm(
                    "environment.decides", f"the variable {name} decides which programs run"
                )
                self.graded.append(Entry(name, None, "", [finding]))

    def command(self, command: Command, where: Where) -> None:
        """Grades one simple command and whatever it runs in turn."""
        shown = " ".join(word.shown for word in command.argv) or command.source
        argv = tuple(word.exact for word in command.argv)
        entry = Entry(shown, None, command.name or "", [], argv)
        self.graded.append(entry)
        for effect in self._around(command):
            entry.findings += self._effect(effect, command, where)
        if not command.argv:
            return
        found = programs.look_up(
            command, where.script.functions, where.directories, self.grader.facts
        )
        entry.program = found.path
        for effect in found.effects:
            entry.findings += self._effect(effect, command, where)
        exact = tuple(word.text for word in command.argv)
        for tier, rule in self.grader.policy.command_rules(exact):
            entry.findings.append(
                Finding(tier, "policy.command", f"the person's policy says so: {rule}")
            )

    def _around(self, command: Command) -> Iterator[Effect]:
        """Redirections and assignments."""
        for redirection in command.redirections:
            if redirection.word is not None:
                yield Touch(Deed.WRITE if redirection.writes else Deed.READ, redirection.word)
        for item in command.assignments:
            value = item.values[0].exact if len(item.values) == 1 else None
            if decides_what_runs(item.name, value):
                yield Ask(
                    "environment.decides",
                    f"the variable {item.name} decides which programs run or where they look",
                )
            for word in item.values:
                if word.text and UNKNOWN not in word.text:
                    yield Touch(Deed.READ, word)

    def _effect(self, effect: Effect, command: Command, where: Where) -> Iterator[Finding]:
        """Findings of one effect; what it runs is graded on its own."""
        match effect:
            case Note(rule, reason):
                yield Finding(Tier.OBSERVE, rule, reason)
            case Mild(rule, reason):
                yield Finding(Tier.REVERSIBLE, rule, reason)
            case Ask(rule, reason):
                yield confirm(rule, reason)
            case Touch(like=Word()) if len(where.script.commands) > 1:
                # Another command of the line may make a name that is not there yet.
                nowhere = replace(effect, like=Word("", UNKNOWN))
                yield from self.judge.judge(nowhere, where.directories)
            case Touch():
                yield from self.judge.judge(effect, where.directories)
            case Opaque(reason):
                yield self._opaque(reason, command, where.directories)
            case Send():
                yield self._send(effect)
            case Run():
                self._run(effect, command, where)
            case RunText():
                self._run_text(effect, where)

    def _opaque(
        self, reason: str, command: Command, directories: tuple[str | None, ...]
    ) -> Finding:
        argv = tuple(word.text for word in command.argv)
        policy, facts = self.grader.policy, self.grader.facts
        trusted = all(
            d is not None and policy.trusts(facts.place(d).real, argv) for d in directories
        )
        if not trusted or any(word.exact is None for word in command.argv):
            return confirm("opaque", reason)
        for directory in directories:
            cover = self.grader.reach.covers(f"{facts.place(directory or '/').real}/{WORKTREE}")
            if not cover.covered:
                why = f"the person trusts this program here, but {cover.reason}"
                return confirm("trust.uncovered", why)
        return Finding(
            Tier.REVERSIBLE, "trust.program", "the person trusts this program in this project"
        )

    def _send(self, effect: Send) -> Finding:
        if effect.fetches and effect.host and self.grader.policy.host_is_listed(effect.host):
            return Finding(Tier.OBSERVE, "network.listed", f"{effect.host} is a listed host")
        return confirm(effect.rule, effect.reason)

    def _run(self, run: Run, command: Command, where: Where) -> None:
        """A command inside of a command."""
        if where.depth > DEEPEST:
            self._problem("…", "it is nested too deeply")
            return
        directories = where.directories
        if run.directory is not None:
            directories = tuple(moved(directory, run.directory) for directory in directories)
        stdin = run.stdin or command.stdin
        inner = Command(run.argv, command.source, stdin=stdin, repeated=command.repeated)
        script = replace(where.script, functions=frozenset())
        self.command(inner, Where(script, directories, where.depth + 1))

    def _run_text(self, run: RunText, where: Where) -> None:
        """A script inside of a command; its directory is known only if there is just one."""
        if run.text.exact is None:
            self._problem(run.text.shown, "the text it runs is not written here")
            return
        directory = where.directories[0] if len(set(where.directories)) == 1 else None
        if run.later and any(moves(command) for command in where.script.commands):
            directory = None
        shell_name = self.setting.shell if run.shell in {"agent", "terminal"} else run.shell
        self.text(run.text.text, shell_name, directory, where.depth + 1)

    def _problem(self, shown: str, reason: str) -> None:
        finding = confirm("shell.unresolved", f"what it runs cannot be read off: {reason}")
        self.graded.append(Entry(shown, None, "", [finding]))

    def after_links(self) -> Iterator[CommandGrade]:
        """The grades, raised where a command acts through a link that the same line makes."""
        for entry in self.graded:
            made = [
                finding.path
                for other in self.graded
                if other is not entry and other.name in LINKING
                for finding in other.findings
                if finding.path and finding.rule in {"reach.replace", "reach.write"}
            ]
            for finding in list(entry.findings):
                if finding.tier is Tier.REVERSIBLE and any(through(finding, path) for path in made):
                    entry.findings.append(
                        confirm(
                            "path.fresh_link",
                            f"{finding.path} may lead elsewhere by a link made in the same line",
                        )
                    )
            yield entry.done()


def moved(directory: str | None, target: Word) -> str | None:
    """The directory that a wrapper changes to."""
    exact = target.exact
    if not exact or (directory is None and not exact.startswith("/")):
        return None
    return join(directory or "/", exact)


def through(finding: Finding, link: str) -> bool:
    """Whether a change goes through a path that the same line makes, not just takes it away or replaces it."""
    if not finding.path or not is_under(finding.path, link):
        return False
    return finding.path != link or finding.rule not in {"reach.delete", "reach.replace"}
