"""Where other shells read a text in another way than bash, by whose grammar it is graded."""

from __future__ import annotations

import re
from collections.abc import Mapping

POSIX_MARKS = ("$'", '$"', "<(", ">(", "<<<", "&>", "[[", "((", "|&", ">&", "function ")
"""Forms that a plain POSIX shell reads in another way, or not at all."""
COUNTING = (" -eq ", " -ne ", " -lt ", " -le ", " -gt ", " -ge ")
"""Tests whose operands these shells compute, which may run substitutions."""

MARKS: Mapping[str, tuple[str, ...]] = {
    "bash": (),
    "zsh": ('$"', *COUNTING),
    "ksh": ('$"', "&>", "|&", *COUNTING),
    **dict.fromkeys(("sh", "dash", "ash"), POSIX_MARKS),
}


ZSH = re.compile(
    r"\$\w+\[|\bcd(?:\s+-\w+)*\s+[^-\s;&|<>]\S*[ \t]+[^\s;&|<>)}#]"
    r"|\b(?:path|fpath|cdpath|manpath|module_path|fignore|NULLCMD|READNULLCMD|psvar)\+?="
)
"""Where zsh alone subscripts without braces, replaces a part of the directory, or ties a name to PATH and its like."""


def dialect_problem(shell: str, text: str) -> str:
    """Why a text of this shell cannot be read as bash, or nothing."""
    marks = MARKS.get(shell)
    if marks is None:
        return f"{shell} is no shell whose language is known"
    if shell == "zsh" and (odd := ZSH.search(text)):
        return f"zsh reads {odd[0]!r} in another way"
    if shell in {"sh", "dash", "ash"}:
        text = text.replace("2>&1", "").replace(">&2", "").replace("1>&2", "")
    return (
        f"{shell} reads {found[0]!r} in another way"
        if (found := [m for m in marks if m in text])
        else ""
    )
