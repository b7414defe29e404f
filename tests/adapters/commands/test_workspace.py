"""`slate workspace` from the command line to the disk."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.fakes.at_home import at_home, slate

pytestmark = pytest.mark.anyio


async def test_a_workspace_is_made_changed_and_archived(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "docs").mkdir()
    monkeypatch.chdir(tmp_path)
    async with at_home(monkeypatch) as board:
        assert await slate("workspace", "list") == 0
        assert "no workspace yet" in capsys.readouterr().out
        assert await slate("workspace", "create", "Billing", "--json") == 0
        made = json.loads(capsys.readouterr().out)["id"]
        assert await slate("workspace", "rename", made, "Pay\nments") == 0
        assert await slate("workspace", "add", made, "wiki", "./docs") == 0
        assert await slate("workspace", "member", made, "user:local-7", "editor") == 0
        assert await slate("workspace", "member", made, "user:local-7", "none") == 0
        capsys.readouterr()
        assert await slate("workspace", "show", made) == 0
        shown = capsys.readouterr().out.splitlines()
        assert shown[0].startswith(f"{made}  active  Pay ments  since ")
        assert shown[2:] == ["  wiki  ./docs"]
        assert await slate("workspace", "remove", made, "./docs") == 0
        assert await slate("workspace", "archive", made) == 0
        capsys.readouterr()
        assert await slate("workspace", "list", "--archived", "--project", str(tmp_path)) == 0
        assert capsys.readouterr().out.startswith(f"{made}  archived  Pay ments")
        assert board.stores.project(tmp_path).book.visible() == []


async def test_what_does_not_exist_is_said_and_is_no_success(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    async with at_home(monkeypatch):
        where = ("--project", str(tmp_path))
        assert await slate("workspace", "show", "workspace-0000000000000000", *where) == 1
        assert "bad_request.workspace" in capsys.readouterr().err
        assert await slate("workspace", "list", "--project", str(tmp_path / "gone")) == 1
        assert "is no directory" in capsys.readouterr().err
