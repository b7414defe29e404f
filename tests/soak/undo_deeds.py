"""What tasks, a person and background writers do to a tree: one random change at a time, of every kind."""

from __future__ import annotations

import os
import random
import shutil
import stat
from collections.abc import Callable
from pathlib import Path

ODD = [
    b"plain",
    b"a\xff",
    b"new\nline",
    b"tab\t",
    b"-dash",
    b" lead",
    b"\xe2\x80\xae",
    "ä".encode(),
    b"long" * 60,
]
BULK = "bulk"
"""What makes a tree large; of its directories each look sees a few."""
BULK_SEEN = 0.03
DEEP = 60


class Deeds:
    """Random changes below `home`; `.slate` and undo's own staging are never touched."""

    def __init__(self, home: Path, dice: random.Random) -> None:
        self.home = home
        self._dice = dice
        self._count = 0

    def paths(self, *kinds: int) -> list[str]:
        """Everything below home of these kinds (all without any), in a fixed order."""
        found = []
        for folder, folders, names in os.walk(self.home):
            folders[:] = sorted(name for name in folders if not name.startswith(".slate"))
            if os.path.basename(folder) == BULK:
                folders[:] = [name for name in folders if self._dice.random() < BULK_SEEN]
            for name in [*folders, *sorted(names)]:
                path = os.path.join(folder, name)
                if not kinds or stat.S_IFMT(os.lstat(path).st_mode) in kinds:
                    found.append(path)
        return found

    def _folder(self) -> str:
        return self._dice.choice([str(self.home), *self.paths(stat.S_IFDIR)])

    def _fresh(self) -> str:
        self._count += 1
        odd = os.fsdecode(self._dice.choice(ODD))
        return os.path.join(self._folder(), f"{odd}{self._count}")

    def _file(self) -> str:
        files = self.paths(stat.S_IFREG)
        return self._dice.choice(files) if files else self._create(self._fresh())

    def _create(self, path: str) -> str:
        with open(path, "wb") as file:
            file.write(self._dice.randbytes(self._dice.choice([0, 3, 700, 5000])))
        return path

    def build(self, size: int) -> None:
        """The tree that everything begins with."""
        deep = self.home.joinpath(*["deep"] * DEEP)
        deep.mkdir(parents=True)
        self._create(str(deep / "bottom"))
        for _ in range(size):
            self.deed(creating=True)
        for _ in range(size // 10):
            self._chmod()
            self._attribute()

    def grow(self, files: int) -> None:
        """So many plain files more, in directories of 50."""
        for number in range(files):
            folder = self.home / BULK / f"{number // 50}"
            if not number % 50:
                folder.mkdir(parents=True)
            (folder / f"{number}.txt").write_bytes(self._dice.randbytes(number % 997))

    def deed(self, *, creating: bool = False) -> list[str]:
        """One change; the paths it was about."""
        while not (paths := self._some(creating=creating)):
            pass
        return paths

    def background(self) -> list[str]:
        """What programs do that belong to nobody's call: one more line in a log, a state file written anew."""
        path = self.home / f"log{self._dice.randrange(5)}"
        if path.is_symlink() or (path.exists() and not path.is_file()):
            self._count += 1
            path = self.home / f"log{self._count + 10}"
        if self._dice.random() < 0.5:
            with open(path, "ab") as file:
                file.write(b"line\n")
        else:
            self._count += 1
            os.rename(self._create(f"{path}.{self._count}"), path)
        return [str(path)]

    def _some(self, *, creating: bool) -> list[str]:
        making: list[Callable[[], list[str]]] = [
            self._make, self._make, self._make_folder, self._link, self._hard_link, self._special, self._sparse,
        ]  # fmt: skip
        changing = [
            self._edit, self._edit, self._append, self._replace, self._unlink, self._move, self._move_folder,
            self._remove_tree, self._chmod, self._touch, self._attribute, self._other_kind, self._unlink_any,
        ]  # fmt: skip
        return self._dice.choice(making if creating else [*making, *changing])()

    def _make(self) -> list[str]:
        return [self._create(self._fresh())]

    def _make_folder(self) -> list[str]:
        path = self._fresh()
        os.mkdir(path, self._dice.choice([0o755, 0o700, 0o750]))
        return [path]

    def _link(self) -> list[str]:
        path = self._fresh()
        os.symlink(self._dice.choice(["nowhere", "..", "/etc/passwd", ".", "a/b"]), path)
        return [path]

    def _hard_link(self) -> list[str]:
        source, path = self._file(), self._fresh()
        os.link(source, path)
        return [source, path]

    def _special(self) -> list[str]:
        path = self._fresh()
        if self._dice.random() < 0.5:
            os.mkfifo(path)
        else:
            os.mknod(path, 0o600 | stat.S_IFSOCK)
        return [path]

    def _sparse(self) -> list[str]:
        path = self._fresh()
        with open(path, "wb") as file:
            file.truncate(200_000)
            file.seek(100_000)
            file.write(b"data")
        return [path]

    def _edit(self) -> list[str]:
        path = self._file()
        with open(path, "r+b") as file:
            file.write(self._dice.randbytes(3))
        return [path]

    def _append(self) -> list[str]:
        path = self._file()
        with open(path, "ab") as file:
            file.write(b"more")
        return [path]

    def _replace(self) -> list[str]:
        path = self._file()
        self._count += 1
        part = self._create(f"{os.path.dirname(path)}/{self._count}.part")
        os.rename(part, path)
        return [path]

    def _unlink(self) -> list[str]:
        path = self._file()
        os.unlink(path)
        return [path]

    def _unlink_any(self) -> list[str]:
        kinds = (stat.S_IFLNK, stat.S_IFIFO, stat.S_IFSOCK)
        if not (found := self.paths(*kinds)):
            return []
        path = self._dice.choice(found)
        os.unlink(path)
        return [path]

    def _move(self) -> list[str]:
        old, new = self._file(), self._fresh()
        os.rename(old, new)
        return [old, new]

    def _move_folder(self) -> list[str]:
        folders = self.paths(stat.S_IFDIR)
        if not folders:
            return []
        old = self._dice.choice(folders)
        new = self._fresh()
        if new.startswith(old + "/"):
            return []
        os.rename(old, new)
        return [old, new]

    def _remove_tree(self) -> list[str]:
        folders = [path for path in self.paths(stat.S_IFDIR) if path.count("/") > 4]
        if not folders or self._dice.random() < 0.5:
            return []
        path = self._dice.choice(folders)
        shutil.rmtree(path)
        return [path]

    def _chmod(self) -> list[str]:
        path = self._dice.choice([self._file(), *self.paths(stat.S_IFDIR)[:3]])
        # A plain user is shut out by their own closed doors, and so would be everything that follows.
        closed = [0o710, 0o770] if os.geteuid() else [0, 0o400]
        os.chmod(path, self._dice.choice([*closed, 0o744, 0o755, 0o4755, 0o700]))
        return [path]

    def _touch(self) -> list[str]:
        path = self._file()
        os.utime(path, ns=(10**18, self._dice.randrange(10**18)))
        return [path]

    def _attribute(self) -> list[str]:
        path = self._dice.choice([self._file(), *self.paths(stat.S_IFDIR)[:3]])
        os.setxattr(path, "user.note", self._dice.randbytes(4))
        return [path]

    def _other_kind(self) -> list[str]:
        path = self._file()
        os.unlink(path)
        os.mkdir(path)
        self._create(os.path.join(path, "inside"))
        return [path]
