"""What must stand on a shell's line after the keys that were sent: certain, or with the reason why it is not. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from slate_desktop.intent import Action, PressKeys, TypeText
from slate_desktop.keys import CTRL, RETURN, SHIFT, text_bursts
from slate_desktop.model import KeyBurst, KeyStroke

UNSEEN: Final = "what was typed there before is not known"
PRINTED: Final = "".join(map(chr, range(0x20, 0x7F)))
QUIET: Final = frozenset("cd pwd echo printf true clear ls mkdir rmdir touch date export".split())
"""Commands that read nothing from the terminal and end at once, so that what follows them is read by the shell."""
RESERVED: Final = frozenset(
    "if then elif else fi for while until do done case esac in select function coproc time { } [[ ]] !".split()
)


@dataclass(frozen=True, slots=True)
class Line:
    """A line being typed: its text and where the cursor is. `done` are lines that Returns of the call at hand finished,
    each with its end. `doubt` says why all this is not certain; "" if it is.
    """

    text: str = ""
    at: int = 0
    done: str = ""
    doubt: str = ""

    @property
    def input(self) -> str | None:
        """The shell input; None while in doubt."""
        return None if self.doubt else self.done + self.text

    def doubted(self, why: str) -> Line:
        """The same in doubt; an older doubt stays."""
        return self if self.doubt else replace(self, doubt=why)


def after(line: Line, action: Action, *, prompt: bool) -> Line:
    """The line once an action was done in its terminal. `prompt`: a shell at its prompt reads the keys."""
    match action:
        case TypeText(text, submit):
            return typed(line, text + ("\n" if submit else ""))
        case PressKeys(_, bursts, hold_s):
            for number, burst in enumerate(bursts):
                anew = number == 0 and prompt and burst.strokes == (INTERRUPT,)
                line = Line() if anew else pressed(line, burst)
            return line.doubted("a key was held down") if hold_s else line
        case _:
            return line.doubted("something other than keys was done in the terminal")


def typed(line: Line, text: str) -> Line:
    """The line after a text."""
    for number, part in enumerate(re.split(r"\r\n|\r|\n", text)):
        line = returned(line) if number else line
        line = inserted(line, part) if part else line
    return line


def inserted(line: Line, text: str) -> Line:
    """The line after characters."""
    if text.strip(PRINTED):
        return line.doubted("tabs, controls and characters beyond ASCII may edit the line")
    line = following(line)
    at = line.at
    return replace(line, text=line.text[:at] + text + line.text[at:], at=at + len(text))


def following(line: Line) -> Line:
    """The line when something is typed on after a Return in the same call: the shell reads it only if all before is
    sure to leave it.
    """
    if line.done and not all(quiet(one) for one in line.done.splitlines()):
        return line.doubted("what follows a Return may be read by the program that was started")
    return line


def returned(line: Line) -> Line:
    """The line after Return."""
    line = following(line)
    return replace(line, text="", at=0, done=f"{line.done}{line.text}\n")


def begun(line: Line) -> Line:
    """The line as the next call finds it."""
    if all(complete(one) for one in line.done.splitlines()):
        return replace(line, done="")
    return replace(line, done="").doubted("the line before may go on in this one")


def pressed(line: Line, burst: KeyBurst) -> Line:
    """The line after a chord, by the keys that every editing mode of the shell takes alike."""
    if burst.keymap is not None:
        return line.doubted("a key beyond ASCII may edit the line")
    for stroke in burst.strokes:
        character = PLAIN.get(stroke)
        edit = EDITS.get(stroke)
        if stroke in RETURNS:
            line = returned(line)
        elif character is not None:
            line = inserted(line, character)
        elif edit is not None and not line.done:
            text, at = edit(line.text, line.at)
            line = replace(line, text=text, at=at)
        else:
            line = line.doubted("what one of the keys does to the line is not known")
    return line


def quiet(text: str) -> bool:
    """Whether a command is one of `QUIET` with plain words only."""
    words = text.split()
    plain = all(re.fullmatch(r"[\w@%+=:,./~-]+", word) for word in words)
    return plain and (not words or words[0] in QUIET)


def complete(text: str) -> bool:
    """Whether a line is sure to end its command; what this cannot tell counts as not."""
    bare = re.sub(r"\$\{\w+\}|\\[^\n]", "x", text)
    if "\\" in bare or re.search(r"\$['\"{]|[`!#]|<<", bare):
        return False
    if re.search(r"\"[^\"]*\$\([^\"]*\"", bare):
        return False
    bare, _ = re.subn(r"'[^']*'|\"[^\"]*\"", "x", bare)
    if "'" in bare or '"' in bare:
        return False
    if bare.count("(") != bare.count(")") or re.search(r"[|&]{2}\s*$|\|&?\s*$", bare):
        return False
    return not RESERVED & set(re.split(r"[\s;&|()]+", bare))


def _strokes() -> dict[KeyStroke, str]:
    """The printable characters by the stroke that types them."""
    bursts = {character: text_bursts(character) for character in PRINTED}
    return {burst[0].strokes[0]: character for character, burst in bursts.items()}


def _key(name: int, modifiers: int = 0) -> KeyStroke:
    return KeyStroke(name, modifiers)


def _erase(text: str, at: int) -> tuple[str, int]:
    return (text[: at - 1] + text[at:], at - 1) if at else (text, at)


_C, _H, _J, _M, _U = 46, 35, 36, 50, 22  # evdev codes of letters
PLAIN: Final = _strokes()
RETURNS: Final = frozenset({_key(RETURN), _key(_J, CTRL), _key(_M, CTRL)})
INTERRUPT: Final = _key(_C, CTRL)
"""Gives the line up and begins an empty one."""
EDITS: Final[dict[KeyStroke, Callable[[str, int], tuple[str, int]]]] = {
    _key(14): _erase,  # Backspace
    _key(14, SHIFT): _erase,
    _key(_H, CTRL): _erase,
    _key(111): lambda text, at: (text[:at] + text[at + 1 :], at),  # Delete
    _key(105): lambda text, at: (text, max(0, at - 1)),  # Left
    _key(106): lambda text, at: (text, min(len(text), at + 1)),  # Right
    _key(102): lambda text, at: (text, 0),  # Home
    _key(107): lambda text, at: (text, len(text)),  # End
    _key(_U, CTRL): lambda text, at: (text[at:], 0),
}
