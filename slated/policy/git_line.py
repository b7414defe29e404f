"""Takes a git command line apart: global options, the subcommand, its words."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from slated.policy import git_table as table
from slated.policy.effects import Ask, Call, Effect
from slated.policy.paths import join
from slated.policy.words import Word, plain


@dataclass(slots=True)
class Git:
    """A git command line taken apart."""

    subcommand: str = ""
    words: list[Word] = field(default_factory=list)
    directory: Word | None = None
    problems: list[Effect] = field(default_factory=list)
    apart: bool = False
    """Its directory or its files' were named."""

    def option(self, *names: str) -> bool:
        """Whether an option is among the words before `--`; short letters also inside of a cluster."""
        for word in self.words:
            if word.exact == "--":
                return False
            for name in names:
                if name.startswith("--"):
                    stem = word.text.partition("=")[0]
                    if stem == name or (len(stem) > 4 and name.startswith(stem)):
                        return True
                elif (
                    word.text.startswith("-")
                    and not word.text.startswith("--")
                    and name[1] in word.text[1:]
                ):
                    return True
        return False

    @property
    def operands(self) -> list[Word]:
        return [word for word in self.words if not word.text.startswith("-")]


def free_words(git: Git) -> list[Word]:
    """The words that are not the message of an option (`-m`, `-am`, `--message`)."""
    free, before = list[Word](), ""
    for word in git.words:
        if not re.fullmatch(r"-[A-Za-z]*m|--message", before) or word.splits:
            free.append(word)
        before = word.text
    return free


def read(call: Call) -> Git:
    """Global options, then the subcommand and its words."""
    git, rest = Git(), list(call.words)
    while rest:
        word = rest.pop(0)
        if word.exact is None:
            git.problems.append(
                Ask("git.unclear", f"{word.shown} stands before the subcommand and is not known")
            )
            break
        name, equals, value = word.text.partition("=")
        if name in table.GLOBAL_VALUES and (equals or word.text in {"-C", "-c"} or rest):
            argument = (
                plain(value)
                if equals and name.startswith("--")
                else rest.pop(0)
                if rest
                else plain("")
            )
            global_option(git, name, argument)
        elif (
            word.text
            in {"--help", "--version", "-h", "-v", "--html-path", "--man-path", "--info-path"}
            or name == "--exec-path"
        ):
            if name == "--exec-path" and equals:
                git.problems.append(
                    Ask("git.runs", "--exec-path says where git finds its programs")
                )
            return git
        elif word.text in table.GLOBAL_FLAGS:
            continue
        elif word.text.startswith("-"):
            git.problems.append(
                Ask("git.unclear", f"what the option {word.shown} of git does is not known")
            )
        else:
            git.subcommand, git.words = word.text, rest
            break
    return git


def global_option(git: Git, name: str, value: Word) -> None:
    """One global option with its value."""
    if name in {"--git-dir", "--work-tree"}:
        named = name == "--git-dir" and not f"/{value.text}".endswith("/.git")
        if git.apart or named or value.exact is None:
            why = "the repository is named apart from its files, so its settings are not looked at"
            git.problems.append(Ask("git.config", why))
        git.apart = True
    if name in {"-C", "--work-tree", "--git-dir"}:
        text = value.text.removesuffix("/.git") if name == "--git-dir" else value.text
        combined = join(git.directory.text, text) if git.directory else text
        git.directory = Word(value.source, combined, value.glob, foreign=value.foreign)
    elif name == "-c":
        key, _, setting = value.text.partition("=")
        if not harmless_setting(key.lower(), setting) or value.exact is None:
            git.problems.append(
                Ask("git.config", f"the setting {value.shown} may make git run a program")
            )
    elif name == "--config-env":
        git.problems.append(
            Ask("git.config", "a setting comes from a variable, so it may make git run a program")
        )


def harmless_setting(key: str, value: str) -> bool:
    """Whether `-c key=value` cannot make git run anything."""
    if table.HARMLESS_KEY.fullmatch(key) and not value.startswith("!"):
        return True
    if key == "core.pager":
        return value in {"cat", ""}
    if key == "core.editor":
        return value in {"true", ":"}
    return bool(table.OFF_SWITCH.fullmatch(key)) and value.lower() in table.FALSE_VALUES
