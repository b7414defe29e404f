"""Effects of programs that show the machine, its processes and its manuals, and of pagers."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from slated.policy.developer_tools import READS, subcommands
from slated.policy.effects import Ask, Call, Deed, Effect, touches
from slated.policy.options import Syntax, parse

IP_SHOWS = frozenset("show list lst ls get help dev".split())
PS_VALUES = frozenset("-C -G -U -g -k -p -q -s -t -u O U k o p q s t".split())


def ps(call: Call) -> list[Effect]:
    """ps: lists processes. Among its letters without a dash, `e` shows their environments, which hold secrets."""
    shows = Ask("path.secret", "it shows the environments of other programs, which hold secrets")
    before = ""
    for word in call.words:
        text, value = word.text, before in PS_VALUES or before[-1:] in {"o", "O"}
        format_ = (
            before[-1:] in {"o", "O"} or before == "--format" or text[:2] in {"-o", "-O", "o="}
        )
        if word.exact is None or ("env" in text and (format_ or text.startswith("--format"))):
            return [shows]
        letters = not text.startswith("-") and not value and text[:1].isalpha()
        if letters and "e" in text.partition("=")[0]:
            return [shows]
        before = text
    return [READS]


def tput(call: Call) -> list[Effect]:
    """tput: prints; to set a terminal up it may run a program that the terminal's description names."""
    parsed = parse(call.words, Syntax("T", stops_at_operand=True))
    setting_up = any(word.exact in {None, "init", "reset"} for word in parsed.operands[:1])
    if setting_up or parsed.has("S") or any("/" in (v.text if v else "/") for v in parsed.all("T")):
        return [Ask("option.harmful", "it may run the program that sets the terminal up")]
    return [READS]


def ip(call: Call) -> list[Effect]:
    """ip: only shows unless a word changes something; all words may be cut short (`ip a a`)."""
    words = [word for word in call.words if not word.text.startswith("-")]
    if any(
        word.text.startswith(("-b", "-n", "-f")) and word.text not in {"-br", "-brief"}
        for word in call.words
    ) or (len(words) > 1 and words[1].exact not in IP_SHOWS):
        return [Ask("system", "it changes the network")]
    return subcommands(call)


LESS = Syntax(
    "bDhjkoOpPtTxyz#", "log-file lesskey-file pattern tag tag-file prompt lesskey-content"
)
LESS_KNOWN = (
    "a A b B c C d D e E f F g G h i I j J L m M n N p q Q r R s S u U w W x X y z ~"
    " --ignore-case --IGNORE-CASE --LINE-NUMBERS --line-numbers --RAW-CONTROL-CHARS --raw-control-chars"
    " --chop-long-lines --no-init --quit-at-eof --quit-if-one-screen --squeeze-blank-lines --pattern"
    " --version --help --use-color --tabs --window"
)
MAN_KNOWN = (
    "a f k w W i I s S L m M e E u c 7 --all --whatis --apropos --where --path --location --ignore-case"
    " --sections --section --names-only --regex --wildcard --version --help --locale --encoding"
)


def less(call: Call) -> list[Effect]:
    """less and more: a word that starts with + is a command to the pager."""
    parsed = parse(call.words, LESS)
    if (
        parsed.outside(LESS_KNOWN.split())
        or parsed.unclear
        or any(w.head.startswith("+") for w in call.words)
    ):
        return [Ask("option.harmful", "this option may run a program or write a file")]
    return [READS, *touches(Deed.READ, parsed.operands)]


def man(call: Call) -> list[Effect]:
    """man: shows a page; a word with a slash is a file, formatted by whatever it asks for."""
    parsed = parse(call.words, Syntax("sSLmMeE", "sections section locale encoding"))
    if parsed.outside(MAN_KNOWN.split()) or parsed.has("M") or parsed.unclear:
        return [Ask("option.harmful", "this option may run a program or read other files")]
    files = [word for word in parsed.operands if "/" in word.text or word.exact is None]
    if files:
        why = f"{files[0].shown} is a file to format, no page of the system"
        return [Ask("option.harmful", why), *touches(Deed.READ, files)]
    return [READS]


SYSTEM_TOOLS: Mapping[str, Callable[[Call], list[Effect]]] = {
    "ps": ps, "tput": tput, "ip": ip, "less": less, "more": less, "man": man,
}  # fmt: skip
