"""Many calls at once on a real bus, with deadlines."""

from __future__ import annotations

import anyio
import pytest

from slate_desktop.atspi.link import IN_FLIGHT, Ask, Fault, Link, LinkLost, value
from slate_desktop.atspi.words import ACCESSIBLE, PROPERTIES, ROOT_PATH
from tests.fakes.a11y import A11yBus, editor

pytestmark = pytest.mark.anyio


def soon(seconds: float = 2.0) -> float:
    return anyio.current_time() + seconds


async def test_r68_answers_come_in_the_order_of_the_questions_however_many_there_are(
    bus: A11yBus,
) -> None:
    program = await bus.program(editor())
    link = await Link.open(bus.address)
    paths = [n.path for n in program.root.all()] * 40
    assert len(paths) > 3 * IN_FLIGHT
    asks = [
        Ask(program.name, path, PROPERTIES, "Get", "ss", (ACCESSIBLE, "Name")) for path in paths
    ]
    answers = [value(answer) for answer in await link.all(asks, soon())]
    assert answers == [n.name for n in program.root.all()] * 40
    link.close()


async def test_an_error_is_an_answer_and_a_missing_program_too(bus: A11yBus) -> None:
    program = await bus.program(editor())
    link = await Link.open(bus.address)
    unknown, gone = await link.all(
        [
            Ask(program.name, ROOT_PATH, ACCESSIBLE, "Never"),
            Ask(":1.9999", ROOT_PATH, ACCESSIBLE, "GetRole"),
        ],
        soon(),
    )
    assert isinstance(unknown, Fault)
    assert isinstance(gone, Fault)
    assert value(unknown) is None
    link.close()


async def test_a_silent_program_costs_the_deadline_and_no_more(bus: A11yBus) -> None:
    program = await bus.program(editor())
    program.frozen = True
    link = await Link.open(bus.address)
    ask = Ask(program.name, ROOT_PATH, ACCESSIBLE, "GetRole")
    with anyio.fail_after(1):
        assert await link.one(ask, soon(0.05)) is None
        with pytest.raises(LinkLost):
            await link.all([ask, ask], soon(0.05))
    link.close()


async def test_what_comes_before_the_deadline_is_kept(bus: A11yBus) -> None:
    program = await bus.program(editor())
    program.answers_left = 2
    link = await Link.open(bus.address)
    ask = Ask(program.name, ROOT_PATH, ACCESSIBLE, "GetRole")
    answers = await link.all([ask] * 5, soon(0.2))
    assert [answer is not None for answer in answers] == [True, True, False, False, False]
    link.close()


async def test_nothing_asked_is_nothing_answered_and_a_closed_link_is_lost(bus: A11yBus) -> None:
    link = await Link.open(bus.address)
    assert await link.all([], soon()) == []
    link.close()
    assert not link.alive
    with pytest.raises(LinkLost):
        await link.one(Ask("a.b", "/", ACCESSIBLE, "GetRole"), soon())


async def test_no_bus_at_an_address_is_lost_at_once() -> None:
    with pytest.raises(LinkLost):
        await Link.open("unix:path=/nonexistent/bus")
