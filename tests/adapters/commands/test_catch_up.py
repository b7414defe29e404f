"""`slate catch-up` from the command line to the disk: what it lists, and what can be done with a slate."""

from __future__ import annotations

import json
from pathlib import Path

import anyio.to_thread
import pytest

from slated.stores import Project
from tests.fakes.at_home import at_home, slate

pytestmark = pytest.mark.anyio


async def closed(kept: Project, *names: str, workspace: str | None = None) -> None:
    def work() -> None:
        for name in names:
            kept.slates.open(name, workspace)
            kept.slates.write_seed(name, f"Finding of {name}.", "risk", harness="claude-code")
            kept.slates.close(name)

    await anyio.to_thread.run_sync(work)


async def test_what_waits_is_listed_and_candidates_are_settled(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    async with at_home(monkeypatch) as board:
        kept = board.stores.project(tmp_path)
        assert await slate("catch-up") == 0
        assert "Nothing waits" in capsys.readouterr().out
        one = kept.book.create("one").id
        kept.book.create("two")
        await closed(kept, "bound", workspace=one)
        await closed(kept, "a", "b", "c")
        assert await slate("catch-up") == 0
        shown = capsys.readouterr().out
        assert f"risk: 1 Seed(s) of slate bound in {one}" in shown
        assert "  a  1 risk: bound to no workspace (bind, propose or dismiss)" in shown
        assert await slate("catch-up", "bind", "a", one) == 0
        assert "risk: proposed wrapup-" in capsys.readouterr().out
        assert await slate("catch-up", "propose", "b", "--title", "three") == 0
        assert await slate("catch-up", "dismiss", "c", "--reason", "noise") == 0
        capsys.readouterr()
        assert await slate("catch-up", "--json") == 0
        rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        assert sorted((row["section"], row["slate"]) for row in rows) == [
            ("proposal", name) for name in ("a", "b", "bound")
        ]
        assert await slate("catch-up", "--workspace", one, "--json") == 0
        assert len(capsys.readouterr().out.splitlines()) == 2
        assert await slate("catch-up", "bind", "c", one) == 1
        assert "bad_request.candidate" in capsys.readouterr().err


async def test_a_close_that_failed_is_seen_and_a_failed_retry_is_no_success(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    async with at_home(monkeypatch) as board:
        kept = board.stores.project(tmp_path)
        workspace = kept.book.create("one").id
        await anyio.to_thread.run_sync(kept.slates.open, "a", workspace)
        kept.book.archive(workspace)
        await closed(kept, "a")
        assert await slate("catch-up") == 0
        assert f"a  1 risk: proposing into {workspace} failed" in capsys.readouterr().out
        assert await slate("catch-up", "bind", "a", workspace) == 1
        assert "risk: error The workspace is archived." in capsys.readouterr().out
        assert await slate("catch-up", "retry", "a") == 0
        assert await slate("catch-up", "propose", "a") == 0
        capsys.readouterr()
        assert await slate("catch-up", "--json") == 0
        (row,) = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        assert (row["section"], row["slate"]) == ("proposal", "a")


async def test_a_damaged_slate_is_listed_and_set_aside(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    async with at_home(monkeypatch) as board:
        await closed(board.stores.project(tmp_path), "a")
        (tmp_path / ".keryx/external-slates/a.json").write_text("{")
        assert await slate("catch-up") == 0
        assert "is damaged" in capsys.readouterr().out
        assert await slate("catch-up", "set-aside", "a") == 0
        assert "damaged.json" in capsys.readouterr().out
