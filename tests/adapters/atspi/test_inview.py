"""Of thousands of children, those on screen are found without asking for all."""

from __future__ import annotations

import anyio
import pytest

from slate_desktop.atspi.inview import children_in_view
from slate_desktop.atspi.link import Link
from slate_desktop.elements import Key
from slate_desktop.geometry import Rect
from tests.fakes.a11y import A11yBus, Node

pytestmark = pytest.mark.anyio


def scrolled(first: int, count: int = 2000) -> Node:
    """A list of rows of 20 pixels, scrolled so that row `first` is at the top of a view of 100."""
    rows = [
        Node("list item", f"row {n}", box=Rect(0, 20 * (n - first), 200, 20)) for n in range(count)
    ]
    inside = Node("list", kids=rows, box=Rect(0, -20 * first, 200, 20 * count))
    return Node("scroll pane", kids=[inside], box=Rect(0, 0, 200, 100))


async def seen(bus: A11yBus, pane: Node, most: int = 200) -> tuple[list[str], int]:
    program = await bus.program(Node("frame", "Long", kids=[pane]))
    link = await Link.open(bus.address)
    key = Key(program.name, pane.kids[0].path)
    found = await children_in_view(
        link, key, len(pane.kids[0].kids), most, anyio.current_time() + 2
    )
    link.close()
    nodes = {node.path: node.name for node in program.root.all()}
    return [nodes[k.path] for k in found], len(program.calls)


async def test_r66_the_rows_on_screen_are_found_wherever_it_is_scrolled_to(bus: A11yBus) -> None:
    names, calls = await seen(bus, scrolled(1500))
    assert names == [f"row {n}" for n in range(1500, 1505)]
    assert calls < 60


async def test_no_more_than_asked_for_and_none_where_nothing_is_on_screen(bus: A11yBus) -> None:
    names, _ = await seen(bus, scrolled(0), most=3)
    assert names == ["row 0", "row 1", "row 2"]
    away = scrolled(0)
    away.kids[0].box = Rect(0, 500, 200, 100)
    assert (await seen(bus, away))[0] == []


async def test_rows_that_vanish_while_they_are_looked_for_are_not_among_them(bus: A11yBus) -> None:
    """A row that was scrolled away or deleted has a parent without a name: nobody can be asked there."""
    pane = scrolled(0)
    program = await bus.program(Node("frame", "Long", kids=[pane]))
    program.gone = {row.path for row in pane.kids[0].kids}
    link = await Link.open(bus.address)
    key = Key(program.name, pane.kids[0].path)
    assert await children_in_view(link, key, 2000, 200, anyio.current_time() + 2) == []
    program.gone = {pane.kids[0].path}
    assert await children_in_view(link, key, 2000, 200, anyio.current_time() + 2)
    link.close()
