"""Effects of the tools of Claude Code, Codex and Slate itself, by the shapes that the real programs send."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from slated.policy.effects import Ask, Deed, Effect, Mild, Note, RunText, Send, Touch
from slated.policy.words import Word, plain

Arguments = Mapping[str, object]
Handler = Callable[[Arguments], list[Effect]]

QUIET = Note("tool.quiet", "it changes nothing outside of the agent")
MISSING = Ask("tool.arguments", "its arguments do not have the known shape")


def quiet(arguments: Arguments) -> list[Effect]:
    return [QUIET]


def text(arguments: Arguments, *names: str) -> str | None:
    """The first of these arguments that is a text."""
    return next((value for name in names if isinstance(value := arguments.get(name), str)), None)


def on_file(deed: Deed, *names: str) -> Handler:
    """A tool that does one thing to one file."""

    def effects(arguments: Arguments) -> list[Effect]:
        path = text(arguments, *names)
        return [Touch(deed, plain(path))] if path else [MISSING]

    return effects


def search(arguments: Arguments) -> list[Effect]:
    """Glob and Grep: they look below a directory."""
    pattern = text(arguments, "pattern") or ""
    top = text(arguments, "path") or "."
    found: list[Effect] = [Touch(Deed.READ, plain(top), recursive=True)]
    if pattern.startswith(("/", "~")):
        found.append(Touch(Deed.READ, Word(pattern, pattern, glob=True)))
    return found


def listing(arguments: Arguments) -> list[Effect]:
    """Glob and LS: names only."""
    return [Touch(Deed.LIST, plain(text(arguments, "path") or "."), recursive=True)]


def shell(*names: str) -> Handler:
    """A tool that runs a command line, in `workdir` if it is given."""

    def effects(arguments: Arguments) -> list[Effect]:
        for name in names:
            value = arguments.get(name)
            if isinstance(value, str):
                return [RunText(plain(value), "agent")]
            if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
                return [RunText(plain(quoted(value)), "bash")]
        return [MISSING]

    return effects


def quoted(argv: list[str]) -> str:
    """An argument list as a command line that means exactly it."""
    return " ".join("'" + word.replace("'", "'\\''") + "'" for word in argv)


def fetch(arguments: Arguments) -> list[Effect]:
    """WebFetch: the address itself leaves the machine."""
    url = text(arguments, "url") or ""
    found = re.fullmatch(r"https?://([A-Za-z0-9.-]+)(?::\d+)?(?:[/?#]\S*)?", url)
    host = found[1].lower() if found else None
    return [Send(host, "network.fetch", f"it asks {url or 'an address'} for data", fetches=True)]


PATCH_LINE = re.compile(r"^\*\*\* (Add File|Update File|Delete File|Move to): (.+)$", re.MULTILINE)


def patch(arguments: Arguments) -> list[Effect]:
    """Codex's apply_patch: files are named by lines of their own."""
    body = text(arguments, "input", "patch", "command") or ""
    found: list[Effect] = []
    for action, path in PATCH_LINE.findall(body):
        deed = Deed.DELETE if action == "Delete File" else Deed.WRITE
        found.append(Touch(deed, plain(path.strip())))
    return found or [MISSING]


def keys(arguments: Arguments) -> list[Effect]:
    """Codex's write_stdin: without text it only reads on."""
    return (
        [QUIET]
        if not arguments.get("chars")
        else [Ask("terminal.key", "it types into a program that is running")]
    )


CLAUDE: Mapping[str, Handler] = {
    "Bash": shell("command"),
    "Read": on_file(Deed.READ, "file_path"), "NotebookRead": on_file(Deed.READ, "notebook_path"),
    "Write": on_file(Deed.WRITE, "file_path"), "Edit": on_file(Deed.WRITE, "file_path"),
    "MultiEdit": on_file(Deed.WRITE, "file_path"),
    "NotebookEdit": on_file(Deed.WRITE, "notebook_path"), "Glob": listing, "LS": listing, "Grep": search,
    "WebFetch": fetch,
    **dict.fromkeys(
        "WebSearch Task Agent TodoWrite TodoRead TaskCreate TaskUpdate TaskGet TaskList TaskOutput TaskStop"
        " BashOutput KillShell KillBash"
        " ExitPlanMode EnterPlanMode AskUserQuestion ToolSearch Skill ListMcpResourcesTool".split(),
        quiet,
    ),
}  # fmt: skip
CODEX: Mapping[str, Handler] = {
    **dict.fromkeys("Bash shell exec_command local_shell container.exec".split(), shell("cmd", "command")),
    "apply_patch": patch, "view_image": on_file(Deed.READ, "path"), "write_stdin": keys,
    **dict.fromkeys("update_plan web_search request_user_input".split(), quiet),
}  # fmt: skip


def mild(arguments: Arguments) -> list[Effect]:
    return [Mild("slate.keeps", "it stores a note that can be forgotten")]


def forget(arguments: Arguments) -> list[Effect]:
    return [Ask("slate.forget", "what is forgotten cannot be brought back")]


SLATE: Mapping[str, Handler] = {
    **dict.fromkeys("approve recall recall_step slate_trail history_search".split(), quiet),
    **dict.fromkeys("remember slate_note slate.open slate.writeSeed slate.close".split(), mild),
    "forget": forget,
}  # fmt: skip
CLIENTS: Mapping[str, Mapping[str, Handler]] = {"claude": CLAUDE, "codex": CODEX}
