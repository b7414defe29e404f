"""Effects of programs that run another command given in their words, and of shells given a script."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

from slated.policy.effects import Ask, Call, Deed, Effect, Note, Opaque, Run, RunText, Touch
from slated.policy.environment_table import decides_what_runs
from slated.policy.options import Syntax, parse
from slated.policy.programs_table import VERSION_ONLY
from slated.policy.words import UNKNOWN, Command, Feed, Stdin, Word


@dataclass(frozen=True, slots=True)
class Wrapper:
    """`known` options are harmless; `operands` words come before the command."""

    syntax: Syntax
    known: str = ""
    operands: int = 0


WRAPPERS: Mapping[str, Wrapper] = {
    "nohup": Wrapper(Syntax(stops_at_operand=True)),
    "setsid": Wrapper(Syntax(stops_at_operand=True), "c f w --ctty --fork --wait"),
    "nice": Wrapper(Syntax("n", "adjustment", stops_at_operand=True), "n 0 1 2 3 4 5 6 7 8 9 --adjustment"),
    "ionice": Wrapper(Syntax("cn", "class classdata", stops_at_operand=True), "c n t --class --classdata --ignore"),
    "chrt": Wrapper(Syntax("TPD", "", stops_at_operand=True), "b f i o r", operands=1),
    "taskset": Wrapper(Syntax("", "", stops_at_operand=True), "c --cpu-list", operands=1),
    "timeout": Wrapper(Syntax("ks", "kill-after signal", stops_at_operand=True),
                       "k s v --kill-after --signal --foreground --preserve-status --verbose", operands=1),
    "stdbuf": Wrapper(Syntax("ioe", "input output error", stops_at_operand=True), "i o e --input --output --error"),
    "time": Wrapper(Syntax("f", "format", stops_at_operand=True), "p f v --portability --format --verbose"),
    "builtin": Wrapper(Syntax(stops_at_operand=True)),
    "exec": Wrapper(Syntax("a", stops_at_operand=True), "a c l"),
    "chronic": Wrapper(Syntax(stops_at_operand=True)),
}  # fmt: skip
SHELLS = frozenset("sh bash dash zsh ksh mksh ash rbash".split())
SHELL_OPTIONS = frozenset(
    "errexit nounset pipefail xtrace verbose noglob noclobber errtrace".split()
)
"""Options (`-o`) that do not change how a script is read."""
RAN_ELSEWHERE = "what it would run is not written here"


def wrapper(call: Call) -> list[Effect]:
    """A wrapper of the table: options, some operands, then the command."""
    row = WRAPPERS[call.name]
    parsed = parse(call.words, row.syntax)
    if strange := parsed.outside(row.known.split()):
        return [
            Ask("option.unknown", f"what the option {strange} of {call.name} does is not known")
        ]
    return run(tuple(parsed.operands[row.operands :]), call)


def run(argv: tuple[Word, ...], call: Call) -> list[Effect]:
    """Runs what is left, with the same input."""
    if not argv:
        return [Note("program.wrapper", "it runs nothing")]
    return [Run(argv, call.command.stdin)]


def command(call: Call) -> list[Effect]:
    parsed = parse(call.words, Syntax(stops_at_operand=True))
    if parsed.has("v", "V"):
        return [Note("program.reads", "it only says what a name means")]
    if parsed.outside(["p"]):
        return [Ask("option.unknown", "this option of command is not known")]
    return run(tuple(parsed.operands), call)


def flock(call: Call) -> list[Effect]:
    """flock: waits for a lock file, then runs a command or, with -c, a text."""
    parsed = parse(
        call.words, Syntax("wE", "timeout wait conflict-exit-code", stops_at_operand=True)
    )
    if parsed.outside(
        "s x e n u w o E F --shared --exclusive --nonblock --unlock --timeout --wait --close --no-fork"
        " --verbose".split()
    ):
        return [Ask("option.unknown", "this option of flock is not known")]
    words = parsed.operands[1:]
    if words and words[0].text in {"-c", "--command"}:
        return (
            [RunText(words[1], "sh")] if len(words) == 2 else [Ask("shell.option", RAN_ELSEWHERE)]
        )
    return run(tuple(words), call)


def env(call: Call) -> list[Effect]:
    """env: sets variables for a command; alone it prints the environment."""
    parsed = parse(call.words, Syntax("uCS", "unset chdir split-string", stops_at_operand=True))
    if parsed.has("S", "--split-string"):
        return [Ask("env.split", "env -S makes a command out of one word")]
    if parsed.outside("u C i 0 v - --unset --chdir --ignore-environment --null".split()):
        return [Ask("option.unknown", "this option of env is not known")]
    words = list(parsed.operands)
    found: list[Effect] = []
    while words and ("=" in words[0].head or words[0].exact == "-"):
        name, _, value = words.pop(0).text.partition("=")
        found += environment(name, value)
    directory = next((value for value in parsed.all("C", "--chdir") if value), None)
    if directory is not None and any(word.glob for word in words):
        return [Ask("option.unclear", "a pattern is filled in here, and its names used elsewhere")]
    rest = run(tuple(words), call)
    return found + [
        replace(effect, directory=directory) if isinstance(effect, Run) else effect
        for effect in rest
    ]


def environment(name: str, value: str | None) -> list[Effect]:
    """A question if this variable decides what programs run or where bytes go."""
    if decides_what_runs(name, value):
        return [
            Ask(
                "environment.decides",
                f"the variable {name} decides which programs run or where they look",
            )
        ]
    return []


def xargs(call: Call) -> list[Effect]:
    """xargs: runs a command with words from its input."""
    syntax = Syntax(
        "adEILnPs",
        "arg-file delimiter max-lines max-args max-procs max-chars process-slot-var",
        stops_at_operand=True,
    )
    parsed = parse(call.words, syntax)
    if parsed.outside("0 r t a d E I L n P s x --null --no-run-if-empty --arg-file --delimiter --max-lines"
        " --max-args --max-procs"
                      " --max-chars --exit --verbose".split()):  # fmt: skip
        return [Ask("option.unknown", "this option of xargs is not known")]
    marker = next((value.exact for value in parsed.all("I") if value), None)
    argv = tuple(parsed.operands)
    whole = parsed.has("0", "--null", "d", "--delimiter", "I")
    found = upstream_paths(call.command.stdin.upstream, whole) or Word(
        "(input)", UNKNOWN, splits=True, foreign=True, literal=False
    )
    if not argv:
        return [Note("program.reads", "it only prints what it reads")]
    if marker is None:
        return [Run((*argv, found), Stdin(Feed.FILE))]
    if any(marker in word.text and word.text != marker for word in argv) or marker == argv[0].text:
        return [Ask("option.unclear", "xargs puts its input into the middle of a word")]
    return [Run(tuple(found if word.text == marker else word for word in argv), Stdin(Feed.FILE))]


def upstream_paths(upstream: Command | None, whole: bool) -> Word | None:
    """What a search on the other end of the pipe prints: paths below where it looks.

    Without NUL or line separators a file name with blanks may become any word, so the paths count as foreign;
    they are then good enough for reading only.
    """
    if upstream is None or upstream.name not in {"find", "grep", "rg"}:
        return None
    words = [word for word in upstream.argv[1:] if word.exact is not None]
    if upstream.name == "find":
        tops = [word for word in words[:1] if not word.text.startswith(("-", "("))]
        acts = any(word.text.startswith(("-exec", "-printf", "-L", "-follow")) for word in words)
    else:
        plain_words = [word for word in words if not word.text.startswith("-")]
        tops = plain_words[1:2] if len(plain_words) == 2 else []
        acts = not any(word.text.startswith("-") and set(word.text) & {"l", "L"} for word in words)
    if not tops or acts:
        return None
    top = tops[0].text
    start = top if top.startswith(("/", ".")) else f"./{top}"
    named = [b.text for a, b in pairwise(words) if a.text in {"-name", "-iname"}]
    tail = f"/{named[0]}" if len(named) == 1 and upstream.name == "find" else ""
    text = f"{start.rstrip('/')}/{UNKNOWN}{tail}"
    return Word("(paths found)", text, below=whole, foreign=False, literal=False)


def shell(call: Call) -> list[Effect]:
    """A shell: -c runs a text, a file is opaque, input is a text if it is written in the line."""
    if len(call.words) == 1 and call.words[0].exact in VERSION_ONLY:
        return [Note("program.version", "it only prints its version or its help")]
    parsed = parse(call.words, Syntax("oO", "rcfile init-file", stops_at_operand=True))
    strange = parsed.outside(
        "c l e u x f n i v b a h p o s --login --norc --noprofile --posix".split()
    )
    changed = [v for v in parsed.all("o", "O") if v is None or v.exact not in SHELL_OPTIONS]
    if strange or parsed.unclear or changed:
        return [Ask("shell.option", f"{call.name} gets an option that is not understood")]
    operands = list(parsed.operands)
    if parsed.has("c"):
        return (
            [RunText(operands[0], call.name)] if operands else [Ask("shell.option", RAN_ELSEWHERE)]
        )
    if operands and not parsed.has("s"):
        return [Touch(Deed.READ, operands[0]), Opaque(f"{operands[0].shown} is a script")]
    stdin = call.command.stdin
    if stdin.feed is Feed.TEXT and stdin.word is not None:
        return [RunText(stdin.word, call.name)]
    return [Ask("shell.input", f"{call.name} runs whatever it reads: {RAN_ELSEWHERE}")]


def busybox(call: Call) -> list[Effect]:
    return [Ask("program.unknown", "busybox stands for many programs")]


WRAPPING: Mapping[str, Callable[[Call], list[Effect]]] = {
    **dict.fromkeys(WRAPPERS, wrapper),
    **dict.fromkeys(SHELLS, shell),
    "command": command, "env": env, "flock": flock, "xargs": xargs, "busybox": busybox,
}  # fmt: skip
