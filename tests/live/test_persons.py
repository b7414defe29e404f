"""Who is a person, told from the processes that real terminals make."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from slated.person import Process, ancestry, why_not
from tests.live.bed.patience import until
from tests.live.bed.stage import Stage

pytestmark = pytest.mark.anyio
CODE = "import os,sys; open(sys.argv[1],'w').write(str(os.getpid())); sys.stdin.readline()"


async def chain(stage: Stage, tmp_path: Path, *wrapped: str) -> list[Process]:
    """The chain of a program in foot up to foot, as if no task were above all of it (a test may run in one)."""
    said = tmp_path / "pid"
    child = [sys.executable, "-c", CODE, str(said)]
    argv = ["foot", "--app-id=bed.person", *wrapped, *child]
    if wrapped[:1] == ("script",):
        argv = [
            "foot",
            "--app-id=bed.person",
            "script",
            "-qc",
            " ".join(map(repr, child)),
            "/dev/null",
        ]
    await stage.start(argv)
    await until(lambda: said.exists() and said.read_text(), "the program is up")
    whole = ancestry(int(said.read_text()))
    names = [process.name for process in whole]
    return [replace(p, marked=False, environ=()) for p in whole[: names.index("foot") + 1]]


async def test_a_program_in_a_terminal_window_is_a_persons(stage: Stage, tmp_path: Path) -> None:
    found = await chain(stage, tmp_path)
    assert why_not(found, set()) == ""
    assert "mark" in why_not([replace(found[0], marked=True), *found[1:]], set())


@pytest.mark.promise("no-self-answer")
async def test_a_program_below_something_that_could_type_for_it_is_not(
    stage: Stage, tmp_path: Path
) -> None:
    found = await chain(stage, tmp_path, "script")
    assert "neither a shell nor a terminal" in why_not(found, set()) or "script" in why_not(
        found, set()
    )
