"""A whole task, with real processes, tries to answer its own question."""

from __future__ import annotations

import pytest

from tests.fakes.conscience import alone
from tests.soak.selfapproval import EXPECTED, round_


@pytest.mark.promise("no-self-answer")
@pytest.mark.timeout(90)
@pytest.mark.anyio
async def test_a_task_cannot_answer_its_own_question_in_any_way_it_tries() -> None:
    with alone() as environ:
        said, faults = await round_(environ)
    assert faults == []
    assert said == EXPECTED
