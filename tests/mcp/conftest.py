"""What the tests of the whole path share: a stage, and the SDK's client on a front in either era."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from mcp import Client, StdioServerParameters

from tests.fakes.stage import Stage, stage

ERAS = ("legacy", "2026-07-28")
Connect = Callable[[str], Client]


@pytest.fixture(scope="module")
def here() -> Iterator[Stage]:
    """One daemon for a module: connections share nothing in it."""
    with stage() as made:
        yield made


@pytest.fixture
def fresh() -> Iterator[Stage]:
    """A daemon of one's own, to be killed."""
    with stage() as made:
        yield made


@pytest.fixture(params=ERAS)
def era(request: pytest.FixtureRequest) -> str:
    """Both protocol eras, one after the other."""
    return str(request.param)


@pytest.fixture
def connect(here: Stage) -> Connect:
    """Makes an SDK client on a front of its own, for an era."""
    command, *arguments = here.front
    front = StdioServerParameters(command=command, args=arguments, env=here.env)
    return lambda era: Client(front, mode=era)
