"""A hook that finds no slated has one started: the one of its own socket, or none."""

from __future__ import annotations

import pytest

from slated.agents import wake
from slated.errors import Unavailable
from tests.fakes.stage import stage, until


def test_it_starts_the_slated_of_the_hooks_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    with stage() as here:
        here.socket = here.root / "run/slate/slated.sock"
        for name, value in here.env.items():
            monkeypatch.setenv(name, value)
        link = wake.wake(str(here.socket), 5)
        assert link.gettimeout() == 5
        link.close()
        assert until(here.socket.exists, 5)


def test_a_socket_that_is_nobodys_is_told() -> None:
    with stage() as here, pytest.raises(Unavailable, match="registered with"):
        wake.wake(f"{here.root}/run/place.sock", 5)
