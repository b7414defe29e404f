"""What the tests with the real agent programs share: a bed each, and a slated with somebody who answers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.agents import bed as beds
from tests.agents.bed import Bed, Conscience, conscience
from tests.conftest import REQUIRED, SLOW

WHY = beds.missing()
# 800 MB that continuous integration does not fetch: `make test-agents` does, and there a skip is a failure.
collect_ignore_glob = ["test_*"] if WHY and {"all"} == REQUIRED else []


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Each of these starts a program of 300 MB; and none runs where the programs are not."""
    for item in items:
        if item.path.parent == beds.HERE:
            item.add_marker(pytest.mark.timeout(180 * SLOW))
            if WHY:
                item.add_marker(pytest.mark.skip(reason=WHY))


@pytest.fixture
def bed() -> Iterator[Bed]:
    """A home of its own."""
    with beds.bed() as made:
        yield made


@pytest.fixture
def slated(bed: Bed) -> Iterator[Conscience]:
    """A slated for it, with a person."""
    with conscience(bed) as one:
        yield one
