"""What is taken up again after a restart, and what is not worth stopping for."""

from __future__ import annotations

from pathlib import Path

import pytest

from slated import kept

SECRET = "ghp_" + "a1B2c3D4e5" * 4


def test_what_was_kept_comes_back(tmp_path: Path) -> None:
    assert kept.load(tmp_path) == {}
    kept.save(tmp_path, {"next_question": 4})
    assert kept.load(tmp_path) == {"next_question": 4}


@pytest.mark.promise("no-secret-stored")
def test_no_secret_is_kept(tmp_path: Path) -> None:
    kept.save(tmp_path, {"questions": [{"facts": [["command", f"curl -H 'Bearer {SECRET}'"]]}]})
    assert SECRET not in (tmp_path / kept.NAME).read_text(encoding="utf-8")


@pytest.mark.parametrize("data", [b"{", b"[]", b"\xff", b"x" * 9_000_000])
def test_what_cannot_be_read_is_as_if_nothing_was_kept(tmp_path: Path, data: bytes) -> None:
    (tmp_path / kept.NAME).write_bytes(data)
    assert kept.load(tmp_path) == {}
