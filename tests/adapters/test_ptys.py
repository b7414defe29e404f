"""Who reads a terminal, by real terminals: a shell at its prompt is told from everything else."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest

from slate_desktop import ptys
from slate_desktop.model import Foreground
from tests.live.bed.patience import until

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(shutil.which("script") is None, reason="script (bsdutils) is not installed"),
]


class Terminal:
    """A program that holds a terminal, as a terminal window does, with a shell in it."""

    def __init__(self, process: anyio.abc.Process) -> None:
        self._process = process
        self.pid = process.pid

    async def types(self, text: str) -> None:
        assert self._process.stdin is not None
        await self._process.stdin.send(text.encode())

    async def reads(self, what: str, sees: Callable[[Foreground | None], bool]) -> Foreground:
        """Who reads it, once that is as it should be."""

        def look() -> Foreground | None:
            front = ptys.look(self.pid)
            return front if sees(front) else None

        return await until(look, what)


@asynccontextmanager
async def terminal(home: Path) -> AsyncIterator[Terminal]:
    env = {"HOME": str(home), "PATH": os.environ["PATH"], "SHELL": "/bin/bash", "TERM": "xterm"}
    argv = ["script", "--quiet", "--return", "/dev/null"]
    process = await anyio.open_process(
        argv, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=env, cwd=home
    )
    try:
        yield Terminal(process)
    finally:
        process.kill()
        await process.wait()
        await process.aclose()


def at_prompt(front: Foreground | None) -> bool:
    return front is not None and front.shell is not None


async def test_a_shell_at_its_prompt_is_told_with_its_directory(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    async with terminal(tmp_path) as it:
        front = await it.reads("a prompt", at_prompt)
        assert (front.directory, front.why, front.password) == (str(tmp_path), "", False)
        await it.types("cd below\n")
        moved = Foreground(front.shell, directory=f"{tmp_path}/below")
        await it.reads("the other directory", lambda now: now == moved)


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("cat", "the program cat reads"),
        ("sleep 60 | cat", "several programs"),
        ("read x", "not at its prompt"),
        ("bash --norc --noprofile", "settings of its own"),
        ("bash -c 'read x; exit'", "runs a script"),
        ("head -c 1", "the program head reads"),
    ],
)
async def test_anything_else_is_told_by_name(tmp_path: Path, command: str, why: str) -> None:
    async with terminal(tmp_path) as it:
        await it.reads("a prompt", at_prompt)
        await it.types(f"{command}\n")
        front = await it.reads(why, lambda f: f is not None and why in f.why)
        assert (front.shell, front.password) == (None, False)
        await it.types("\x03")
        if "bash" not in command:
            await it.reads("the prompt again", at_prompt)


@pytest.mark.parametrize("command", ["read -s x", "python3 -c 'import getpass; getpass.getpass()'"])
async def test_a_password_prompt_is_told_by_what_it_does_not_show(
    tmp_path: Path, command: str
) -> None:
    async with terminal(tmp_path) as it:
        await it.reads("a prompt", at_prompt)
        await it.types(f"{command}\n")
        front = await it.reads("a password prompt", lambda f: f is not None and f.password)
        assert front.shell is None


@pytest.mark.skipif(
    subprocess.run(("unshare", "--map-root-user", "--mount", "true"), check=False).returncode != 0,
    reason="no user namespaces here",
)
async def test_a_shell_of_another_root_is_none_of_ours(tmp_path: Path) -> None:
    """What a container's shell runs is not what we would judge."""
    async with terminal(tmp_path) as it:
        await it.reads("a prompt", at_prompt)
        await it.types("exec unshare --map-root-user --mount bash\n")
        await it.reads(
            "nobody we know", lambda f: f is not None and f.shell is None and bool(f.why)
        )


TWIN = """
import os, sys
wanted = int(sys.argv[1])
while True:
    _, reader = os.openpty()
    number = int(os.ttyname(reader).rpartition("/")[2])
    if number >= wanted:
        break
os.setsid()
os.close(os.open(f"/dev/pts/{wanted}", os.O_RDWR))
print(number, flush=True)
sys.stdin.read()
"""


@pytest.mark.skipif(
    subprocess.run(("unshare", "--map-root-user", "--mount", "true"), check=False).returncode != 0,
    reason="no user namespaces here",
)
async def test_a_terminal_of_the_same_number_in_a_container_reads_nothing_here(
    tmp_path: Path,
) -> None:
    """Every container counts its terminals from 0, and its programs are seen from outside with that number only."""
    (tmp_path / "twin.py").write_text(TWIN)
    async with terminal(tmp_path) as it:
        before = await it.reads("a prompt", at_prompt)
        (number,) = ptys._terminals(Path(f"/proc/{it.pid}"))
        mount = "mount -t devpts -o newinstance,ptmxmode=666 devpts /dev/pts && mount --bind /dev/pts/ptmx /dev/ptmx"
        argv = ["unshare", "--map-root-user", "--mount", "sh", "-c"]
        argv += [f'{mount} && exec python3 "$0" "$1"', str(tmp_path / "twin.py"), str(number)]
        async with await anyio.open_process(argv) as twin:
            assert twin.stdout is not None
            assert twin.stdin is not None
            assert int(await twin.stdout.receive()) == number
            assert ptys.look(it.pid) == before
            await twin.stdin.aclose()


async def test_a_program_with_several_terminals_is_not_told_apart(tmp_path: Path) -> None:
    """One process with many windows, as footclient's server: which of them a window shows cannot be known."""
    held = [os.openpty() for _ in range(2)]
    try:
        front = ptys.look(os.getpid())
        assert front is not None
        assert "several terminals" in front.why
    finally:
        for pair in held:
            for handle in pair:
                os.close(handle)


async def test_a_terminal_that_nobody_reads_is_not_known() -> None:
    held = os.openpty()
    try:
        front = ptys.look(os.getpid())
        assert front is not None
        assert front.shell is None
        assert front.why
    finally:
        for handle in held:
            os.close(handle)


def test_what_holds_no_terminal_is_none(tmp_path: Path) -> None:
    assert ptys.look(os.getppid(), proc=tmp_path) is None


def test_a_process_that_cannot_be_looked_into_is_none(tmp_path: Path) -> None:
    (tmp_path / "5").mkdir()
    assert ptys.look(5, proc=tmp_path) is None
