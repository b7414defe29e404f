"""Effects of the shell's own commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from slated.policy.effects import Ask, Call, Effect, Note, RunText
from slated.policy.options import Syntax, parse
from slated.policy.syntax import NAME
from slated.policy.words import plain

QUIET = Note("shell.builtin", "it changes nothing outside of this shell")
NAMES_ONLY = {
    "read": Syntax("adinNptu"), "mapfile": Syntax("dnOsucC"), "readarray": Syntax("dnOsucC"), "unset": Syntax(),
    "export": Syntax(), "readonly": Syntax(), "local": Syntax(), "declare": Syntax(), "typeset": Syntax(),
    "getopts": Syntax(), "wait": Syntax("p"),
}  # fmt: skip


def quiet(call: Call) -> list[Effect]:
    return [QUIET]


def names(call: Call) -> list[Effect]:
    """Builtins that set variables by name: a name with a subscript would be computed, so it must be plain."""
    parsed = parse(call.words, NAMES_ONLY[call.name])
    if parsed.has("C", "n", "i", "f", "F", "a", "A") and call.name in {
        "mapfile",
        "readarray",
        "declare",
        "typeset",
        "local",
        "export",
    }:
        return [Ask("shell.names", f"{call.name} gets an option that may run commands")]
    words = list(parsed.operands)
    if call.name == "getopts":
        words = words[1:2]
    if call.name == "wait":
        words = []
    for word in words:
        if "=(" in word.text:
            return [Ask("shell.names", "a quoted list is read again, which may run substitutions")]
        name = word.text.partition("=")[0].rstrip("+")
        if not NAME.fullmatch(name):
            return [
                Ask("shell.names", f"{word.shown} is no plain name, so the shell may compute it")
            ]
    for value in parsed.all("a" if call.name == "read" else "p" if call.name == "wait" else "-"):
        if value is None or not NAME.fullmatch(value.text):
            return [Ask("shell.names", "a name is computed")]
    return [QUIET]


def printf(call: Call) -> list[Effect]:
    if call.words and (call.words[0].text.startswith("-v") or call.words[0].may_be_option):
        target = call.words[0].text[2:] or (call.words[1].text if len(call.words) > 1 else "")
        if not call.words[0].text.startswith("-v") or not NAME.fullmatch(target):
            return [Ask("shell.names", "printf may set a computed name")]
    return [Note("program.reads", "it only prints")]


def test(call: Call) -> list[Effect]:
    risky = [word for word in call.words if word.splits and word.foreign]
    if any(word.exact in {"-v", "-R"} for word in call.words):
        return [
            Ask("shell.names", "a test looks at a variable by name, which may run substitutions")
        ]
    if risky:
        return [Ask("shell.names", f"{risky[0].shown} may turn out to be an operator")]
    return [Note("program.reads", "it only tests")]


def evaluate(call: Call) -> list[Effect]:
    """eval: its words joined are a script."""
    words = [word for word in call.words if word.exact != "--"]
    if any(word.exact is None for word in words):
        return [Ask("shell.eval", "what it evaluates is not written here")]
    return [RunText(plain(" ".join(word.text for word in words)))]


def source(call: Call) -> list[Effect]:
    name = call.words[0].shown if call.words else "nothing"
    return [Ask("shell.source", f"it runs {name} as a script in this shell")]


def trap(call: Call) -> list[Effect]:
    """trap: runs a text when something happens."""
    words = [word for word in call.words if word.exact != "--"]
    if not words or words[0].text in {"-l", "-p", "-"}:
        return [QUIET]
    return [RunText(words[0], later=True)]


def jobs(call: Call) -> list[Effect]:
    """jobs: lists; -x runs a command."""
    return (
        refuse(call)
        if any("x" in word.text or word.exact is None for word in call.words)
        else [QUIET]
    )


def refuse(call: Call) -> list[Effect]:
    return [
        Ask("shell.builtin", f"the shell command {call.name} may change what later commands mean")
    ]


def set_options(call: Call) -> list[Effect]:
    """set and shopt: options of this shell. Aliases and posix mode would change how the line is read."""
    text = " ".join(word.text for word in call.words)
    if (
        any(word.exact is None for word in call.words)
        or "alias" in text
        or "posix" in text
        or "extglob" in text
    ):
        return refuse(call)
    if any(
        word in text
        for word in (
            "patsub",
            "lastpipe",
            "assoc_expand",
            "histexp",
            "keyword",
            "compat",
            "glob",
            "sourcepath",
        )
    ):
        return refuse(call)
    letters = "".join(
        word.text for word in call.words if word.text[:1] in "-+" and not word.text.startswith("--")
    )
    return refuse(call) if set(letters) & set("kHt") else [QUIET]


def kill(call: Call) -> list[Effect]:
    """kill: signals to other processes cannot be taken back."""
    first = call.words[0].text if call.words else ""
    if first in {"-l", "-L", "-0", "--list"} or all(
        word.text.startswith("%") for word in call.words
    ):
        return [QUIET]
    return [Ask("process.signal", "it ends or signals processes, which cannot be undone")]


def directory(call: Call) -> list[Effect]:
    return [Note("shell.builtin", "it changes this shell's directory")]


BUILTINS: Mapping[str, Callable[[Call], list[Effect]]] = {
    **dict.fromkeys(": true false echo pwd dirs times fg bg disown shift return exit break continue umask"
        " ulimit logout"
                    " suspend caller type help".split(), quiet),
    **dict.fromkeys(NAMES_ONLY, names),
    **dict.fromkeys("cd pushd popd".split(), directory),
    "printf": printf, "test": test, "[": test, "eval": evaluate, "source": source, ".": source, "trap": trap,
    "set": set_options, "shopt": set_options, "kill": kill,
    "jobs": jobs,
    **dict.fromkeys("let hash alias unalias bind complete compgen compopt enable fc history coproc".split(), refuse),
}  # fmt: skip
