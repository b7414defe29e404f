"""Which variables a builtin sets, and the words that are no command names."""

from __future__ import annotations

from collections.abc import Iterator

from slated.policy.syntax import NAME
from slated.policy.words import Word

RESERVED = frozenset(
    "! { } [[ ]] (( )) case coproc do done elif else esac fi for function if in select then until while".split()
)
SETS_NAMED = frozenset(
    "read mapfile readarray getopts printf declare typeset local export readonly unset wait".split()
)
MOVES = frozenset("cd pushd popd".split())
SETS_ANY = frozenset("eval source . let trap".split())
TRANSPARENT = frozenset("builtin command exec time".split())


def names_set_by(argv: tuple[Word, ...]) -> Iterator[tuple[str, bool]]:
    """Names this command may set, with whether a value comes from outside; `*` for any name.

    More names than it really sets do no harm: their values just count as unknown.
    """
    words = [word.exact for word in argv]
    index = 0
    while index < len(words) and (
        words[index] in TRANSPARENT or (index and (words[index] or "").startswith("-"))
    ):
        index += 1
    name = words[index] if index < len(words) else ""
    if name is None or name in SETS_ANY:
        yield "*", True
    elif name in MOVES:
        yield from (("PWD", True), ("OLDPWD", True))
    elif name in SETS_NAMED:
        for word in argv[index + 1 :]:
            target = word.text.partition("=")[0].rstrip("+")
            if word.head != word.text and "=" not in word.head:
                yield "*", True
            elif target.startswith("-"):
                yield from (
                    (name, True) for name in (target[1:], target[2:]) if NAME.fullmatch(name)
                )
            elif NAME.fullmatch(target):
                yield target, True
