"""Effects of sed and awk, read off their programs."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from slated.policy import readers
from slated.policy.effects import Ask, Call, Deed, Effect, Note, Touch, touches
from slated.policy.file_tools import PLAIN_SUFFIXES
from slated.policy.options import Syntax, parse
from slated.policy.readers_table import JQ
from slated.policy.words import UNKNOWN, Word, plain

ONLY_PRINTS = Note("program.reads", "it only prints what it reads")
SED = Syntax("efli", "expression file line-length")
ADDRESS = r"(?:\d+(?:~\d+)?|\$|/(?:[^/\\\n]|\\.)*/I?)"
SED_COMMAND = re.compile(
    rf"[\s;]*(?:{ADDRESS}(?:,[+~]?{ADDRESS})?)?\s*!?\s*(?:"
    r"(?P<plain>[pdPDgGhHxnNl=qQFz{}]\d*)|(?P<file>[rRwW])\s*(?P<name>[^\n]+)|(?P<label>[btT:])\s*[\w-]*"
    r"|s(?P<mark>[/|,#@!~:%+^_])(?:(?!(?P=mark))[^\\\n]|\\(?s:.))*(?P=mark)(?:(?!(?P=mark))[^\\]|\\(?s:.))*(?P=mark)"
    r"(?P<flags>[gpiIm0-9]*)(?:w\s*(?P<out>[^\n]+))?"
    r"|y(?P<ymark>[/|,])(?:(?!(?P=ymark))[^\\]|\\.)*(?P=ymark)(?:(?!(?P=ymark))[^\\]|\\.)*(?P=ymark)"
    r"|(?P<text>[aic])\\?(?P<body>(?:[^\n\\]|\\(?s:.))*)"
    r")[ \t]*(?:[;\n}]|$)?"
)


def sed(call: Call) -> list[Effect]:
    """sed: prints, edits in place (-i puts a new file at the name), and its script may write or run."""
    words = [
        word for word in call.words if not re.fullmatch(r"-i[^\0]*|--in-place(=.*)?", word.text)
    ]
    in_place = [word for word in call.words if word not in words]
    in_place += [word for word in words if re.fullmatch(r"-[nErsuz]+i[^\0]*", word.text)]
    words = [plain(word.text.partition("i")[0]) if word in in_place else word for word in words]
    parsed = parse(words, Syntax("efl", "expression file line-length"))
    found: list[Effect] = []
    if parsed.unclear:
        found.append(
            Ask("option.unclear", f"{parsed.unclear[0].shown} may turn out to be an option")
        )
    if parsed.has("f", "--file"):
        found.append(Ask("sed.script", "its script is in a file"))
    strange = parsed.outside("n E r s u z e f l --quiet --silent --regexp-extended --separate --unbuffered"
        " --null-data --expression"
                             " --file --line-length --posix --debug --sandbox --version --help".split())  # fmt: skip
    if strange:
        found.append(Ask("option.unknown", f"what the option {strange} does here is not known"))
    scripts = [value for value in parsed.all("e", "--expression") if value]
    operands = list(parsed.operands)
    if not scripts and not parsed.has("f", "--file") and operands:
        scripts = [operands.pop(0)]
    for script in scripts:
        found += sed_script(script)
    found += touches(Deed.READ, operands)
    if in_place:
        found += touches(Deed.REPLACE, operands)
        ends = [re.sub(r"^(?:-[nErsuz]*i|--in-place=?)", "", word.text) for word in in_place]
        if not PLAIN_SUFFIXES.issuperset(end for end in ends if end):
            why = "the suffix of backups may make the name of another file"
            found.append(Ask("option.unclear", why))
    return found or [ONLY_PRINTS]


def sed_script(script: Word) -> list[Effect]:
    """What a sed script does besides printing; one that is not fully understood is a question."""
    if script.exact is None and UNKNOWN in script.text:
        return [Ask("sed.script", "part of its script is not known")]
    text, position, found = script.text, 0, list[Effect]([ONLY_PRINTS])
    while position < len(text) and text[position:].strip(" \t\n;"):
        command = SED_COMMAND.match(text, position)
        if not command or command.end() == position:
            return [
                Ask(
                    "sed.script",
                    "its script does more than print and replace, or is not understood",
                )
            ]
        if command["file"]:
            deed = Deed.WRITE if command["file"] in "wW" else Deed.READ
            found.append(Touch(deed, plain(command["name"].strip())))
        if command["out"]:
            found.append(Touch(Deed.WRITE, plain(command["out"].strip())))
        position = command.end()
    return found


AWK = Syntax("Fvf", "field-separator assign file")
AWK_TOKENS = re.compile(
    r'(?P<string>"(?:[^"\\\n]|\\.)*")|(?P<before>^|[~(,{;&|!\n])\s*/(?:[^/\\\n]|\\.)+/|#[^\n]*'
)
"""Strings, regular expressions where one may start, and comments, whichever comes first."""


def awk(call: Call) -> list[Effect]:
    """awk: prints; its program may write, run or read other files."""
    parsed = parse(call.words, Syntax("Fv", "field-separator assign", stops_at_operand=True))
    strange = parsed.outside(
        "F v --field-separator --assign --version --posix --traditional --re-interval".split()
    )
    if strange or parsed.unclear or not parsed.operands:
        return [Ask("awk.program", "its program is in a file, or an option is not understood")]
    program, *files = parsed.operands
    return [
        ONLY_PRINTS,
        *awk_program(program),
        *touches(Deed.READ, [f for f in files if not re.match(r"[A-Za-z_]\w*=", f.head)]),
    ]


def awk_program(program: Word) -> list[Effect]:
    """What an awk program does besides printing."""
    if UNKNOWN in program.text:
        return [Ask("awk.program", "part of its program is not known")]
    strings: list[str] = []

    def keep(found: re.Match[str]) -> str:
        if found["string"] is None:
            return f"{found['before'] or ''} 0 "
        strings.append(found["string"][1:-1])
        return f"\2{len(strings) - 1}\3"

    text = AWK_TOKENS.sub(keep, program.text)
    if "\\\n" in program.text or '"' in text or ("/" in text and strings):
        return [Ask("awk.program", "where the strings of its program end is not clear")]
    if re.search(r"system|getline|@|ARGV|(?<!\|)\|(?!\|)", text):
        return [Ask("awk.program", "its program runs other programs or reads other files")]
    found: list[Effect] = []
    for statement in re.split(r"[;{}\n]", text):
        if "print" not in statement or ">" not in statement:
            continue
        target = re.fullmatch(r"[^>]*>>?\s*\x02(\d+)\x03\s*", statement)
        name = strings[int(target[1])] if target else ""
        if not target or "\\" in name or name.startswith("/inet"):
            return [Ask("awk.program", "which file its program writes is not known")]
        found.append(Touch(Deed.WRITE, plain(name)))
    return found


def jq(call: Call) -> list[Effect]:
    """jq: prints; its program may load modules and data from a directory that it names."""
    if any(re.search(r"\b(?:import|include)\b", word.text) for word in call.words):
        return [Ask("jq.program", "its program loads other files")]
    return readers.effects(call, JQ)


TEXT_TOOLS: Mapping[str, Callable[[Call], list[Effect]]] = {
    "sed": sed, "awk": awk, "gawk": awk, "mawk": awk, "nawk": awk, "jq": jq,
}  # fmt: skip
