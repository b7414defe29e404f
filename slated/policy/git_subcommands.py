"""Effects of the git subcommands whose options decide whether they read or change."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from slated.policy import git_table as table
from slated.policy.effects import Ask, Call, Deed, Effect, Note, Opaque, Touch, touches
from slated.policy.facts import WORKTREE, Facts, Repository
from slated.policy.git_line import Git
from slated.policy.paths import join
from slated.policy.words import plain

READS = Note("git.reads", "this git command only reads")


def places(git: Git, call: Call) -> list[str | None]:
    """Directories the command may work in."""
    if git.directory is None:
        return list(call.directories)
    if git.directory.exact is None:
        return [None]
    text = git.directory.text
    return [
        text if text.startswith("/") else join(d, text) if d else None for d in call.directories
    ]


def repositories(
    git: Git, call: Call, facts: Facts
) -> tuple[list[tuple[str, Repository]], list[Effect]]:
    """The repository of each possible directory, and a question for a directory that is not known."""
    found, unknown = list[tuple[str, Repository]](), list[Effect]()
    for directory in places(git, call):
        if directory is None:
            unknown.append(
                Ask("git.unknown_directory", "in which repository it works is not known")
            )
        else:
            found.append((directory, facts.repository(directory)))
    return found, unknown


def only_reads(git: Git, call: Call, facts: Facts) -> list[Effect]:
    """Observes, unless the repository's settings make even reading run a program."""
    found, unknown = repositories(git, call, facts)
    for directory, repository in found:
        if repository.programs:
            named = ", ".join(repository.programs)
            unknown.append(
                Opaque(
                    f"git's configuration in {repository.top or directory} names programs it may run: {named}"
                )
            )
    return [READS, *unknown]


def changes(git: Git, call: Call, facts: Facts) -> list[Effect]:
    """Changes the repository: reversible if undo covers it and no hook runs."""
    found, effects_ = repositories(git, call, facts)
    for directory, repository in found:
        hooks = {*table.PAST_HOOKS.get(git.subcommand, ()), *table.EVERY_CHANGE} & set(
            repository.hooks
        )
        if git.option("--no-verify"):
            hooks -= {"pre-commit", "commit-msg"}
        if hooks:
            effects_.append(
                Opaque(
                    f"it runs the hooks {', '.join(sorted(hooks))} of {repository.top or directory}"
                )
            )
        if repository.programs:
            named = ", ".join(repository.programs)
            effects_.append(
                Opaque(
                    f"git's configuration in {repository.top or directory} names programs it may run: {named}"
                )
            )
        top = (repository.top or directory).rstrip("/")
        effects_.append(Touch(Deed.REPLACE, plain(f"{top}/{WORKTREE}")))
    return effects_


def branch(git: Git, call: Call, facts: Facts) -> list[Effect]:
    listing = git.option(
        "--list",
        "-l",
        "-a",
        "-r",
        "--all",
        "--show-current",
        "--contains",
        "--merged",
        "--no-merged",
        "--points-at",
    )
    if git.option("--edit-description"):
        return [Ask("git.option", "it opens an editor")]
    if not git.operands or (listing and not git.option("-d", "-D", "-m", "-M", "-c", "-C", "-f")):
        return only_reads(git, call, facts)
    return changes(git, call, facts)


def tag(git: Git, call: Call, facts: Facts) -> list[Effect]:
    listing = git.option(
        "-l", "--list", "-n", "--contains", "--points-at", "--merged", "--no-merged"
    )
    if git.option("-v", "--verify"):
        return [Ask("git.runs", "it runs gpg")]
    if not git.operands or (listing and not git.option("-d", "--delete", "-f", "--force")):
        return only_reads(git, call, facts)
    return changes(git, call, facts)


def on_paths(git: Git, call: Call, facts: Facts) -> list[Effect]:
    """restore, checkout, mv, init, worktree: changes, and the files that are named are judged as well."""
    words = git.operands
    if git.subcommand == "checkout":
        marks = [index for index, word in enumerate(git.words) if word.exact == "--"]
        words = git.words[marks[0] + 1 :] if marks else []
    elif git.subcommand == "worktree":
        words = git.operands[1:2]
        if git.operands[:1] and git.operands[0].text == "list":
            return only_reads(git, call, facts)
    named = [word for word in words if word.text not in {".", ":/", "./"} and not git.directory]
    return touches(Deed.REPLACE, named) + changes(git, call, facts)


def nested(
    reads: frozenset[str], changing: frozenset[str]
) -> Callable[[Git, Call, Facts], list[Effect]]:
    """A subcommand with subcommands of its own; none of the sets means a question."""

    def grade(git: Git, call: Call, facts: Facts) -> list[Effect]:
        action = git.operands[0].text if git.operands else ""
        if action in reads:
            return only_reads(git, call, facts)
        if action in changing:
            return changes(git, call, facts)
        return [Ask("git.unknown", f"git {git.subcommand} {action} is not known to be undone")]

    return grade


def reset(git: Git, call: Call, facts: Facts) -> list[Effect]:
    if git.option("--hard", "--merge", "--keep"):
        return [
            Ask("git.reset_hard", "a hard reset throws away changes that were never committed"),
            *changes(git, call, facts),
        ]
    return changes(git, call, facts)


def config(git: Git, call: Call, facts: Facts) -> list[Effect]:
    """Reading is quiet; writing git's configuration may make every later git command run a program."""
    words = [word.text for word in git.words]
    asks_for = git.option(
        "--get",
        "--get-all",
        "--get-regexp",
        "--get-urlmatch",
        "--list",
        "-l",
        "--get-color",
        "--get-colorbool",
    )
    reading = asks_for or words[:1] in (["get"], ["list"])
    if (
        not reading
        and len(git.operands) == 1
        and not git.option("-e", "--edit", "--unset", "--unset-all", "--remove-section")
    ):
        reading = git.operands[0].text not in {
            "set",
            "unset",
            "edit",
            "rename-section",
            "remove-section",
        }
    if git.option("-f", "--file", "--blob"):
        reading = False
    return (
        [READS]
        if reading
        else [Ask("path.delayed", "git's configuration may name programs that later commands run")]
    )


def clean(git: Git, call: Call, facts: Facts) -> list[Effect]:
    if git.option("-n", "--dry-run"):
        return only_reads(git, call, facts)
    return changes(git, call, facts)


def apply(git: Git, call: Call, facts: Facts) -> list[Effect]:
    """A patch may name any file of the repository, so applying one is a question."""
    if git.option("--stat", "--numstat", "--summary", "--check"):
        return [*touches(Deed.READ, git.operands), *only_reads(git, call, facts)]
    return [
        Ask("path.delayed", "a patch may change files that run later, such as agent instructions")
    ]


SUBCOMMANDS: Mapping[str, Callable[[Git, Call, Facts], list[Effect]]] = {
    "branch": branch, "tag": tag, "reset": reset, "config": config, "clean": clean, "apply": apply,
    "stash": lambda git, call, facts: (only_reads if git.operands[:1] and git.operands[0].text in {"list",
    "show"} else changes)(git, call, facts),
    "reflog": lambda git, call, facts: (
        [Ask("git.not_undone", "it throws away the record of lost commits")]
        if git.operands[:1] and git.operands[0].text in {"expire", "delete", "drop"} else only_reads(git, call, facts)),
    "remote": lambda git, call, facts: (
        only_reads(git, call, facts) if not git.operands or git.operands[0].text == "get-url"
        else [Ask("git.network", "it changes or asks another machine")]),
    **dict.fromkeys("restore checkout mv init worktree".split(), on_paths),
    "notes": nested(frozenset(["", "list", "show"]), frozenset(["add", "append", "copy", "remove"])),
    "sparse-checkout": nested(frozenset(["list"]), frozenset(["set", "add", "disable", "init", "reapply"])),
    "archive": lambda git, call, facts: (
        [Ask("git.option", "it writes a file")] if git.option("-o", "--output") else only_reads(git, call, facts)),
}  # fmt: skip
