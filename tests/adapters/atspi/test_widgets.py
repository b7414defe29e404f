"""The `Widgets` port as a whole: whole trees, budgets, frozen programs."""

from __future__ import annotations

from collections.abc import Sequence

import anyio
import pytest

from slate_desktop.atspi import programs
from slate_desktop.atspi.bus import BusPlace
from slate_desktop.atspi.link import Answer, Ask, Link
from slate_desktop.atspi.widgets import AtspiWidgets
from slate_desktop.elements import Deed, Seen, Way
from slate_desktop.errors import Unavailable
from slate_desktop.model import Window
from tests.fakes.a11y import A11yBus, Node, editor

pytestmark = pytest.mark.anyio


async def test_a_tree_is_one_window_in_reading_order(bus: A11yBus, shown: Window) -> None:
    other = Node("frame", "Other", kids=[Node("push button", "Elsewhere")])
    await bus.program(editor(), other)
    widgets = AtspiWidgets(BusPlace(bus.address))
    tree = await widgets.tree(shown)
    assert tree.elements[0].name == "Editor"
    assert [e.name for e in tree.elements if e.role == "label"] == ["one", "two", "three"]
    assert "Elsewhere" not in [e.name for e in tree.elements]
    assert tree.cut == ""
    row = next(e for e in tree.elements if e.name == "two")
    assert [tree.index()[key].role for key in row.place] == ["list item", "list", "frame"]
    widgets.close()


@pytest.mark.promise("every-call-has-a-deadline")
async def test_r82_a_frozen_program_costs_two_seconds_at_most_and_is_named(
    bus: A11yBus, shown: Window
) -> None:
    program = await bus.program(editor())
    widgets = AtspiWidgets(BusPlace(bus.address))
    await widgets.tree(shown)
    program.frozen = True
    with anyio.fail_after(2.5), pytest.raises(Unavailable) as caught:
        await widgets.tree(shown)
    assert caught.value.code == "unavailable.frozen"
    assert shown.app_id in caught.value.message
    program.frozen = False
    assert len((await widgets.tree(shown)).elements) > 5
    widgets.close()


async def test_a_program_that_stops_in_the_middle_is_told_as_cut(
    bus: A11yBus, shown: Window
) -> None:
    program = await bus.program(editor(), cache="")
    widgets = AtspiWidgets(BusPlace(bus.address))
    await widgets.tree(shown)
    before = len(program.calls)
    await widgets.tree(shown)
    program.answers_left = len(program.calls) - before - 10
    tree = await widgets.tree(shown, budget_s=0.4)
    assert "too slowly" in tree.cut
    assert 5 < len(tree.elements) < 13
    widgets.close()


async def test_r66_what_a_limit_leaves_out_is_said(bus: A11yBus, shown: Window) -> None:
    rows = [Node("list item", f"row {n}") for n in range(100)]
    await bus.program(Node("frame", "Editor", kids=[Node("list", "Mails", kids=rows)]))
    widgets = AtspiWidgets(BusPlace(bus.address))
    tree = await widgets.tree(shown, most=40)
    assert len(tree.elements) == 40
    assert "only the first 40 were read" in tree.cut
    assert '38 of 100 children read of "Mails"' in tree.cut
    widgets.close()


async def test_r54_a_bare_window_is_no_empty_program(
    bus: A11yBus, shown: Window, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(programs, "age_s", lambda _pid: 100.0)
    await bus.program(Node("frame", "Editor"))
    widgets = AtspiWidgets(BusPlace(bus.address))
    with anyio.fail_after(1.5), pytest.raises(Unavailable) as caught:
        await widgets.tree(shown)
    assert caught.value.code == "unavailable.not_enabled"
    widgets.close()


async def test_r56_a_tree_that_fills_late_is_waited_for(bus: A11yBus, shown: Window) -> None:
    program = await bus.program(Node("frame", "Editor"))
    widgets = AtspiWidgets(BusPlace(bus.address))
    async with anyio.create_task_group() as tasks:

        async def fill() -> None:
            await anyio.sleep(0.2)
            program.root.kids[0].kids.append(Node("push button", "Late"))
            program.place()

        tasks.start_soon(fill)
        tree = await widgets.tree(shown)
    assert tree.elements[-1].name == "Late"
    widgets.close()


async def test_a_frozen_program_is_named_by_every_question(bus: A11yBus, shown: Window) -> None:
    program = await bus.program(editor())
    widgets = AtspiWidgets(BusPlace(bus.address))
    tree = await widgets.tree(shown)
    program.frozen = True
    with anyio.fail_after(3), pytest.raises(Unavailable) as caught:
        await widgets.now(shown, Seen(tree.elements[1]))
    assert caught.value.code == "unavailable.frozen"
    with anyio.fail_after(3):
        assert not await widgets.do(shown, tree.elements[1].key, Deed(Way.FOCUS))
    widgets.close()


async def test_a_program_that_hangs_takes_no_answer_from_another(
    bus: A11yBus, shown: Window, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both are asked at once on one connection, which is given up for the one that hangs."""
    program = await bus.program(editor())
    widgets = AtspiWidgets(BusPlace(bus.address))
    tree = await widgets.tree(shown)
    asked = anyio.Event()
    real = Link.all

    async def slow(link: Link, asks: Sequence[Ask], deadline: float) -> list[Answer]:
        if not asked.is_set():
            asked.set()
            await anyio.sleep(0.2)
        return await real(link, asks, deadline)

    async with anyio.create_task_group() as tasks:
        with monkeypatch.context() as patch:
            patch.setattr(Link, "all", slow)
            found: list[Seen | None] = []

            async def look() -> None:
                found.append(await widgets.now(shown, Seen(tree.elements[1])))

            tasks.start_soon(look)
            await asked.wait()
            widgets._bus.drop(await widgets._bus.link())
            await anyio.sleep(0.4)
    assert found
    assert found[0] is not None
    assert found[0].element.name == "Save"
    assert program.calls
    widgets.close()


async def test_a_cache_that_answers_late_twice_is_not_asked_a_third_time(
    bus: A11yBus, shown: Window
) -> None:
    program = await bus.program(editor())
    widgets = AtspiWidgets(BusPlace(bus.address))
    program.mute = {"GetItems"}
    for _ in range(3):
        tree = await widgets.tree(shown, budget_s=0.4)
        assert len(tree.elements) == 13
        assert tree.cut == ""
    assert program.calls.count("GetItems") == 2
    widgets.close()
