"""What stands at a path: the facts undo keeps about it, when two of them are the same, how a name is shown. Pure."""

from __future__ import annotations

import stat
from dataclasses import dataclass, replace
from enum import StrEnum


class Kind(StrEnum):
    """What a directory entry is, by lstat."""

    FILE = "file"
    DIRECTORY = "directory"
    LINK = "link"
    FIFO = "fifo"
    SOCKET = "socket"
    DEVICE = "device"


_KINDS = {
    stat.S_IFREG: Kind.FILE,
    stat.S_IFDIR: Kind.DIRECTORY,
    stat.S_IFLNK: Kind.LINK,
    stat.S_IFIFO: Kind.FIFO,
    stat.S_IFSOCK: Kind.SOCKET,
}

Attributes = tuple[tuple[str, bytes], ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry at one moment; never followed, never opened unless it is a file or a directory.

    `mode` is the whole st_mode. `content` names the bytes of a file ("" while they were not looked at),
    `flaw` says why the entry could not be brought back from here ("" when it can).
    """

    mode: int
    uid: int
    gid: int
    size: int
    mtime_ns: int
    ctime_ns: int
    ino: int
    nlink: int = 1
    rdev: int = 0
    target: str = ""
    content: str = ""
    xattrs: Attributes = ()
    flaw: str = ""

    @property
    def kind(self) -> Kind:
        return _KINDS.get(stat.S_IFMT(self.mode), Kind.DEVICE)


def touched(before: Entry | None, after: Entry | None) -> bool:
    """Whether something happened to a path between two moments.

    The ctime alone would tell, were it not for two changes within one tick of the kernel's clock: so all is compared,
    content where both know it.
    """
    if before is None or after is None:
        return before is not after
    if before == after:
        return False
    if before.content and after.content and before.content != after.content:
        return True
    alike = replace(after, content=before.content, flaw=before.flaw)
    return before != alike


def same_content(before: Entry, after: Entry) -> bool:
    """Whether both hold the same bytes, link target or device number."""
    if before.kind is not after.kind:
        return False
    if before.kind is Kind.FILE:
        return before.size == after.size and before.content == after.content
    return before.target == after.target and before.rdev == after.rdev


def same(before: Entry | None, after: Entry | None) -> bool:
    """Whether a person would call both the same, times included; times of a directory are no difference."""
    if before is None or after is None:
        return before is after
    if not same_content(before, after):
        return False
    facts = [(entry.mode, entry.uid, entry.gid, entry.xattrs) for entry in (before, after)]
    times = before.kind is Kind.DIRECTORY or before.mtime_ns == after.mtime_ns
    return facts[0] == facts[1] and times


def below(path: str, top: str) -> bool:
    """Whether `path` is `top` or inside of it; both relative to one root, which is ""."""
    return not top or path == top or path.startswith(top + "/")


def parent(path: str) -> str:
    """The directory of a path relative to a root; "" is the root."""
    return path.rpartition("/")[0]


def ancestors(path: str) -> list[str]:
    """Directories above a path, nearest first, without the root."""
    found = []
    while path := parent(path):
        found.append(path)
    return found


def shown(path: str) -> str:
    """A path as one line of plain text: controls, odd bytes and spaces at the ends are escaped."""
    text = "".join(_escaped(char) for char in path)
    return f'"{text}"' if text != text.strip() or not text else text


def _escaped(char: str) -> str:
    code = ord(char)
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    if char == "\\":
        return "\\\\"
    if char.isprintable():
        return char
    return char.encode("unicode_escape").decode("ascii")
