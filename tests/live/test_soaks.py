"""The soaks in their short form; the full counts have targets of their own in the Makefile."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from slate_desktop.headless.program import SwayProgram
from tests.live.bed.stage import Stage, staged
from tests.soak import filter as filter_soak
from tests.soak import kill, person, typing

pytestmark = pytest.mark.anyio
SEED = 20  # fixed, so that a failure is a change of ours and not of the dice


@pytest.fixture
async def own_stage(sway_program: SwayProgram) -> AsyncIterator[Stage]:
    """A session of its own for a soak that kills its daemon."""
    async with staged(sway_program) as stage:
        yield stage


@pytest.mark.usefixtures("daemon")
async def test_texts_typed_by_keys_alone_arrive_equal(stage: Stage) -> None:
    """Rows R01, R05, R07, R08, R10 and R19: doubled letters, every script and sign, long texts,
    in order.
    """
    assert await typing.run(stage, 8, SEED)


@pytest.mark.usefixtures("daemon")
@pytest.mark.promise("no-typing-elsewhere")
async def test_no_key_strays_while_a_person_works_beside_the_agent(stage: Stage) -> None:
    """Rows R20 and R24, with the person's bindings, modes, launcher and lock screen."""
    assert await person.run(stage, 26, SEED)


@pytest.mark.usefixtures("daemon")
async def test_fifty_clients_behind_one_filter_harm_each_other_in_nothing(stage: Stage) -> None:
    assert await filter_soak.run(stage, 100, SEED)


@pytest.mark.promise("released-after-cancel")
@pytest.mark.promise("person-untouched")
async def test_a_killed_daemon_leaves_nothing_behind(own_stage: Stage) -> None:
    """Rows R12 and R14: layout and modifiers of the person after SIGKILL in mid-call."""
    assert await kill.soak(own_stage, 4, SEED)
