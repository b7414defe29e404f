"""Where slated keeps things: never where the environment of whoever started it says."""

from __future__ import annotations

import os
import pwd
from pathlib import Path

import pytest

from slated import settings
from slated.wire import places


@pytest.fixture(autouse=True)
def _long_paths(monkeypatch: pytest.MonkeyPatch) -> None:
    """No socket is made here."""
    monkeypatch.setattr(places, "_PATH_LIMIT", 4096)


def test_rules_and_home_are_the_password_databases(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    environ = {
        "HOME": "/nowhere",
        "XDG_CONFIG_HOME": str(tmp_path / "evil"),
        "XDG_RUNTIME_DIR": str(tmp_path),
        "XDG_STATE_HOME": str(tmp_path / "state"),
    }
    found = settings.directories(environ)
    home = Path(pwd.getpwuid(os.getuid()).pw_dir)
    assert (found.home, found.policy) == (home, home / ".config/slate/policy.toml")
    assert found.runtime == tmp_path / "slate"
    assert found.state == tmp_path / "state/slate"
    assert found.audit.parent == found.state
    assert found.audit.name.startswith("audit-")


def test_each_runtime_directory_has_a_log_of_its_own(tmp_path: Path) -> None:
    logs = set()
    for name in ("a", "b"):
        (tmp_path / name).mkdir(mode=0o700)
        environ = {"XDG_RUNTIME_DIR": str(tmp_path / name), "XDG_STATE_HOME": str(tmp_path)}
        logs.add(settings.directories(environ).audit)
    assert len(logs) == 2


def test_in_the_persons_own_session_the_state_is_where_their_home_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / str(os.getuid())).mkdir(mode=0o700)
    monkeypatch.setattr(places, "RUN_USER", str(tmp_path))
    monkeypatch.setattr(places, "home", lambda environ, uid: str(tmp_path / "home"))
    found = settings.directories({"XDG_STATE_HOME": str(tmp_path / "evil")})
    assert found.audit == tmp_path / "home/.local/state/slate/audit"


def test_the_environment_is_a_copy() -> None:
    assert settings.environment() == dict(os.environ)
