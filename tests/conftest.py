"""What all rooms of tests share: async backend, both deadlines, skips that count as failures."""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path

import pytest

SLOW = float(os.environ.get("SLATE_SLOW", "1"))
"""Factor on both deadlines, for slow machines."""
REQUIRED = {room.strip() for room in os.environ.get("SLATE_REQUIRE", "").split(",") if room.strip()}
"""Rooms (folders below tests/) in which a skipped test is a failed one; `all` means every room."""
TESTS = Path(__file__).parent


@pytest.fixture
def anyio_backend() -> str:
    """dbus-fast needs asyncio underneath."""
    return "asyncio"


@pytest.fixture(scope="session")
def wait_s() -> float:
    """Deadline of any single wait."""
    return 5 * SLOW


@pytest.fixture(scope="session")
def app_start_s() -> float:
    """Deadline for an application's first window."""
    return 60 * SLOW


def required(path: Path) -> bool:
    """Whether a skip in this file is a failure."""
    inside = path.is_relative_to(TESTS)
    return bool(REQUIRED & {"all", path.relative_to(TESTS).parts[0] if inside else ""})


def pytest_configure(config: pytest.Config) -> None:
    """Stretch the backstop of a whole test as its waits are stretched."""
    config.option.timeout = config.option.timeout or float(config.getini("timeout")) * SLOW


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Turn a skip in a required room into a failure that says why it was skipped."""
    report = yield
    if report.skipped and not hasattr(report, "wasxfail") and required(item.path):
        where = report.longrepr
        reason = where[2] if isinstance(where, tuple) else where
        report.outcome = "failed"
        report.longrepr = f"{reason} (skips are failures here: SLATE_REQUIRE)"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """The same for a module that is skipped as a whole."""
    report = yield
    if report.skipped and required(collector.path):
        report.outcome = "failed"
        report.longrepr = f"{report.longrepr} (skips are failures here: SLATE_REQUIRE)"
    return report
