"""What can be chosen in a combo box, and what is, in the way of each toolkit."""

from __future__ import annotations

from dataclasses import replace

from slate_desktop.choices import (
    below,
    button_of,
    field_of,
    open_already,
    opened,
    options,
    pick_only,
    picked,
)
from slate_desktop.elements import Detail, Element, Key
from slate_desktop.geometry import Rect
from tests.fakes.ports import TOP, element, frame

BOX = Detail(Rect(0, 0, 9, 9))
COMBO = element("Fruit", "combo box")
IN = (COMBO.key, TOP)


def off(it: Element) -> Element:
    return replace(it, states=it.states - {"showing"})


def held(combo: Element, *inside: Element, **details: Detail) -> str | None:
    told = {e.key: details[name] for e in (combo, *inside) if (name := e.name) in details}
    return picked(combo, list(inside), told)


def test_options_are_told_by_their_name_or_the_label_inside_them() -> None:
    item = element("", "list item", path="/i", place=IN)
    label = element("pear", "label", place=(item.key, *IN))
    named = element("plum", "menu item", place=IN)
    mute = element("", "list item", path="/mute", place=IN)
    tree = frame(COMBO, item, label, named, mute)
    assert [o.words for o in options(below(tree, COMBO.key))] == ["pear", "plum"]
    assert options([element("pear", "label")]) == []


def test_qt_tells_the_choice_in_the_name_of_its_box() -> None:
    cursor = element("red", "list item", "selected", place=IN)
    combo = element("green", "combo box")
    green = element("green", "list item", place=(combo.key, TOP))
    assert held(combo, cursor, green) == "green"


def test_a_page_tells_it_by_the_state_of_the_option_also_where_the_label_is_an_option_too() -> None:
    kids = [element(n, "menu item", place=IN) for n in ("Fruit", "pear")]
    kids[1] = replace(kids[1], states=kids[1].states | {"selected"})
    assert held(COMBO, *kids) == "pear"


def test_gtk_tells_it_by_its_selection_by_its_field_or_on_its_button() -> None:
    assert held(COMBO, Fruit=Detail(value="pear")) == "pear"
    field = element("F", "text", "editable", place=IN)
    assert held(COMBO, field, F=Detail(value="free")) == "free"
    assert held(COMBO, field) is None
    button = element("", "push button", path="/b", place=IN)
    none = element("(None)", "label", place=(button.key, *IN))
    pear = element("pear", "label", place=(button.key, *IN))
    assert held(COMBO, button, none, pear) == "pear"
    assert held(COMBO, button, none) is None
    assert held(COMBO) is None


def test_parts_of_a_box_are_known_by_what_they_are() -> None:
    field, button = element("", "entry", "editable"), element("", "toggle button")
    assert field_of([button, field]) == field
    assert button_of([field, button]) == button
    assert pick_only(COMBO)
    assert not pick_only(replace(COMBO, states=COMBO.states | {"editable"}))
    assert not pick_only(field)


def test_a_list_has_opened_when_options_are_new_or_come_into_view_or_their_list_has_a_place() -> (
    None
):
    holder = element("", "list", path="/l", place=IN)
    red = element("red", "list item", place=(holder.key, *IN))
    other = element("else", "list item", path="/else")
    closed = frame(COMBO, holder, red, other)
    assert opened(COMBO.key, closed, closed, {}) == []
    assert [o.words for o in opened(COMBO.key, closed, closed, {holder.key: BOX})] == ["red"]
    unseen = frame(COMBO, holder, off(red), other)
    assert [o.words for o in opened(COMBO.key, unseen, closed, {})] == ["red"]
    assert [o.words for o in opened(COMBO.key, frame(COMBO, other), closed, {})] == ["red"]


def test_a_list_is_known_to_be_open_wherever_its_toolkit_puts_it() -> None:
    red = element("red", "menu item", place=IN)
    assert open_already(COMBO, frame(COMBO, red), {}) == []
    button = element("", "push button", "pressed", path="/b", place=IN)
    assert [o.words for o in open_already(COMBO, frame(COMBO, button, red), {})] == ["red"]
    popup = element("", "combo box", "expanded", path="/popup")
    green = element("green", "menu item", place=(popup.key, TOP))
    assert [o.words for o in open_already(COMBO, frame(popup, green, COMBO), {})] == ["green"]
    page = replace(COMBO, states=COMBO.states | {"expanded"})
    blue = element("blue", "list item", place=(Key(":1.7", "/ul"), TOP))
    assert [o.words for o in open_already(page, frame(page, blue), {})] == ["blue"]
