"""The tier of an act by what it would press or type into."""

from __future__ import annotations

import pytest

from slate_desktop.elements import Element, Seen
from slate_desktop.geometry import Point, Size
from slate_desktop.intent import (
    Action,
    Aim,
    Click,
    ElementSighting,
    FrameSighting,
    Move,
    Press,
    PressKeys,
    SetText,
    TypeText,
    WindowSighting,
)
from slate_desktop.tools.grading import tier
from slated.model import Tier
from tests.fakes.ports import TOP, Bench, bench, desktop, element, frame, window

pytestmark = pytest.mark.anyio

SEND, OPEN = element("Send"), element("Open")
RETURN = PressKeys(("ctrl+Return",), ())


def stage(*elements: Element) -> Bench:
    made = bench(desktop(window(2)))
    if elements:
        made.widgets.trees["h2"] = frame(*elements)
    return made


def on(it: Element, label: str = "") -> Aim:
    return Aim(ElementSighting("e1", window(2), Seen(it, label=label)))


@pytest.mark.parametrize(
    ("aim", "action", "wanted"),
    [
        (on(SEND), Press(), Tier.CONFIRM),
        (on(SEND), Click(), Tier.CONFIRM),
        (on(SEND), Move(), Tier.REVERSIBLE),
        (on(OPEN), Press(), Tier.REVERSIBLE),
        (on(element(""), "Delete all"), Press(), Tier.CONFIRM),
        (on(element("Send", "entry")), Click(), Tier.REVERSIBLE),
        (on(element("Key", "password text")), SetText("x"), Tier.CONFIRM),
        (on(element("Key", "password text")), TypeText("x"), Tier.CONFIRM),
        (on(element("Name", "entry")), TypeText("x"), Tier.REVERSIBLE),
    ],
)
async def test_an_element_is_graded_by_its_sighting(aim: Aim, action: Action, wanted: Tier) -> None:
    assert await tier(stage().lease, aim, action) is wanted


async def test_a_pixel_is_graded_by_what_is_hit_there() -> None:
    made = stage(SEND)
    at = Aim(WindowSighting("w1", window(2)), Point(5, 5))
    made.widgets.hits = [element("x", "image", place=(SEND.key, TOP)), SEND, frame().elements[0]]
    assert await tier(made.lease, at, Click()) is Tier.CONFIRM
    picture = FrameSighting("f1", window(2), Size(10, 10), 0.5, Point(0, 0), made.windows.now)
    assert await tier(made.lease, Aim(picture, Point(2, 2)), Click()) is Tier.CONFIRM
    made.widgets.hits = [OPEN]
    assert await tier(made.lease, at, Click()) is Tier.REVERSIBLE
    made.widgets.hits = []
    assert await tier(made.lease, at, Click()) is Tier.REVERSIBLE


async def test_return_is_graded_by_the_buttons_of_its_form() -> None:
    form = element("", "form", path="/form")
    field = element("Subject", "entry", "focused", place=(form.key, TOP))
    send = element("Send", place=(form.key, TOP))
    made = stage(form, field, send, element("Delete"))
    whole = Aim(WindowSighting("w1", window(2)))
    assert await tier(made.lease, on(field), SetText("x", submit=True)) is Tier.CONFIRM
    assert await tier(made.lease, whole, RETURN) is Tier.CONFIRM
    assert await tier(made.lease, whole, TypeText("x", submit=True)) is Tier.CONFIRM
    assert await tier(made.lease, whole, TypeText("x")) is Tier.REVERSIBLE
    assert await tier(made.lease, whole, PressKeys(("Tab",), ())) is Tier.REVERSIBLE


async def test_return_outside_a_form_presses_only_the_default_button() -> None:
    field = element("Find", "entry", "focused")
    made = stage(field, SEND)
    whole = Aim(WindowSighting("w1", window(2)))
    assert await tier(made.lease, whole, RETURN) is Tier.REVERSIBLE
    made = stage(field, element("Send", "push button", "is default"))
    assert await tier(made.lease, whole, RETURN) is Tier.CONFIRM
    made = stage(element("Text", "text", "focused", "multi line"), SEND)
    assert await tier(made.lease, whole, RETURN) is Tier.REVERSIBLE
    made = stage(element("Send", "push button", "focused"))
    assert await tier(made.lease, whole, RETURN) is Tier.CONFIRM


async def test_typing_into_a_window_whose_focus_is_in_a_password_field_is_confirm() -> None:
    made = stage(element("Key", "password text", "focused"))
    assert (
        await tier(made.lease, Aim(WindowSighting("w1", window(2))), TypeText("x")) is Tier.CONFIRM
    )


async def test_a_program_without_a_tree_is_a_canvas() -> None:
    whole = Aim(WindowSighting("w1", window(2)), Point(1, 1))
    assert await tier(stage().lease, whole, Click()) is Tier.REVERSIBLE
    assert await tier(stage().lease, whole, RETURN) is Tier.REVERSIBLE
