"""Effects of developers' tools that have harmless subcommands beside opaque ones."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from slated.policy.effects import Ask, Call, Deed, Effect, Note, Opaque, Send, Touch, touches
from slated.policy.options import Syntax, parse
from slated.policy.words import Word, plain

READS = Note("program.reads", "it only reads")


@dataclass(frozen=True, slots=True)
class Family:
    """A tool with subcommands. `reads` only look, `sends` talk to other machines, the rest is `otherwise`.

    A subcommand may be two words (`compose ps`). `spoils` are options that make a reading one a question; where
    `options` are given, so does any that is not one of them.
    """

    reads: frozenset[str]
    sends: frozenset[str]
    otherwise: Effect
    global_flags: frozenset[str] = frozenset()
    spoils: frozenset[str] = frozenset()
    options: frozenset[str] = frozenset()


def family(
    *reads: str,
    sends: str = "",
    otherwise: Effect,
    flags: str = "",
    spoils: str = "",
    options: str = "",
) -> Family:
    return Family(
        frozenset(reads),
        frozenset(sends.split()),
        otherwise,
        frozenset(flags.split()),
        frozenset(spoils.split()),
        frozenset(options.split()),
    )


CODE = Opaque("it runs the project's own code, or code that packages bring along")
CONTAINER = Ask("delegate", "what containers do is out of sight of this gate and of undo")
FAMILIES: Mapping[str, Family] = {
    "pip": family("list", "show", "freeze", "check", "config list", "config get", "cache list", "cache dir",
    "help", sends="index search",
                  options="-v --verbose -q --quiet -l --local --user --path --pre --format -f --files --all --version"
                      " --exclude --exclude-editable --include-editable --not-required -e --editable --help -h"
                      " --disable-pip-version-check --no-color --no-input",
                  otherwise=Opaque("it installs or removes packages, whose set-up code runs")),
    "npm": family("ls", "list", "ll", "root", "prefix", "bin", "config get", "config list", "config ls", "pkg"
    " get", "explain", "why",
                  "get", "query", sends="view info show outdated audit search ping whoami owner dist-tag publish"
                  " unpublish deprecate",
                  options="-a --all -g --global -l --long --json -p --parseable --depth --omit --include --link"
                      " --package-lock-only --workspaces -w --workspace --silent -s --prod --dev --version -h --help",
                  otherwise=CODE),
    "go": family("version", "env", "doc", "help", otherwise=Opaque("it builds or runs what the project's files"
    " say"), spoils="-w -u -http"),
    "cargo": family("version", "help", "--list", otherwise=Opaque("it builds or runs what the project's files"
    " say"), sends="search"),
    "docker": family(
        "ps", "images", "logs", "inspect", "stats", "version", "info", "top", "port", "diff", "history",
        "events", "container ls", "container list",
        "container inspect", "container logs", "container top", "container stats", "container port", "container"
        " diff", "image ls", "image list",
        "image inspect", "image history", "network ls", "network list", "network inspect", "volume ls", "volume"
        " list", "volume inspect", "system df",
        "system info", "context ls", "context show", "context inspect", "compose ps", "compose logs", "compose"
        " config", "compose images", "compose ls",
        "compose top", "compose port", "compose version", "buildx ls", "buildx version", "help", sends="pull"
        " push login search",
        otherwise=CONTAINER, spoils="-o --output"),
    "systemctl": family("status", "list-units", "list-unit-files", "list-timers", "list-sockets",
    "list-dependencies", "show", "cat", "is-active",
                        "is-enabled", "is-failed", "is-system-running", "get-default", "show-environment", "help",
                        otherwise=Ask("system", "it changes the system's services"), flags="--user --system"
                            " --no-pager --all -a -l --full --failed",
                        spoils="-H -M --host --machine"),
    "apt": family("list", "show", "search", "policy", "depends", "rdepends", "madison", "showsrc",
    otherwise=Ask("system", "it changes the system's packages"),
                  spoils="-o --option -c --config-file"),
    "dpkg": family("-l", "-L", "-s", "-S", "--list", "--listfiles", "--status", "--search",
    "--print-architecture", "-p",
                   otherwise=Ask("system", "it changes the system's packages")),
    "rustup": family("show", "toolchain list", "target list", "which", "--version", otherwise=Ask("system", "it"
    " changes which tools run")),
    "ip": family("addr", "a", "address", "link", "l", "route", "r", "neigh", "-br", "rule",
    otherwise=Ask("system", "it changes the network"),
                 flags="-br -brief -c -color -4 -6 -j -s -d -o -color=never"),
}  # fmt: skip


def subcommands(call: Call) -> list[Effect]:
    """A tool of the table: decided by its first words."""
    row = FAMILIES[call.name]
    words = [word for word in call.words if word.exact not in row.global_flags]
    if any(word.exact is None and word.may_be_option for word in words):
        return [row.otherwise]
    first = words[0].text if words else ""
    second = f"{first} {words[1].text}" if len(words) > 1 else first
    if first in row.reads or second in row.reads:
        if any(spoils(word.text, row.spoils) for word in words):
            return [row.otherwise]
        given = [word.text.partition("=")[0] for word in words if word.text.startswith("-")]
        if row.options and not row.options.issuperset(given):
            return [row.otherwise]
        return [READS]
    if first in row.sends:
        return [Send(None, "network.send", f"{call.name} {first} talks to other machines")]
    return [row.otherwise]


def spoils(text: str, options: frozenset[str]) -> bool:
    """Whether a word is one of these options, with its value attached or not."""
    name = text.partition("=")[0]
    return name in options or (not text.startswith("--") and text[:2] in options)


def swaymsg(call: Call) -> list[Effect]:
    """swaymsg: asking the desktop is quiet, anything else may start programs."""
    words = [
        word.exact or ""
        for word in call.words
        if word.exact not in {"-r", "-p", "--raw", "--pretty"}
    ]
    if len(words) == 2 and words[0] in {"-t", "--type"} and words[1].startswith("get_"):
        return [READS]
    return [Ask("delegate", "the desktop may run programs for it")]


def compose(call: Call) -> list[Effect]:
    words = (plain("compose"), *call.words)
    return subcommands(Call("docker", words, call.command, call.directories))


def formatter(call: Call) -> list[Effect]:
    """ruff, black, isort: read settings, run no project code; rewrite operands unless told to check."""
    parsed = parse(
        call.words,
        Syntax(
            "lst",
            "line-length config select ignore exclude target-version output-format extend-select"
            " per-file-ignores include force-exclude cache-dir profile output-file stdin-filename",
        ),
    )
    if parsed.has(
        "--output-file",
        "--cache-dir",
        "--add-noqa",
        "--config",
        "--settings-path",
        "--settings-file",
        "--src-path",
        "o",
        "--sp",
    ):
        return [
            Ask("option.unknown", "one of its options writes elsewhere or reads other settings")
        ]
    operands = list(parsed.operands)
    checks = parsed.has("--check", "--diff", "--check-only")
    if call.name == "ruff":
        action = operands.pop(0).text if operands else ""
        if action not in {"check", "format"}:
            return [Ask("option.unknown", f"what ruff {action} does is not known")]
        checks = checks or (
            action == "check" and not parsed.has("--fix", "--fix-only", "--unsafe-fixes")
        )
    targets = operands or [plain(".")]
    if checks:
        return [READS, *touches(Deed.READ, targets)]
    return [Touch(Deed.WRITE, inside(word)) for word in targets]


def gofmt(call: Call) -> list[Effect]:
    """gofmt: prints, or with -w rewrites its operands; its options stand for themselves."""
    given = [word.exact for word in call.words if word.may_be_option]
    if any(option not in {"-l", "-d", "-w", "-s", "-e"} for option in given):
        return [Ask("option.unknown", "one of its options writes elsewhere, or is not known")]
    files = [word for word in call.words if not word.may_be_option]
    if "-w" not in given:
        return [READS, *touches(Deed.READ, files)]
    return touches(Deed.WRITE, [inside(word) for word in files] + files)


def inside(word: Word) -> Word:
    """A file of the language below an operand."""
    return Word(
        word.source, f"{word.text.rstrip('/') or '/'}/(sources)", word.glob, foreign=word.foreign
    )


CURL = Syntax("AbBcCdDeEFhHKmoPQrTtuUwxXyYz", "data data-raw data-binary data-urlencode data-ascii form"
    " form-string header output user"
              " user-agent request url upload-file cookie cookie-jar config max-time connect-timeout retry proxy"
              " cacert cert key json"
              " write-out referer range resolve dump-header output-dir netrc-file")  # fmt: skip
CURL_GETS = (
    "s S L f k i I v o O w m A H g J R e compressed --silent --show-error --location --fail --include"
    " --head --verbose --output --remote-name"
    " --write-out --max-time --user-agent --connect-timeout --retry --compressed --create-dirs --globoff"
    " --http1.1 --http2 --ipv4 --ipv6 4 6 # --progress-bar --no-progress-meter"
)


def curl(call: Call) -> list[Effect]:
    """curl: fetching may be allowed for a listed host, anything that sends more is always a question."""
    parsed = parse(call.words, CURL)
    urls = parsed.operands + [value for value in parsed.all("--url") if value]
    strange = parsed.outside([*CURL_GETS.split(), "--url"])
    if (
        strange
        or parsed.unclear
        or any("$" in word.source and word.exact is None for word in urls)
        or parsed.has("H")
    ):
        return [Ask("network.send", "it sends more than a plain request to another machine")]
    found: list[Effect] = [
        Send(web_host(word), "network.fetch", f"it asks {word.shown} for data", fetches=True)
        for word in urls
    ]
    found += [
        Touch(Deed.WRITE, value)
        for value in parsed.all("o", "--output")
        if value and value.text != "-"
    ]
    if parsed.has("O", "--remote-name", "J"):
        found += [
            Touch(Deed.WRITE, Word(word.source, word.text.rpartition("/")[2] or "index.html"))
            for word in urls
        ]
    return found or [Ask("network.send", "it talks to another machine")]


def wget(call: Call) -> list[Effect]:
    """wget: one plain download may be allowed for a listed host."""
    parsed = parse(call.words, Syntax("OPo", "output-document directory-prefix output-file"))
    if (
        parsed.outside("q O nv c --quiet --output-document --continue --no-verbose".split())
        or parsed.unclear
    ):
        return [Ask("network.send", "it does more than one plain download")]
    found: list[Effect] = [
        Send(web_host(word), "network.fetch", f"it asks {word.shown} for data", fetches=True)
        for word in parsed.operands
    ]
    targets = [
        value for value in parsed.all("O", "--output-document") if value and value.text != "-"
    ]
    targets = targets or [
        Word(word.source, word.text.rpartition("/")[2] or "index.html") for word in parsed.operands
    ]
    return found + touches(Deed.WRITE, targets)


def web_host(word: Word) -> str | None:
    """The host of a web address that is fully known."""
    if word.exact is None:
        return None
    found = re.fullmatch(r"(?:https?://)?([A-Za-z0-9.-]+)(?::\d+)?(?:[/?#][^\s\\@]*)?", word.text)
    return found[1].lower() if found else None


def date(call: Call) -> list[Effect]:
    """date: prints; setting the clock is a question."""
    parsed = parse(call.words, Syntax("dfrsI", "date file reference set"))
    if parsed.has("s", "--set") or any(not word.head.startswith("+") for word in parsed.operands):
        return [Ask("system", "it may set the clock")]
    return [
        READS,
        *touches(
            Deed.READ, [value for value in parsed.all("f", "r", "--file", "--reference") if value]
        ),
    ]


DEVELOPER_TOOLS: Mapping[str, Callable[[Call], list[Effect]]] = {
    **dict.fromkeys(FAMILIES, subcommands),
    "pip3": lambda call: subcommands(Call("pip", call.words, call.command, call.directories)),
    "podman": lambda call: subcommands(Call("docker", call.words, call.command, call.directories)),
    "docker-compose": compose, "swaymsg": swaymsg, "curl": curl, "wget": wget, "date": date,
    **dict.fromkeys("ruff black isort".split(), formatter), "gofmt": gofmt,
}  # fmt: skip
