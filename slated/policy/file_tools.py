"""Effects of the programs that make, move, change and delete files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from slated.policy.effects import Ask, Call, Deed, Effect, Note, Touch, touches
from slated.policy.options import Parsed, Syntax, parse
from slated.policy.places_table import DELAYED
from slated.policy.words import UNKNOWN, Word, plain

TARGET_OPTIONS = ("t", "--target-directory")


def unknown_option(parsed: Parsed, known: str) -> list[Effect]:
    """A question if an option is given that is not in the known ones (letters, and names with dashes)."""
    strange = parsed.outside(known.split())
    return (
        [Ask("option.unknown", f"what the option {strange} does here is not known")]
        if strange
        else []
    )


def rm(call: Call) -> list[Effect]:
    parsed = parse(call.words, Syntax())
    recursive = parsed.has("r", "R", "--recursive")
    found = unknown_option(
        parsed,
        "r R f i I v d --recursive --force --interactive --verbose --dir --one-file-system"
        " --no-preserve-root --preserve-root",
    )
    return found + touches(Deed.DELETE, parsed.operands, recursive=recursive)


def rmdir(call: Call) -> list[Effect]:
    parsed = parse(call.words, Syntax())
    found = unknown_option(parsed, "p v --parents --verbose --ignore-fail-on-non-empty")
    if parsed.has("p", "--parents"):
        found.append(Ask("path.parents", "it deletes the directories above as well"))
    return found + touches(Deed.DELETE, parsed.operands)


def mkdir(call: Call) -> list[Effect]:
    parsed = parse(call.words, Syntax("m", "mode"))
    return unknown_option(parsed, "p m v --parents --mode --verbose") + touches(
        Deed.REPLACE, parsed.operands
    )


def touch(call: Call) -> list[Effect]:
    parsed = parse(call.words, Syntax("drt", "date reference time"))
    found = unknown_option(
        parsed, "a c m h d r t --no-create --date --reference --time --no-dereference"
    )
    return found + touches(Deed.WRITE, parsed.operands)


def truncate(call: Call) -> list[Effect]:
    parsed = parse(call.words, Syntax("sr", "size reference"))
    return unknown_option(parsed, "s r c o --size --reference --no-create --io-blocks") + touches(
        Deed.WRITE, parsed.operands
    )


def mode(call: Call) -> list[Effect]:
    """chmod, chgrp, chown: one operand says how, the rest are paths."""
    parsed = parse([word for word in call.words if not is_mode(word)], Syntax("", "reference from"))
    strange = unknown_option(
        parsed,
        "R v c f h --recursive --verbose --changes --silent --quiet --no-dereference --reference",
    )
    mode_word = next((word for word in call.words if is_mode(word)), None)
    paths = parsed.operands if mode_word or parsed.has("--reference") else parsed.operands[1:]
    how = mode_word or (parsed.operands[0] if parsed.operands else None)
    if call.name != "chmod":
        strange.append(Ask("owner.change", "it changes who owns a file"))
    elif how and (
        any(letter in how.text for letter in "st") or how.text.lstrip("+-=0")[3:].isdigit()
    ):
        strange.append(Ask("mode.special", "it sets a special mode bit"))
    return strange + touches(Deed.CHANGE, paths, recursive=parsed.has("R", "--recursive"))


def is_mode(word: Word) -> bool:
    """A mode such as `-w`, which looks like an option."""
    return (
        word.text.startswith("-")
        and word.text[1:2] in set("rwxXst")
        and set(word.text[1:]) <= set("rwxXst,+-=ugoa")
    )


PLAIN_SUFFIXES = frozenset(["~", ".bak", ".backup", ".orig", ".old", ".save"])
"""Ends of backups' names that no file has which runs later."""


def backups(parsed: Parsed) -> list[Effect]:
    """A question if backups get an end of the caller's choice: `CLAUDE` with `.md` is another file."""
    named = [value for value in parsed.all("S", "--suffix") if value]
    if all(value.exact in PLAIN_SUFFIXES for value in named):
        return []
    return [Ask("option.unclear", "the suffix of backups may make the name of another file")]


COPY = Syntax("tS", "target-directory suffix reflink sparse backup context no-preserve")
COPY_OPTIONS = (
    "a b d f i H l L n P p R r s S t T u v x Z --archive --force --interactive --no-clobber --dereference --recursive"
    " --no-dereference --preserve --no-preserve --parents --reflink --sparse --symbolic-link --link --target-directory"
    " --no-target-directory --update --verbose --one-file-system --backup --suffix --remove-destination"
    " --strip-trailing-slashes"
)


def copy(call: Call) -> list[Effect]:
    """cp, mv, ln, install: sources and one destination."""
    parsed = parse(call.words, COPY)
    found = unknown_option(parsed, COPY_OPTIONS)
    found += backups(parsed)
    if parsed.unclear:
        found.append(
            Ask("option.unclear", f"{parsed.unclear[0].shown} may turn out to be an option")
        )
    sources, targets = sources_and_targets(call, parsed)
    recursive = call.name == "mv" or parsed.has("r", "R", "a", "--recursive", "--archive")
    if recursive and parsed.has("L", "--dereference"):
        found.append(Ask("copy.follows", "it follows links on its way, so it may copy anything"))
    found += touches(Deed.READ, sources, recursive=recursive)
    if call.name == "mv":
        found += touches(Deed.DELETE, sources, recursive=True)
    if parsed.has("--parents"):
        found.append(Ask("option.unclear", "it makes the directories of its sources as well"))
    deed = Deed.WRITE if call.name == "cp" else Deed.REPLACE
    return found + puts(deed, sources, targets, recursive=recursive)


def puts(
    deed: Deed, sources: list[Word], targets: list[Word], *, recursive: bool = False
) -> list[Effect]:
    """The same deed on each target. Those that are patterns take the names of the sources that are."""
    patterns = [source for source in sources if source.glob]
    made: list[Effect] = []
    for target in targets:
        like = next((p for p in patterns if target.text.endswith(f"/{last_part(p)}")), None)
        made.append(Touch(deed, target, recursive, like if target.glob else None))
    return made


def last_part(word: Word) -> str:
    return word.text.rstrip("/").rpartition("/")[2]


def sources_and_targets(call: Call, parsed: Parsed) -> tuple[list[Word], list[Word]]:
    """Sources, and every place that may be written: the destination, and each source's name inside of it."""
    destination = next((value for value in parsed.all(*TARGET_OPTIONS) if value), None)
    sources = list(parsed.operands)
    inside_only = destination is not None
    if destination is None:
        if len(sources) < 2:
            return sources, [plain(".")] if call.name == "ln" and sources else []
        destination = sources.pop()
    inside_only |= destination.text.endswith("/") or len(sources) > 1
    named = [inside(destination, source) for source in sources]
    if inside_only:
        return sources, named
    into_directory = parsed.has("T", "--no-target-directory") or destination.text.endswith("/.")
    return sources, [destination] if into_directory else [destination, *named]


def inside(directory: Word, source: Word) -> Word:
    """The path that a source gets inside of a directory; unknown names stay unknown."""
    base = source.text.rstrip("/").rpartition("/")[2]
    if base in {".", "..", ""}:
        base = UNKNOWN
    glob = directory.glob or source.glob
    text = f"{directory.text.rstrip('/') or '/'}/{base}"
    return Word(
        f"{directory.source}/{base}", text, glob=glob, foreign=source.foreign or directory.foreign
    )


def link(call: Call) -> list[Effect]:
    """ln: the name is made, what it points at is untouched (a hard link shares it)."""
    parsed = parse(call.words, Syntax("tS", "target-directory suffix backup"))
    found = unknown_option(
        parsed,
        "s f n i r v T t L P b S --symbolic --force --no-dereference --relative --verbose"
        " --no-target-directory --target-directory --logical --physical --interactive --backup --suffix",
    )
    found += backups(parsed)
    sources, targets = sources_and_targets(call, parsed)
    found += touches(Deed.READ, sources, recursive=True)
    if not parsed.has("s", "--symbolic"):
        found += touches(Deed.CHANGE, sources)
    symbolic = parsed.has("s", "--symbolic")
    return found + puts(Deed.REPLACE, sources, targets, recursive=symbolic)


def install(call: Call) -> list[Effect]:
    parsed = parse(
        call.words, Syntax("mogStT", "mode owner group target-directory suffix strip-program")
    )
    found = unknown_option(
        parsed,
        "d D m v p T t C --directory --mode --verbose --preserve-timestamps --target-directory --compare",
    )
    if parsed.has("d", "--directory"):
        return found + touches(Deed.REPLACE, parsed.operands)
    sources, targets = sources_and_targets(call, parsed)
    return found + touches(Deed.READ, sources) + puts(Deed.REPLACE, sources, targets)


def tee(call: Call) -> list[Effect]:
    parsed = parse(call.words, Syntax("", "output-error"))
    return unknown_option(parsed, "a i p --append --ignore-interrupts --output-error") + touches(
        Deed.WRITE, parsed.operands
    )


def dd(call: Call) -> list[Effect]:
    found: list[Effect] = []
    for word in call.words:
        key, _, value = word.text.partition("=")
        if word.glob:
            return [Ask("operand.unknown", f"what {word.shown} will be here is not known")]
        rest = Word(word.source, value, glob=word.glob, foreign=word.foreign)
        if key == "of":
            found.append(Touch(Deed.WRITE, rest))
        elif key == "if":
            found.append(Touch(Deed.READ, rest))
        elif UNKNOWN in word.text or key not in {
            "bs",
            "ibs",
            "obs",
            "cbs",
            "count",
            "skip",
            "seek",
            "conv",
            "iflag",
            "oflag",
            "status",
        }:
            found.append(Ask("operand.unknown", f"what {word.shown} does here is not known"))
    return found or [Note("program.reads", "it only copies its input to its output")]


def split(call: Call) -> list[Effect]:
    """split and csplit name their output files themselves: what is given, and letters or digits."""
    if any(word.text.startswith("--f") for word in call.words) and call.name == "split":
        return [Ask("option.harmful", "--filter: this option runs another program")]
    if call.name == "csplit":
        parsed = parse(call.words, Syntax("fbn", "prefix suffix-format digits"))
        found = unknown_option(
            parsed,
            "f k n s z q --prefix --keep-files --digits --quiet --silent --elide-empty-files",
        )
        prefix = next((value for value in parsed.all("f", "--prefix") if value), plain("xx"))
    else:
        parsed = parse(
            call.words,
            Syntax("abClnt", "suffix-length bytes line-bytes lines number separator"),
        )
        found = unknown_option(
            parsed,
            "a b C l n t d x e u --suffix-length --bytes --line-bytes --lines --number --separator"
            " --numeric-suffixes --hex-suffixes --elide-empty-files --unbuffered --verbose",
        )
        prefix = parsed.operands[1] if len(parsed.operands) > 1 else plain("x")
    base = prefix.text.rpartition("/")[2]
    if any(may_become(base, name) for name in RUNS_LATER):
        found.append(Ask("path.delayed", f"a name that starts with {base} may be one that counts"))
    return [
        *found,
        *touches(Deed.READ, parsed.operands[:1]),
        Touch(Deed.WRITE, Word(prefix.source, prefix.text + "aa", foreign=prefix.foreign)),
    ]


def may_become(start: str, pattern: str) -> bool:
    """Whether letters or digits behind `start` may make a name of the pattern."""
    _, star, end = pattern.rpartition("*")
    heads = range(bool(star), len(end))
    return any(
        (start.endswith(end[:at]) if star else start == end[:at]) and end[at:].isalnum()
        for at in heads
    )


RUNS_LATER = frozenset(pattern.rpartition("/")[2] for pattern, _ in DELAYED) - {"**", "*"}
"""Names of files that run later, wherever they lie."""
PACKED = frozenset("gz z tgz bz2 tbz xz txz lzma zst tzst".split())


def compress(call: Call) -> list[Effect]:
    """gzip and its kin replace a file by another one beside it, with an end more or less to its name."""
    parsed = parse(call.words, Syntax("STb", "suffix threads"))
    found = unknown_option(
        parsed,
        "c d f k l n q t v 1 2 3 4 5 6 7 8 9 z --stdout --to-stdout --decompress --keep --list --test"
        " --force --quiet --verbose --fast --best",
    )
    if parsed.has("c", "l", "t", "--stdout", "--to-stdout", "--list", "--test"):
        return found + touches(Deed.READ, parsed.operands)
    found += touches(Deed.READ, parsed.operands)
    if not call.name.startswith("zst") and not call.name.startswith("unzst"):
        found += touches(Deed.DELETE, parsed.operands)
    return found + touches(Deed.WRITE, [unpacked(word) for word in parsed.operands])


def unpacked(word: Word) -> Word:
    """The name without a packer's end; the name itself where it has none, for then it gets one."""
    stem, dot, end = word.text.rpartition(".")
    return replace(word, text=stem) if dot and end in PACKED and stem else word


FILE_TOOLS: Mapping[str, Callable[[Call], list[Effect]]] = {
    "rm": rm, "unlink": rm, "rmdir": rmdir, "mkdir": mkdir, "touch": touch, "truncate": truncate,
    "chmod": mode, "chown": mode, "chgrp": mode, "cp": copy, "mv": copy, "ln": link, "link": link, "install": install,
    "tee": tee, "dd": dd, "split": split, "csplit": split,
    **dict.fromkeys("gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd".split(), compress),
}  # fmt: skip
