"""Copies of file contents below one private directory, each under the hash of its bytes, so equal files cost once."""

from __future__ import annotations

import os
import secrets
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from slated import files, syscalls
from slated.errors import Unavailable
from slated.files import disk_error
from slated.snapshots import content

_SMALL = 1 << 18
_FOLDER = "copies"


@dataclass(frozen=True, slots=True)
class Swept:
    """How many bytes are free again, and which copies could not be removed and why."""

    bytes: int
    failed: tuple[str, ...] = ()


class Blobs:
    """The copies below `place`. Blocking; one writer at a time (the store's lock), and a sweep beside it."""

    def __init__(self, place: Path) -> None:
        self._handle = files.open_directory(place, _FOLDER, create=True)
        self._shards: set[str] = set()
        self._guard = threading.RLock()
        self._asked: set[str] | None = None
        """What was asked for since the sweep that runs now began."""
        for name in os.listdir(self._handle):
            if name.startswith("."):
                content.drop(self._handle, name)
            else:
                self._shards.add(name)

    def close(self) -> None:
        os.close(self._handle)

    def keep(self, file: int, size: int) -> str:
        """Copy the first `size` bytes of an open file; the name of the bytes that were copied."""
        if size <= _SMALL:
            return self._keep_small(os.pread(file, size, 0) if size else b"", size)
        temporary = f".{secrets.token_hex(8)}"
        target = os.open(temporary, content.CREATE, files.PRIVATE_FILE, dir_fd=self._handle)
        try:
            name = content.copy(file, target, size)
            self._settle(temporary, name, size)
        except BaseException:
            content.drop(self._handle, temporary)
            raise
        finally:
            os.close(target)
        return name

    def _keep_small(self, data: bytes, size: int) -> str:
        if len(data) < size:
            # It shrank; the look after the copy will tell.
            data = data.ljust(size, b"\0")
        name = content.small_name(data)
        if self._there(name, size):
            return name
        temporary = f".{secrets.token_hex(8)}"
        target = os.open(temporary, content.CREATE, files.PRIVATE_FILE, dir_fd=self._handle)
        try:
            content.write_at(target, data, 0)
            os.rename(temporary, self._path(name), src_dir_fd=self._handle, dst_dir_fd=self._handle)
        except BaseException:
            content.drop(self._handle, temporary)
            raise
        finally:
            os.close(target)
        return name

    def _settle(self, temporary: str, name: str, size: int) -> None:
        if self._there(name, size):
            content.drop(self._handle, temporary)
            return
        os.rename(temporary, self._path(name), src_dir_fd=self._handle, dst_dir_fd=self._handle)

    def _path(self, name: str) -> str:
        shard = name[:2]
        if shard not in self._shards:
            with suppress(FileExistsError):
                os.mkdir(shard, files.PRIVATE_DIR, dir_fd=self._handle)
            with self._guard:
                self._shards.add(shard)
        return f"{shard}/{name[2:]}"

    def _there(self, name: str, size: int) -> bool:
        """Whether there is such a copy; it then is wanted by who asks. One that a crash cut short is none."""
        with self._guard:
            if self._asked is not None:
                self._asked.add(name)
            if name[:2] not in self._shards:
                return False
            try:
                facts = os.stat(self._path(name), dir_fd=self._handle, follow_symlinks=False)
            except FileNotFoundError:
                return False
        return facts.st_size == size

    def sync(self) -> None:
        """Put every copy made so far on disk."""
        try:
            syscalls.flush(self._handle)
        except OSError as error:
            raise disk_error("Cannot keep copies", error) from error

    @contextmanager
    def reading(self, name: str, size: int) -> Iterator[int]:
        """A copy opened for reading. Raises Unavailable (`damaged`) when its bytes are not what they were."""
        try:
            file = os.open(self._path(name), content.READ, dir_fd=self._handle)
        except OSError as error:
            raise _lost(name) from error
        try:
            if os.fstat(file).st_size != size or content.digest(file, size) != name:
                raise _lost(name)
            yield file
        finally:
            os.close(file)

    def sweep(self, wanted: Callable[[], Collection[str]]) -> Swept:
        """Remove the copies that are not wanted any more, one by one, going on where one cannot be removed.

        What is kept meanwhile stays, although `wanted`, asked once at the beginning, does not know of it.
        """
        with self._guard:
            self._asked = set()
        try:
            return self._swept(wanted())
        finally:
            with self._guard:
                self._asked = None

    def _swept(self, known: Collection[str]) -> Swept:
        freed = 0
        failed: list[str] = []
        for shard in self._folders():
            for name in os.listdir(f"/proc/self/fd/{self._handle}/{shard}"):
                if shard + name in known:
                    continue
                try:
                    freed += self._remove(shard, name)
                except OSError as error:
                    failed.append(
                        f"copy {shard}{name[:10]}: {disk_error('not removed', error).message}"
                    )
        return Swept(freed, tuple(failed))

    def _remove(self, shard: str, name: str) -> int:
        path = f"{shard}/{name}"
        with self._guard:
            if self._asked and shard + name in self._asked:
                return 0
            size = os.stat(path, dir_fd=self._handle, follow_symlinks=False).st_blocks * 512
            os.unlink(path, dir_fd=self._handle)
        return size

    def _folders(self) -> list[str]:
        with self._guard:
            return sorted(self._shards)

    def size(self) -> int:
        """Bytes that all copies take on disk."""
        total = 0
        for shard in self._folders():
            with os.scandir(f"/proc/self/fd/{self._handle}/{shard}") as entries:
                total += sum(entry.stat(follow_symlinks=False).st_blocks * 512 for entry in entries)
        return total


def _lost(name: str) -> Unavailable:
    return Unavailable(
        "damaged",
        f"The copy {name[:12]} is missing or damaged.",
        next_step="Leave that path out with --only; its content is not in this store any more.",
    )
