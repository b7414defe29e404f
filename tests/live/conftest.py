"""One real headless session for all live tests, a fresh workspace for each, and the logs of all
parts when one fails.
"""

from __future__ import annotations

import select
import signal
from collections.abc import AsyncIterator, Generator
from pathlib import Path

import pytest
from anyio.abc import Process

from slate_desktop.headless.program import SwayProgram
from tests.live.bed import stage as stages
from tests.live.bed.arms import Arms, armed
from tests.live.bed.finding import Missing, find
from tests.live.bed.stage import Stage


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """One event loop for the whole session: the stage outlives each test."""
    return "asyncio"


@pytest.fixture(scope="session")
def sway_program() -> SwayProgram:
    """The sway to run on, or a skip that says how to get one."""
    found = find()
    if isinstance(found, str):
        pytest.skip(found)
    return found


@pytest.fixture(scope="session")
async def house(sway_program: SwayProgram) -> AsyncIterator[Stage]:
    """The session all live tests share; tests take `stage`."""
    async with stages.staged(sway_program) as stage:
        yield stage


@pytest.fixture(scope="module")
async def daemon(house: Stage) -> AsyncIterator[Process]:
    """The daemon that the tests of a module share; older than every application, as it is for a
    person. Modules that do without it find no seat of its on the stage.
    """
    async with stages.daemon(house) as process:
        yield process


@pytest.fixture
async def stage(house: Stage, request: pytest.FixtureRequest) -> AsyncIterator[Stage]:
    """The shared session with an empty workspace; what the test starts on it is gone when the
    test is.
    """
    request.node.stash[_STAGE] = house
    await house.clear()
    yield house
    await house.sweep()


@pytest.fixture
async def arms(stage: Stage) -> AsyncIterator[Arms]:
    """One seat on the shared stage, without a daemon."""
    async with armed(stage) as it:
        yield it


_STAGE = pytest.StashKey[Stage]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add the daemon's stacks and what all parts last said to the report of a failed test."""
    report = yield
    stage = item.stash.get(_STAGE, None)
    if report.failed and stage is not None:
        daemon = getattr(item, "funcargs", {}).get("daemon")
        if daemon is not None and daemon.returncode is None:
            daemon.send_signal(signal.SIGUSR2)  # its stacks go to the log
            select.select([], [], [], 0.1)
        report.sections.append(("stage", stage.tail()))
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    """A program that is missing skips the test and says which."""
    try:
        return (yield)
    except Missing as missing:
        pytest.skip(str(missing))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Live tests wait for applications to start: their backstop is longer than that of the other
    rooms.
    """
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here) and item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(90))
