"""`slate hook`: from the environment to the files, and what it says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from slated.commands import hook
from slated.errors import Unavailable


@pytest.fixture
def environ(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    home = tmp_path_factory.mktemp("h")
    home.chmod(0o700)
    return {"HOME": str(home), "XDG_RUNTIME_DIR": str(home), "PATH": "/nowhere"}


def test_claude_is_installed_and_uninstalled_without_a_trace(
    environ: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    home = Path(environ["HOME"])
    assert hook.run(environ, "install", "claude", dry=True) == 0
    assert "would change" in capsys.readouterr().out
    assert not (home / ".claude").exists()
    assert hook.run(environ, "install", "claude", dry=False) == 0
    entry = json.loads((home / ".claude/settings.json").read_text())["hooks"]["PreToolUse"][0]
    assert entry["hooks"][0]["args"][-1] == f"{home}/slate/slated.sock"
    assert hook.run(environ, "install", "claude", dry=False) == 0
    assert "nothing to change" in capsys.readouterr().out
    assert hook.run(environ, "uninstall", "claude", dry=False) == 0
    assert [p for p in home.rglob("*") if p.is_file()] == []


def test_codex_that_is_not_there_cannot_trust_and_that_is_said(environ: dict[str, str]) -> None:
    with pytest.raises(Unavailable, match="not in PATH"):
        hook.run(environ, "install", "codex", dry=False)
    assert "hooks.PreToolUse" in (Path(environ["HOME"]) / ".codex/config.toml").read_text()


def test_codex_that_trusts_fewer_hooks_is_said(
    environ: dict[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program = tmp_path / "codex"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o700)
    monkeypatch.setattr(hook, "trust", lambda *_: 3)
    with pytest.raises(Unavailable, match="trusts 3 of 6"):
        hook.run({**environ, "PATH": str(tmp_path)}, "install", "codex", dry=False)
    monkeypatch.setattr(hook, "trust", lambda *_: 6)
    assert hook.run({**environ, "PATH": str(tmp_path)}, "install", "codex", dry=False) == 0


def test_a_directory_named_by_the_environment_is_used(environ: dict[str, str]) -> None:
    elsewhere = Path(environ["HOME"]) / "cfg"
    hook.run({**environ, "CLAUDE_CONFIG_DIR": str(elsewhere)}, "install", "claude", dry=False)
    assert (elsewhere / "settings.json").exists()
    assert (elsewhere / ".claude.json").exists()
