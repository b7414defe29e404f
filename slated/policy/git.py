"""Effects of git: decided by the subcommand after the global options, the repository, and what it makes git run."""

from __future__ import annotations

from slated.policy import git_table as table
from slated.policy.effects import Ask, Call, Deed, Effect, Send, Touch, touches
from slated.policy.facts import Facts
from slated.policy.git_line import Git, free_words, read
from slated.policy.git_subcommands import READS, SUBCOMMANDS, changes, only_reads
from slated.policy.options import Syntax, parse
from slated.policy.words import UNKNOWN, Word


def effects(call: Call, facts: Facts) -> list[Effect]:
    """What a git command does."""
    git = read(call)
    if git.problems:
        return git.problems
    if not git.subcommand or git.option("--help"):
        return [READS]
    return secrets(git) + (questions(git) or quiet(git, call, facts))


def questions(git: Git) -> list[Effect]:
    """What makes this git command a question by its words alone."""
    name = git.subcommand
    if name in table.NETWORK:
        return network(git)
    if name in table.RUNS_PROGRAMS:
        return [Ask("git.runs", f"git {name} runs other programs or serves others")]
    if name in table.NOT_UNDONE:
        return [Ask("git.not_undone", f"git {name} throws away or rewrites history")]
    harmful = table.HARMFUL_OPTIONS.get(
        " ".join([name, *(word.text for word in git.operands[:1])]),
        table.HARMFUL_OPTIONS.get(name, ()),
    )
    harmful += tuple(o for o in table.HARMFUL_EVERYWHERE if not (name == "rebase" or o in harmful))
    if given := [option for option in harmful if git.option(option)]:
        why = "runs a program, writes a file or waits for a person"
        return [Ask("git.option", f"git {name} with {given[0]} {why}")]
    if any(word.exact is None and word.may_be_option for word in free_words(git)):
        return [Ask("option.unclear", "one of its words may turn out to be an option")]
    return []


def quiet(git: Git, call: Call, facts: Facts) -> list[Effect]:
    """A subcommand that reads, or changes the repository."""
    name = git.subcommand
    grade = SUBCOMMANDS.get(name)
    if grade is not None:
        return grade(git, call, facts)
    if name in table.READS:
        return only_reads(git, call, facts)
    if name in table.CHANGES:
        return changes(git, call, facts)
    why = "is no subcommand of the table; it may be an alias or another program"
    return [Ask("git.unknown", f"git {name} {why}")]


def secrets(git: Git) -> list[Effect]:
    """Files whose content git would show or store (`HEAD:.env`, `-- .env`)."""
    read = [Touch(Deed.READ, value) for value in files(git)]
    if git.subcommand not in {
        "show",
        "diff",
        "log",
        "blame",
        "cat-file",
        "add",
        "grep",
        "archive",
        "hash-object",
        "interpret-trailers",
        "commit",
        "stash",
    }:
        return [*read]
    free = [word for word in free_words(git) if not word.text.startswith("-")]
    words = [word for word in free if word.head == word.text or ":" in word.text]
    names = [Word(word.source, word.text.rpartition(":")[2]) for word in words]
    named = [name for name in names if name.text and UNKNOWN not in name.text]
    return [*read, *touches(Deed.READ, named)]


def files(git: Git) -> list[Word]:
    """Files that options of any subcommand make git read (`-F message`, `--template=file`)."""
    letters = table.FILE_LETTERS.get(git.subcommand, "")
    parsed = parse(git.words, Syntax(letters, " ".join(name[2:] for name in table.FILE_OPTIONS)))
    given = parsed.all(*letters, *table.FILE_OPTIONS)
    return [value for value in given if value and value.text not in {"-", ""}]


def network(git: Git) -> list[Effect]:
    """Talks to another machine; a forced push is named as one."""
    words = [word.text for word in git.words]
    if git.subcommand == "push":
        forced = git.option(
            "--force", "-f", "--force-with-lease", "--mirror", "--delete", "-d", "--prune"
        )
        forced = forced or any(word.startswith(("+", ":")) for word in words)
        if forced:
            return [
                Ask(
                    "git.push_forced",
                    "a forced push: it rewrites or deletes branches on another machine",
                )
            ]
        return [Ask("git.push", "a push sends commits to another machine")]
    host = next((host_of(word) for word in words if "://" in word), None)
    return [
        Send(host, "git.network", f"git {git.subcommand} talks to another machine", fetches=False)
    ]


def host_of(url: str) -> str | None:
    """The host of a plain URL; None for anything odd."""
    scheme, _, rest = url.partition("://")
    host = rest.partition("/")[0].rpartition("@")[2].partition(":")[0]
    return host.lower() if scheme in {"https", "http", "ssh", "git"} and host else None
