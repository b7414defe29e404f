"""The runtime directory is the user's alone, wherever the environment points."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from slate_desktop import settings
from slated.errors import Unavailable
from slated.wire import places

UID = os.getuid()


@pytest.fixture
def private(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("r")
    path.chmod(0o700)
    return path


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test may touch the real directories."""
    base = tmp_path_factory.mktemp("b")
    for room in (places, settings):
        kind = type(room.RUN_USER)
        monkeypatch.setattr(room, "RUN_USER", kind(base / "user"))
        monkeypatch.setattr(room, "LAST_RESORT", kind(base))


def test_the_given_directory_is_used_and_ours_in_it_is_private(private: Path) -> None:
    made = Path(places.runtime_directory({"XDG_RUNTIME_DIR": str(private)}, UID))
    assert made == private / "slate"
    assert made.stat().st_mode & 0o777 == 0o700
    assert places.runtime_directory({"XDG_RUNTIME_DIR": str(private)}, UID) == str(made)


@pytest.mark.parametrize("given", ["its own", "missing", "open to others", "the login's"])
def test_the_rest_of_the_house_has_the_same_rule(private: Path, given: str) -> None:
    environ = {"XDG_RUNTIME_DIR": str(private)}
    if given == "missing":
        environ = {}
    elif given == "open to others":
        private.chmod(0o755)
    elif given == "the login's":
        environ = {}
        Path(places.RUN_USER, str(UID)).mkdir(mode=0o700, parents=True)
    theirs = settings.state_dir(settings.runtime_dir(environ))
    assert places.runtime_directory(environ, UID) == str(theirs)


@pytest.mark.parametrize("mode", [0o755, 0o770, 0o711])
def test_a_directory_that_others_may_enter_is_passed_over(private: Path, mode: int) -> None:
    private.chmod(mode)
    made = places.runtime_directory({"XDG_RUNTIME_DIR": str(private)}, UID)
    assert not made.startswith(str(private))


def test_a_directory_of_ours_that_others_may_enter_is_refused(private: Path) -> None:
    (private / "slate").mkdir(mode=0o755)
    with pytest.raises(Unavailable, match="can be entered by others") as caught:
        places.runtime_directory({"XDG_RUNTIME_DIR": str(private)}, UID)
    assert caught.value.code == "unavailable.runtime_directory"
    assert "XDG_RUNTIME_DIR" in caught.value.next_step


def test_a_link_in_our_place_is_refused(private: Path, tmp_path: Path) -> None:
    (private / "slate").symlink_to(tmp_path)
    with pytest.raises(Unavailable, match="not a directory of yours"):
        places.runtime_directory({"XDG_RUNTIME_DIR": str(private)}, UID)


def test_a_path_too_long_for_sockets_is_said_before_any_socket_fails(private: Path) -> None:
    deep = private / ("x" * 80)
    deep.mkdir(mode=0o700)
    with pytest.raises(Unavailable, match="too long"):
        places.runtime_directory({"XDG_RUNTIME_DIR": str(deep)}, UID)


def test_relative_and_missing_directories_do_not_count(private: Path) -> None:
    for given in ("run", "", str(private / "missing")):
        assert places.runtime_directory({"XDG_RUNTIME_DIR": given}, UID).endswith("slate")


def test_logs_go_where_state_goes(private: Path) -> None:
    made = places.state_directory({"XDG_STATE_HOME": str(private / "state")}, UID)
    assert made == str(private / "state/slate")
    assert Path(made).is_dir()


def test_a_number_without_a_name_has_the_home_it_is_given() -> None:
    assert places.home({"HOME": "/somewhere"}, 3_999_999_999) == "/somewhere"
    assert places.home({}, 3_999_999_999) == "/"
