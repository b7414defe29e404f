"""Structure from a cache that may be partial, and from a bounded walk for the rest."""

from __future__ import annotations

import anyio
import pytest

from slate_desktop.atspi import walk as walks
from slate_desktop.atspi.cache import items
from slate_desktop.atspi.link import Link
from slate_desktop.atspi.walk import Walk, assembled, attributes
from slate_desktop.atspi.words import ROOT_PATH
from slate_desktop.elements import Element, Key
from tests.fakes.a11y import SHOWN, A11yBus, Node, Program, editor

pytestmark = pytest.mark.anyio


async def walked(
    bus: A11yBus, program: Program, limit: int = 1000
) -> tuple[tuple[Element, ...], Walk]:
    link = await Link.open(bus.address)
    deadline = anyio.current_time() + 2
    root = Key(program.name, ROOT_PATH)
    known = await items(link, program.name, deadline)
    program.calls.clear()
    steps = Walk(link, deadline, limit, known or {})
    await steps.run([root])
    found = [root, *(k for kids in steps.kids.values() for k in kids)]
    facts = await attributes(link, [k for k in found if k not in steps.items], deadline)
    link.close()
    return assembled([root], steps, facts), steps


def expected(program: Program) -> list[tuple[str, str, int]]:
    def below(node: Node, depth: int) -> list[tuple[str, str, int]]:
        rows = [(node.role, node.name, depth)]
        return rows + [row for kid in node.kids for row in below(kid, depth + 1)]

    return below(program.root, 0)


@pytest.mark.parametrize("cache", ["new", "old", ""])
async def test_the_tree_is_the_same_whatever_cache_there_is(bus: A11yBus, cache: str) -> None:
    program = await bus.program(editor(), cache=cache)
    elements, _ = await walked(bus, program)
    assert [(e.role, e.name, e.depth) for e in elements] == expected(program)


async def test_a_whole_cache_needs_no_question_but_the_root(bus: A11yBus) -> None:
    program = await bus.program(editor())
    await walked(bus, program)
    assert program.calls == ["GetChildren"]


async def test_r68_what_a_cache_leaves_out_is_asked_for(bus: A11yBus) -> None:
    program = await bus.program(editor())
    program.uncached = {n.path for n in program.root.all() if n.role in ("list item", "label")}
    elements, _ = await walked(bus, program)
    assert [(e.role, e.name, e.depth) for e in elements] == expected(program)


async def test_a_cache_that_tells_another_child_count_is_not_believed(bus: A11yBus) -> None:
    program = await bus.program(editor())
    lists = next(n for n in program.root.all() if n.role == "list")
    lists.told_count = 5
    elements, _ = await walked(bus, program)
    assert [(e.role, e.name, e.depth) for e in elements] == expected(program)


async def test_r66_a_widget_with_thousands_of_children_is_read_in_part(bus: A11yBus) -> None:
    rows = [Node("list item", f"row {n}") for n in range(walks.MOST_CHILDREN + 50)]
    program = await bus.program(Node("frame", "Big", kids=[Node("list", kids=rows)]), cache="")
    elements, steps = await walked(bus, program, 5000)
    assert len(elements) == walks.PART + 3
    assert list(steps.missing.values()) == [walks.MOST_CHILDREN + 50 - walks.PART]
    assert program.calls.count("GetChildAtIndex") == walks.PART


async def test_r66_no_more_than_the_limit_is_read_and_the_rest_is_counted(bus: A11yBus) -> None:
    rows = [Node("list item", f"row {n}") for n in range(100)]
    program = await bus.program(Node("frame", "Big", kids=[Node("list", kids=rows)]))
    elements, steps = await walked(bus, program, 40)
    assert len(elements) == 40
    assert steps.full
    assert sum(steps.missing.values()) == 100 + 3 - 40


async def test_a_program_that_stops_answering_leaves_what_was_read(bus: A11yBus) -> None:
    program = await bus.program(editor(), cache="")
    link = await Link.open(bus.address)
    root = Key(program.name, ROOT_PATH)
    steps = Walk(link, anyio.current_time() + 0.3, 100)
    program.answers_left = 4
    await steps.run([root])
    assert steps.late
    assert steps.kids[root]
    link.close()


async def test_where_only_the_window_is_showing_visible_has_to_do(bus: A11yBus) -> None:
    """GTK 4.8 tells of no widget but the window that it is showing."""
    visible = ("sensitive", "visible")
    tree = Node(
        "frame",
        "W",
        SHOWN,
        kids=[Node("push button", "A", visible), Node("menu", "B", ("sensitive",))],
    )
    program = await bus.program(tree)
    link = await Link.open(bus.address)
    top = Key(program.name, tree.path)
    known = await items(link, program.name, anyio.current_time() + 2) or {}
    steps = Walk(link, anyio.current_time() + 2, 100, known)
    await steps.run([top])
    shown = {e.name: "showing" in e.states for e in assembled([top], steps, {})}
    assert shown == {"W": True, "A": True, "B": False}
    link.close()
