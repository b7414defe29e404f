"""What came, went and changed, and what typed text became."""

from __future__ import annotations

from dataclasses import replace

import pytest

from slate_desktop.elements import Detail, Element, Glimpse, Seen, TextNow
from slate_desktop.treediff import arrived, differences, holds
from tests.fakes.ports import TOP, element, frame

SAVE, AGREE = element("Save"), element("Agree", "check box")


def signs(then: Glimpse, now: Glimpse) -> list[tuple[str, str]]:
    return [(d.sign, d.element.name) for d in differences(then, now)]


def test_nothing_changed_is_nothing_told() -> None:
    look = Glimpse(frame(SAVE, AGREE))
    assert signs(look, look) == []


def test_what_came_went_and_changed_is_told() -> None:
    checked = replace(AGREE, states=AGREE.states | {"checked"})
    then, now = Glimpse(frame(SAVE, AGREE)), Glimpse(frame(checked, element("Done", "label")))
    assert signs(then, now) == [("+", "Done"), ("-", "Save"), ("~", "Agree")]
    assert differences(then, now)[-1].then == "Agree"


def test_what_scrolls_out_of_sight_went_and_the_focus_alone_is_no_change() -> None:
    away = replace(SAVE, states=SAVE.states - {"showing"})
    focused = replace(AGREE, states=AGREE.states | {"focused"})
    assert signs(Glimpse(frame(SAVE, AGREE)), Glimpse(frame(away, focused))) == [("-", "Save")]


def test_a_value_is_compared_where_it_was_looked_at() -> None:
    entry = element("Name", "entry")
    then = Glimpse(frame(entry), {entry.key: Detail(value="a")})
    now = Glimpse(frame(entry), {entry.key: Detail(value="b")})
    assert differences(then, now)[0].then == "Name a"


def test_fillers_that_come_are_not_worth_a_word() -> None:
    assert signs(Glimpse(frame()), Glimpse(frame(element("", "filler")))) == []


@pytest.mark.parametrize(
    ("text", "then", "now", "count"),
    [
        ("abc", TextNow(0, 0, ""), TextNow(3, 3, "abc"), 3),
        ("abc", TextNow(5, 5, "hello"), TextNow(8, 8, "lloabc"), 3),
        ("abc", TextNow(5, 0, ""), TextNow(8, 3, "abc"), 3),
        ("abc", TextNow(5, 5, "hello"), TextNow(3, 3, "abc"), 3),
        ("abc", TextNow(5, 5, "hello"), TextNow(5, 5, "hello"), None),
        ("a.b", TextNow(0, 0, ""), TextNow(2, 2, "ab"), 1),
        ("book", TextNow(0, 0, ""), TextNow(3, 3, "bok"), 2),
        ("abc", None, TextNow(3, 3, "abc"), None),
    ],
)
def test_r01_r07_typed_text_is_compared_up_to_the_first_character_that_differs(
    text: str, then: TextNow | None, now: TextNow | None, count: int | None
) -> None:
    assert arrived(text, then, now) == count


def held(it: Element, text: str, detail: Detail, *others: Element) -> bool | None:
    return holds(Seen(it), text, Glimpse(frame(it, *others), {it.key: detail}))


def test_what_an_element_holds_is_told_by_its_kind() -> None:
    entry, slider = element("E", "entry"), element("S", "slider")
    assert held(entry, "a", Detail(value="a"))
    assert held(entry, "a", Detail(value="a\n"))
    assert not held(entry, "a", Detail(value="b"))
    assert held(entry, "x" * 500, Detail(value="x" * 400, length=500))
    assert not held(entry, "x" * 500, Detail(value="x" * 400, length=501))
    assert held(slider, "42.0", Detail(value="42"))
    assert held(element("C", "check box", "checked"), "ON", Detail())
    assert held(element("C", "check box"), "off", Detail())
    assert not held(element("C", "check box"), "on", Detail())


def test_a_box_holds_what_is_chosen_in_it_or_what_it_is_called() -> None:
    combo = element("red", "combo box")
    assert held(combo, "red", Detail())
    green = element("green", "menu item", "selected", place=(combo.key, TOP))
    assert held(combo, "green", Detail(), green)
    assert not held(combo, "red", Detail(), green)


def test_what_cannot_be_read_is_not_known() -> None:
    secret = element("P", "password text")
    assert held(secret, "x", Detail()) is None
    assert holds(Seen(secret), "x", None) is None
    assert holds(None, "x", Glimpse(frame())) is None
    assert holds(Seen(secret), "x", Glimpse(frame())) is None
    assert held(element("E", "entry"), "x", Detail()) is None
