"""What a program's cache tells, and when it is not asked again."""

from __future__ import annotations

import anyio
import pytest

from slate_desktop.atspi.cache import STRIKES, Offspring, Strikes, items
from slate_desktop.atspi.link import Link
from slate_desktop.elements import Key
from tests.fakes.a11y import A11yBus, editor

pytestmark = pytest.mark.anyio


async def test_a_cache_is_told_whole_in_both_orders_of_role_and_name(bus: A11yBus) -> None:
    program = await bus.program(editor())
    link = await Link.open(bus.address)
    told = await items(link, program.name, anyio.current_time() + 2)
    assert told is not None
    assert {key.path: item.name for key, item in told.items()} == {
        node.path: node.name for node in program.root.all()
    }
    _, (rows,) = program._items()
    swapped = [[*row[:6], row[7], row[6], *row[8:]] for row in rows]
    program.odd = {"GetItems": ("a((so)(so)(so)iiasussau)", [swapped])}
    assert await items(link, program.name, anyio.current_time() + 2) == told
    link.close()


async def test_children_are_believed_only_if_every_one_is_there(bus: A11yBus) -> None:
    program = await bus.program(editor())
    lists = next(node for node in program.root.all() if node.role == "list")
    link = await Link.open(bus.address)
    deadline = anyio.current_time() + 2
    key = Key(program.name, lists.path)
    whole = Offspring(await items(link, program.name, deadline) or {})
    assert whole.of(key) == [Key(program.name, kid.path) for kid in lists.kids]
    assert whole.of(Key(program.name, lists.kids[0].kids[0].path)) == ()
    assert whole.of(Key(program.name, "/unknown")) is None
    program.uncached = {lists.kids[1].path}
    assert Offspring(await items(link, program.name, deadline) or {}).of(key) is None
    link.close()


async def test_a_useless_cache_is_asked_once_and_a_late_one_twice(bus: A11yBus) -> None:
    old = await bus.program(editor(), cache="old")
    late = await bus.program(editor())
    late.mute = {"GetItems"}
    link = await Link.open(bus.address)
    strikes = Strikes({})
    for program in (old, late):
        for _ in range(STRIKES + 1):
            found = await strikes.items(link, program.name, anyio.current_time() + 0.1)
            assert found == {}
    assert [p.calls.count("GetItems") for p in (old, late)] == [1, STRIKES]
    strikes.forget(late.name)
    late.mute = set()
    assert await strikes.items(link, late.name, anyio.current_time() + 2)
    link.close()
