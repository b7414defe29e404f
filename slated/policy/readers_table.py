"""Table of programs that only read: which options take values, and which few options do more than read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from slated.policy.effects import Deed
from slated.policy.options import Syntax


@dataclass(frozen=True, slots=True)
class Reader:
    """A reading program. `deed` is what it does to operands (None: they are no paths).

    `writes` and `reads` are options whose value is a file; `asks` maps options to why they are a question.
    `skip` operands come before the files (a pattern, an expression).
    """

    syntax: Syntax = field(default_factory=Syntax)
    deed: Deed | None = Deed.READ
    writes: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    asks: Mapping[str, str] = field(default_factory=dict)
    recursive: tuple[str, ...] = ()
    skip: int = 0
    skip_unless: tuple[str, ...] = ()
    """Options that stand in for the skipped operand."""
    at_most: int = 1_000_000
    """Operands beyond this number are written, or not understood."""

    @property
    def careful(self) -> bool:
        """Whether an argument that turns out to be an option could do harm."""
        return bool(self.writes or self.asks)


RUNS = "this option runs another program"
FOLLOWS = "it follows links on its way, so it may read anything"
GREP = Reader(
    Syntax("eABCmfdD", "regexp file after-context before-context context max-count include exclude exclude-dir"
           " exclude-from label binary-files devices directories color colour group-separator"),
    reads=("f", "--file", "--exclude-from"), recursive=("r", "R", "--recursive", "--dereference-recursive"),
    asks={"R": FOLLOWS, "--dereference-recursive": FOLLOWS},
    skip=1, skip_unless=("e", "f", "--regexp", "--file"),
)  # fmt: skip
SORT = Reader(
    Syntax("kotTS", "key output field-separator temporary-directory buffer-size parallel batch-size"
           " compress-program files0-from random-source sort"),
    writes=("o", "--output"), reads=("--files0-from", "--random-source"),
    asks={"--compress-program": RUNS, "T": "temporary files go elsewhere", "--temporary-directory": "temporary"
        " files go elsewhere"},
)  # fmt: skip
RIPGREP = Reader(
    Syntax("egftTABCmMjEr", "regexp glob iglob file type type-not type-add type-clear after-context"
        " before-context context"
           " max-count max-columns max-depth max-filesize threads encoding replace pre pre-glob hostname-bin"
           " hyperlink-format"
           " color colors context-separator engine field-context-separator field-match-separator ignore-file"
           " path-separator"
           " sort sortr regex-size-limit dfa-size-limit generate"),
    reads=("f", "--file", "--ignore-file"), recursive=("",),
    asks={"--pre": RUNS, "--hostname-bin": RUNS, "L": FOLLOWS, "--follow": FOLLOWS},
    skip=1, skip_unless=("e", "f", "--regexp", "--file", "--files", "--type-list"),
)  # fmt: skip
JQ = Reader(
    Syntax("LfI", "from-file indent tab arg argjson slurpfile rawfile"), reads=("f", "--from-file"),
    asks={"L": "it loads modules", "--slurpfile": "it reads files named in pairs",
          "--rawfile": "it reads files named in pairs"},
    skip=1, skip_unless=("f", "--from-file"),
)  # fmt: skip
PLAIN = Reader()
BINUTILS = Reader(
    asks={"--plugin": "this option loads a library", "@": "it takes options out of a file"},
)
NAMES = Reader(deed=Deed.LIST)
DATA = Reader(deed=None)

READERS: Mapping[str, Reader] = {
    **dict.fromkeys(
        "cat nl tac rev paste join comm fold fmt expand unexpand pr cmp colrm look cksum sum md5sum sha1sum"
        " sha224sum sha256sum sha384sum sha512sum b2sum base64 base32 hexdump hd od zcat bzcat xzcat"
        " pyflakes pdfinfo pdffonts".split(),
        PLAIN,
    ),
    **dict.fromkeys("nm size readelf objdump strings".split(), BINUTILS),
    "zstdcat": Reader(Syntax("o", ""), asks={"o": "it writes a file", "--rm": "it deletes what it read",
                      "--output-dir-flat": "it writes files", "--output-dir-mirror": "it writes files"}),
    "diff3": Reader(asks={"--diff-program": RUNS}),
    **dict.fromkeys("ls dir vdir stat realpath readlink findmnt lsattr getfacl namei pathchk".split(), NAMES),
    **dict.fromkeys(
        "echo true false test [ basename dirname pwd seq expr sleep whoami id groups uname uptime free nproc arch lscpu"
        " lsusb lspci lsmod pgrep pidof who w last lastlog users tty getconf locale factor numfmt printenv"
        " which whereis apropos cal ncal df lsblk vmstat iostat mpstat netstat fc-list fc-match"
        " pkg-config tr xdg-user-dir nproc logname hostid clear lsof lsns whatis".split(),
        DATA,
    ),
    "head": Reader(Syntax("nc", "lines bytes")),
    "tail": Reader(Syntax("ncs", "lines bytes pid sleep-interval max-unchanged-stats")),
    "wc": Reader(Syntax("", "files0-from"), reads=("--files0-from",)),
    "cut": Reader(Syntax("bcdf", "bytes characters delimiter fields output-delimiter")),
    "column": Reader(Syntax("sontNEHRTWlce", "separator output-separator table-columns")),
    "uniq": Reader(Syntax("fsw", "skip-fields skip-chars check-chars"), at_most=1, writes=("",)),
    "tsort": PLAIN,
    "sort": SORT,
    "diff": Reader(
        Syntax("UCIxXFWS", "unified context ignore-matching-lines exclude exclude-from show-function-line label width"
               " starting-file from-file to-file line-format"),
        reads=("X", "--exclude-from", "--from-file", "--to-file"), recursive=("r", "--recursive"),
    ),
    "sdiff": Reader(Syntax("oWIw", "output width"), asks={"o": "this option writes a file and asks",
    "--output": "it writes a file", "--diff-program": RUNS}),
    "grep": GREP, "egrep": GREP, "fgrep": GREP,
    "rg": RIPGREP,
    "tree": Reader(Syntax("LPIoHT", "charset filelimit timefmt"), deed=Deed.LIST, writes=("o",),
                   asks={"R": "it writes a file into each directory"}),
    "du": Reader(Syntax("dtBX", "max-depth threshold block-size exclude exclude-from files0-from time-style"),
                 deed=Deed.LIST, reads=("X", "--exclude-from", "--files0-from")),
    "ss": Reader(Syntax("DFAfN", "diag filter query socket family net"), deed=None, asks={
        "K": "it closes connections", "--kill": "it closes connections", "D": "it writes a file",
        "--diag": "it writes a file", "F": "it reads a file", "--filter": "it reads a file",
        "N": "it acts in another place", "--net": "it acts in another place"}),
    "file": Reader(Syntax("mfFePp", "magic-file files-from separator exclude"), reads=("f", "m", "--files-from",
    "--magic-file"),
                   asks={"C": "it writes a compiled magic file", "--compile": "it writes a compiled magic file"}),
    "xxd": Reader(Syntax("bcglnos", ""), at_most=1, writes=("",)),
    "iconv": Reader(Syntax("fto", "from-code to-code output"), writes=("o", "--output")),
    "date": Reader(Syntax("dfrs", "date file reference set"), deed=None, reads=("f", "r", "--file", "--reference"),
                   asks={"s": "it sets the clock", "--set": "it sets the clock"}),
    "hostname": Reader(Syntax("Fb", "file"), at_most=0, asks={"F": "it sets the host's name", "--file": "it sets"
    " the host's name",
                                                              "b": "it sets the host's name"}),
    "dpkg-query": Reader(Syntax("f", "showformat admindir"), deed=None),
    "apt-cache": Reader(Syntax("oc", "option config-file"), deed=None, asks={"o": "an apt option may name a program",
                        "--option": "an apt option may name a program", "c": "it reads another configuration"}),
    "journalctl": Reader(
        Syntax("nuptoSUgD", "lines unit priority identifier output since until grep directory file cursor"), deed=None,
        asks={"--vacuum-size": "it deletes logs", "--vacuum-time": "it deletes logs", "--vacuum-files": "it"
            " deletes logs",
              "--rotate": "it changes logs", "--flush": "it changes logs", "--sync": "it changes logs",
              "--cursor-file": "it writes a file", "--relinquish-var": "it changes logs",
              "--smart-relinquish-var": "it changes logs",
              "--setup-keys": "it makes keys", "--update-catalog": "it changes the catalogue"},
    ),
    "zipinfo": PLAIN,
}  # fmt: skip
