"""How a command comes to slated."""

from __future__ import annotations

import pytest

from slated.commands.connection import connected
from slated.errors import Unavailable
from tests.fakes.conscience import alone


def test_it_is_started_when_that_is_allowed() -> None:
    with alone() as environ:
        with pytest.raises(Unavailable), connected(environ, may_start=False):
            pass
        with connected(environ) as slated:
            pid = slated.ask("status", {})["pid"]
        with connected(environ, may_start=False) as slated:
            assert slated.ask("status", {})["pid"] == pid
