"""What a widget's role and states say of it."""

from __future__ import annotations

import pytest

from slate_desktop.elements import (
    Key,
    disabled,
    hidden,
    in_popup,
    row_of,
    same_number,
    told_states,
    words_of,
)
from tests.fakes.ports import TOP, element, frame


@pytest.mark.parametrize(
    ("role", "states", "interactive"),
    [
        ("push button", (), True),
        ("label", ("focusable",), False),
        ("section", ("focusable",), False),
        ("canvas", ("focusable",), True),
        ("list item", (), False),
        ("list item", ("selectable",), True),
        ("table cell", ("focusable",), True),
        ("separator", (), False),
    ],
)
def test_what_can_be_acted_on(role: str, states: tuple[str, ...], interactive: bool) -> None:
    assert element("x", role, *states).interactive is interactive


def test_hidden_and_disabled_are_told_apart() -> None:
    shown = element("x")
    assert not hidden(shown)
    assert not disabled(shown)
    greyed = element("x", states=frozenset({"showing"}))
    assert disabled(greyed)
    assert told_states(greyed) == ["disabled"]
    assert told_states(element("x", states=frozenset({"enabled"}))) == ["offscreen"]
    assert told_states(element("x", "combo box", "expandable")) == ["collapsed"]


def test_a_password_is_secret_whatever_its_states() -> None:
    assert element("x", "password text").secret
    assert not element("x", "entry").secret


@pytest.mark.parametrize(
    ("name", "secret"),
    [
        ("Password", True),
        ("New password:", True),
        ("Jelszó", True),
        ("登录密码", True),
        ("PIN", True),
        ("Search password", False),
        ("Passwords seen", False),
        ("Spinning", False),
    ],
)
def test_a_field_called_a_password_is_one_where_its_role_does_not_say_so(
    name: str, secret: bool
) -> None:
    assert element(name, "text", "editable").secret is secret
    assert not element(name, "label").secret


def test_the_words_of_a_row_tell_what_looks_the_same_inside_it() -> None:
    row = element("", "list item", path="/row")
    button = element("Delete", path="/row/b", place=(row.key, TOP))
    tree = frame(row, element("Ann", "label", place=(row.key, TOP)), button)
    assert row_of(button, tree.index()) == row.key
    assert row_of(row, tree.index()) == row.key
    assert row_of(element("Save"), tree.index()) is None
    assert words_of(tree.elements[1:]) == "Ann|Delete"
    assert Key(":1.7", "/top") == TOP


def test_a_field_of_a_combo_box_has_its_place_in_the_window_and_its_choices_have_none() -> None:
    assert in_popup(element("x", "menu item"), ("menu", "frame"), web=False)
    assert in_popup(element("x", "list item"), ("combo box",), web=False)
    assert not in_popup(element("x", "list item"), ("combo box",), web=True)
    assert not in_popup(element("x", "text", "editable"), ("combo box",), web=False)
    assert not in_popup(element("x"), ("frame",), web=False)


@pytest.mark.parametrize(
    ("one", "other", "same"), [("05", "5", True), ("5.0", "5", True), ("mm", "mm", False)]
)
def test_numbers_are_compared_as_numbers(one: str, other: str, same: bool) -> None:
    assert same_number(one, other) is same
