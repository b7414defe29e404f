"""Many calls at once on a real bus, with deadlines."""

from __future__ import annotations

from collections.abc import Sequence

import anyio
import pytest
from dbus_fast import Message

from slate_desktop.atspi.link import (
    IN_FLIGHT,
    Answer,
    Ask,
    Fault,
    Link,
    LinkLost,
    Packet,
    value,
)
from slate_desktop.atspi.words import ACCESSIBLE, NULL_PATH, PROPERTIES, ROOT_PATH
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
    for address in ("unix:path=/nonexistent/bus", "elsewhere:", ""):
        with pytest.raises(LinkLost):
            await Link.open(address)


async def test_an_address_that_cannot_be_is_an_error_and_no_more(bus: A11yBus) -> None:
    """A widget that has vanished tells a parent without a bus name and with the null path."""
    program = await bus.program(editor())
    link = await Link.open(bus.address)
    nowhere = [("", NULL_PATH), ("", ROOT_PATH), ("no bus name", ROOT_PATH), (program.name, "x")]
    asks = [Ask(name, path, ACCESSIBLE, "GetRole") for name, path in nowhere]
    answers = await link.all([*asks, Ask(program.name, ROOT_PATH, ACCESSIBLE, "GetRole")], soon())
    assert [isinstance(answer, Fault) for answer in answers] == [True] * 4 + [False]
    assert isinstance(await link.one(asks[0], soon()), Fault)
    link.close()


async def test_a_reply_that_is_not_what_its_interface_has_is_an_error(bus: A11yBus) -> None:
    program = await bus.program(editor())
    program.odd = {"GetRole": ("", []), "GetChildren": ("s", ["none"])}
    link = await Link.open(bus.address)
    answers = await link.all(
        [
            Ask(program.name, ROOT_PATH, ACCESSIBLE, member)
            for member in ("GetRole", "GetChildren", "GetState")
        ],
        soon(),
    )
    assert [isinstance(answer, Fault) for answer in answers] == [True, True, False]
    link.close()


async def test_each_answer_is_followed_by_what_it_gives_rise_to(bus: A11yBus) -> None:
    program = await bus.program(editor())
    link = await Link.open(bus.address)
    heard: list[str] = []

    def follow(ask: Ask, answer: Answer) -> list[Ask]:
        heard.append(ask.path)
        kids = answer[0] if isinstance(answer, list) else []
        return [Ask(name, path, ACCESSIBLE, "GetChildren") for name, path in kids]

    top = Ask(program.name, ROOT_PATH, ACCESSIBLE, "GetChildren")
    assert await link.flow([top], follow, soon())
    assert sorted(heard) == sorted(node.path for node in program.root.all())
    program.answers_left = 4
    assert not await link.flow([top], follow, soon(0.2))
    program.frozen = True
    with pytest.raises(LinkLost):
        await link.flow([top], follow, soon(0.05))
    link.close()


async def test_questions_leave_in_few_writes(bus: A11yBus, monkeypatch: pytest.MonkeyPatch) -> None:
    program = await bus.program(editor())
    link = await Link.open(bus.address)
    packets: list[Packet] = []

    class Counted(Packet):
        def __init__(self, messages: Sequence[Message]) -> None:
            super().__init__(messages)
            packets.append(self)

    monkeypatch.setattr("slate_desktop.atspi.link.Packet", Counted)
    ask = Ask(program.name, ROOT_PATH, ACCESSIBLE, "GetRole")
    await link.all([ask] * 10 * IN_FLIGHT, soon())
    assert len(packets) <= 2 * 10
    link.close()


async def test_a_link_that_is_given_up_stays_for_those_who_hold_it(bus: A11yBus) -> None:
    program = await bus.program(editor())
    link = await Link.open(bus.address)
    with link.held():
        link.retire()
        ask = Ask(program.name, ROOT_PATH, ACCESSIBLE, "GetRole")
        assert value(await link.one(ask, soon())) is not None
    assert not link.alive
