"""Effects of programs that pack and unpack archives."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from slated.policy.effects import Ask, Call, Deed, Effect, Touch, touches
from slated.policy.options import Syntax, parse
from slated.policy.words import Word, plain

TAR = Syntax("fCbTXIgHKNVL", "file directory files-from exclude exclude-from use-compress-program to-command"
             " checkpoint-action info-script new-volume-script rsh-command rmt-command listed-incremental"
             " strip-components"
             " transform xform owner group mode mtime format blocking-factor label sort")  # fmt: skip
TAR_RUNS = ("I", "F", "--use-compress-program", "--to-command", "--checkpoint-action", "--info-script",
            "--new-volume-script", "--rsh-command", "--rmt-command")  # fmt: skip


TAR_KNOWN = (
    "A c d r t u x f C v z j J a k m p s S h l O X H K N V b Z w W i o B --create --extract --get --list --append"
    " --update --diff --compare --catenate --concatenate --file --directory --verbose --gzip --gunzip --bzip2 --xz"
    " --zstd --lzma --auto-compress --exclude --exclude-from --exclude-vcs --exclude-vcs-ignores --exclude-caches"
    " --exclude-backups --strip-components --transform --xform --owner --group --mode --mtime --format --sort"
    " --numeric-owner"
    " --keep-old-files --skip-old-files --keep-newer-files --overwrite --preserve-permissions --same-permissions"
    " --no-same-owner --no-same-permissions --dereference --hard-dereference --one-file-system --sparse --to-stdout"
    " --touch --wildcards --anchored --no-recursion --recursion --totals --full-time --utc --show-transformed-names"
    " --one-top-level --blocking-factor --label --version --help --no-wildcards --warning --acls --xattrs --selinux"
)


def tar(call: Call) -> list[Effect]:
    """tar: lists, packs or unpacks; the old style without a dash is understood."""
    words = list(call.words)
    if words and words[0].exact and not words[0].text.startswith("-"):
        words = old_style(words)
    parsed = parse(words, TAR)
    found: list[Effect] = []
    for name in TAR_RUNS:
        if parsed.has(name):
            found.append(
                Ask(
                    "option.harmful",
                    f"{name if name[0] == '-' else '-' + name}: this option runs another program",
                )
            )
    if parsed.unclear:
        found.append(
            Ask("option.unclear", f"{parsed.unclear[0].shown} may turn out to be an option")
        )
    if parsed.has(
        "P",
        "--absolute-names",
        "--remove-files",
        "--delete",
        "--unlink-first",
        "--recursive-unlink",
    ):
        found.append(
            Ask("option.harmful", "it writes or deletes outside of the archive's own directory")
        )
    elif strange := parsed.outside([*TAR_KNOWN.split(), *TAR_RUNS]):
        found.append(Ask("option.unknown", f"what the option {strange} of tar does is not known"))
    if parsed.has("h", "--dereference"):
        found.append(Ask("copy.follows", "it follows links on its way, so it may pack anything"))
    found += touches(Deed.READ, [value for value in parsed.all("X", "--exclude-from") if value])
    archive = next((value for value in parsed.all("f", "--file") if value), None)
    if archive is not None and ":" in archive.text and "/" not in archive.text.partition(":")[0]:
        return [*found, Ask("network.send", f"the archive {archive.shown} lies on another machine")]
    tops = [value for value in parsed.all("C", "--directory") if value]
    if len(tops) > 1:
        found.append(Ask("option.unclear", "it packs or unpacks in several directories in turn"))
    return found + tar_mode(parsed.has, parsed.operands, archive, next(iter(tops), None))


def tar_mode(
    has: Callable[..., bool], operands: list[Word], archive: Word | None, top: Word | None
) -> list[Effect]:
    """Reads for listing and packing, writes for unpacking."""
    if has("t", "--list", "d", "--diff", "--compare"):
        return touches(Deed.READ, [archive] if archive else [])
    if has("c", "r", "u", "--create", "--append", "--update"):
        sources = [
            Word(w.source, f"{top.text.rstrip('/')}/{w.text}", w.glob, foreign=w.foreign)
            if top
            else w
            for w in operands
        ]
        packed = touches(Deed.READ, sources, recursive=True)
        quiet = archive is None or archive.text == "-"
        return packed + ([] if quiet or archive is None else [Touch(Deed.WRITE, archive)])
    if has("x", "--extract", "--get"):
        unpacked: list[Effect] = [] if has("O", "--to-stdout") else unpack(top or plain("."))
        return [*touches(Deed.READ, [archive] if archive else []), *unpacked]
    return [Ask("option.unknown", "what tar would do here is not known")]


def old_style(words: list[Word]) -> list[Word]:
    """`tar xfC a.tar dir` as `tar -x -f a.tar -C dir`."""
    letters, rest = words[0].text, words[1:]
    out: list[Word] = []
    for letter in letters:
        out.append(plain(f"-{letter}"))
        if letter in TAR.values and rest:
            out.append(rest.pop(0))
    return out + rest


def unpack(top: Word) -> list[Effect]:
    """An archive may hold any name, so unpacking may write anything below a directory."""
    return [
        Ask(
            "archive.unpack",
            "an archive may hold files that run later, such as git hooks or agent instructions",
        ),
        Touch(
            Deed.WRITE,
            Word(
                top.source,
                f"{top.text.rstrip('/') or '/'}/unpacked",
                glob=top.glob,
                foreign=top.foreign,
            ),
        ),
    ]


def unzip(call: Call) -> list[Effect]:
    parsed = parse(call.words, Syntax("dxP", ""))
    archive = touches(Deed.READ, parsed.operands[:1])
    if parsed.has("l", "v", "t", "z", "Z", "p", "c"):
        return archive
    return archive + unpack(next((value for value in parsed.all("d") if value), plain(".")))


ZIP_KNOWN = (
    "r j q v 0 1 2 3 4 5 6 7 8 9 u f y D X x i n --recurse-paths --junk-paths --quiet --verbose --update --freshen"
    " --symlinks --no-dir-entries --exclude --include --version --help"
)


def zip_(call: Call) -> list[Effect]:
    """zip: packs. Its options are words of one or two letters, so a word with any other letter is not understood."""
    parsed = parse(call.words, Syntax("nxi", "exclude include"))
    lists = any(word.text.startswith("@") for word in call.words)
    pairs = any(word.text.startswith(("-l", "-s", "-d", "-i@", "-x@", "-@")) for word in call.words)
    if lists or pairs or parsed.unclear or parsed.outside(ZIP_KNOWN.split()):
        return [Ask("option.harmful", "this option runs another program, writes or deletes files")]
    return [
        *touches(Deed.WRITE, parsed.operands[:1]),
        *touches(Deed.READ, parsed.operands[1:], recursive=parsed.has("r", "R", "--recurse-paths")),
    ]


def rsync(call: Call) -> list[Effect]:
    """rsync between local directories copies and may delete; anything else talks to another machine."""
    if any(":" in word.text and not word.text.startswith("-") for word in call.words):
        return [Ask("network.send", "it copies from or to another machine")]
    return [Ask("copy.whole", "it copies whole trees, which may hold files that run later")]


ARCHIVES: Mapping[str, Callable[[Call], list[Effect]]] = {
    "tar": tar, "unzip": unzip, "zip": zip_, "rsync": rsync,
}  # fmt: skip
