"""Effects of find and fd: where they look, and what they do with what they find."""

from __future__ import annotations

from itertools import pairwise

from slated.policy.effects import Ask, Call, Deed, Effect, Note, Run, Touch
from slated.policy.words import UNKNOWN, Word, plain

ONE_VALUE = frozenset(
    "-name -iname -path -ipath -wholename -iwholename -lname -ilname -regex -iregex -regextype -type -xtype"
    " -size -empty_"
    " -mtime -mmin -atime -amin -ctime -cmin -newer -anewer -cnewer -perm -user -group -uid -gid -links -inum -samefile"
    " -maxdepth -mindepth -fstype -printf -used -context -D".split()
)
NO_VALUE = frozenset(
    "-print -print0 -ls -empty -prune -quit -depth -d -mount -xdev -daystart -follow -noleaf -true -false"
    " -readable -writable"
    " -executable -nouser -nogroup -a -and -o -or -not -warn -nowarn -ignore_readdir_race -noignore_readdir_race"
    " ! ( ) ,".split()
)
WRITES = frozenset("-fprint -fprint0 -fls -fprintf".split())
RUNS = frozenset("-exec -execdir -ok -okdir".split())
LEADING = frozenset("-H -L -P".split())


def find(call: Call) -> list[Effect]:
    """find: searches; some actions delete, write and run."""
    words = list(call.words)
    follows = False
    while words and words[0].exact in LEADING:
        follows |= words.pop(0).exact == "-L"
    tops: list[Word] = []
    while words and not (words[0].head.startswith(("-", "(", "!", ",")) or words[0].may_be_option):
        tops.append(words.pop(0))
    expression = Expression(
        tops or [plain(".")], words, follows or any(w.exact == "-follow" for w in words)
    )
    return [Note("program.reads", "it only searches"), *expression.effects()]


class Expression:
    """The tests and actions of one find command."""

    def __init__(self, tops: list[Word], words: list[Word], follows: bool) -> None:
        self.tops, self.words, self.follows = tops, words, follows
        named = [b.text for a, b in pairwise(words) if a.exact in {"-name", "-iname"}]
        self.base = (
            named[0]
            if len(named) == 1 and not {"-o", "-or", ",", "!", "-not"} & {w.text for w in words}
            else ""
        )

    def effects(self) -> list[Effect]:
        found: list[Effect] = []
        rest = list(self.words)
        while rest:
            word = rest.pop(0)
            found += self._primary(word, rest)
        if self.follows and any(isinstance(e, Touch | Run) for e in found):
            found.append(Ask("find.follows", "it follows links, so it may act anywhere"))
        return found

    def _primary(self, word: Word, rest: list[Word]) -> list[Effect]:
        name = word.exact
        if name is None:
            return [Ask("option.unclear", f"{word.shown} may turn out to be an action of find")]
        if name in NO_VALUE:
            return []
        if name in ONE_VALUE or name.startswith("-newer"):
            return self._value(name, rest)
        if name == "-delete":
            return [Touch(Deed.DELETE, self._found(top), recursive=True) for top in self.tops]
        if name in WRITES:
            target = rest.pop(0) if rest else plain("")
            if name == "-fprintf" and rest:
                rest.pop(0)
            return [Touch(Deed.WRITE, target)]
        if name in RUNS:
            return self._run(rest)
        return [Ask("option.unknown", f"what {word.shown} does in find is not known")]

    def _value(self, name: str, rest: list[Word]) -> list[Effect]:
        value = rest.pop(0) if rest else None
        if value is None or (
            value.text.startswith("-") and value.text[1:2].isalpha() and name not in {"-perm"}
        ):
            return [
                Ask("option.unclear", f"the value of {name} is missing or looks like an action")
            ]
        return []

    def _run(self, rest: list[Word]) -> list[Effect]:
        argv: list[Word] = []
        while rest:
            word = rest.pop(0)
            if word.exact == ";" or (word.exact == "+" and argv and argv[-1].exact == "{}"):
                return [self._command(argv, top) for top in self.tops]
            argv.append(word)
        return [Ask("option.unclear", "an -exec of find has no end")]

    def _command(self, argv: list[Word], top: Word) -> Effect:
        if not argv or "{}" in argv[0].text:
            return Ask("shell.dynamic_name", "find would run the files it finds")
        if any("{}" in word.text and word.text != "{}" for word in argv):
            return Ask("option.unclear", "find puts a path into the middle of a word")
        return Run(tuple(self._found(top) if word.exact == "{}" else word for word in argv))

    def _found(self, top: Word) -> Word:
        """Any path below a starting point; recursion and links are find's own affair."""
        if top.exact is None:
            return Word(top.source, UNKNOWN, foreign=True, literal=False)
        start = top.text if top.text.startswith(("/", ".")) else f"./{top.text}"
        tail = f"/{self.base}" if self.base else ""
        return Word("{}", f"{start.rstrip('/') or '/'}/{UNKNOWN}{tail}", below=True, literal=False)


def fd(call: Call) -> list[Effect]:
    """fd: searches; -x and -X run a command."""
    for word in call.words:
        if word.exact is None and word.may_be_option:
            return [Ask("option.unclear", f"{word.shown} may turn out to be an option")]
        text = word.text
        if text.startswith(("--exec", "--e")) or (
            text.startswith("-") and not text.startswith("--") and set(text) & {"x", "X"}
        ):
            return [Ask("option.harmful", f"{word.shown}: this option may run another program")]
    return [Note("program.reads", "it only searches")]
