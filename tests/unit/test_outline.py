"""Which elements are told, and in what words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from slate_desktop.elements import Detail, Difference, Tree
from slate_desktop.geometry import Rect, Size
from slate_desktop.outline import (
    Query,
    chosen,
    contexts,
    difference_line,
    drawn,
    labels_of,
    line,
    name_of,
)
from tests.fakes.ports import TOP, element, frame

BOX = Detail(Rect(1, 2, 30, 10))


def names(tree: Tree, query: Query) -> list[str]:
    return [e.name for e in chosen(tree, query, labels_of(tree))]


ROW = element("", "list item", "selectable", path="/row")
TREE = frame(
    element("Save"),
    element("Hint", "label"),
    element("Gone", states=frozenset({"enabled"})),
    element("Agree", "check box", "checked"),
    ROW,
    element("Ann", "label", place=(ROW.key, TOP), depth=2),
)


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        (Query(), ["Save", "Agree", ""]),
        (Query("ann"), ["title", "", "Ann"][1:]),
        (Query(role="button"), ["Save", "Gone"]),
        (Query(state="checked"), ["Agree"]),
        (Query(state="offscreen"), ["Gone"]),
        (Query(all=True, depth=1), ["title", "Save", "Hint", "Gone", "Agree", ""]),
        (Query(all=True, under=ROW.key), ["", "Ann"]),
    ],
)
def test_what_is_asked_for_is_what_is_told(query: Query, wanted: list[str]) -> None:
    assert names(TREE, query) == wanted


def test_choices_in_a_closed_box_and_buttons_around_buttons_are_left_out() -> None:
    combo = element("", "combo box", path="/combo")
    inside = element("red", "list item", "selectable", place=(combo.key, TOP))
    outer = element("GtkMenuButton", path="/outer")
    real = element("File", place=(outer.key, TOP))
    assert names(frame(combo, inside, outer, real), Query()) == ["", "File"]
    opened = replace(combo, states=combo.states | {"expanded"})
    assert names(frame(opened, inside), Query()) == ["", "red"]


def test_names_of_classes_are_no_names_and_nameless_ones_are_told_by_what_is_inside() -> None:
    assert name_of(element("GtkEntry")) == ""
    assert name_of(element("GtkEntry of mine")) == "GtkEntry of mine"
    assert labels_of(TREE)[ROW.key] == "Ann"
    combo = element("", "combo box", path="/combo")
    red = element("red", "menu item", place=(combo.key, TOP))
    green = element("green", "menu item", "selected", place=(combo.key, TOP))
    assert labels_of(frame(combo, green, red))[combo.key] == "green"


def test_a_line_has_ref_role_name_value_states_box_and_what_else_it_does() -> None:
    told = line(
        "e1",
        element("Name", "entry", "focused", "editable"),
        Detail(Rect(0, 26, 100, 20), "abc", ("Activate", "clipboard.cut", "Expand")),
    )
    assert told == 'e1 entry "Name" = "abc" focused,editable 0,26 100x20 do: "Expand"'
    assert line("e2", ROW, BOX, "Ann") == 'e2 list item ("Ann") 1,2 30x10'
    assert line("e3", element("x", states=frozenset()), BOX, indent=2).startswith("    e3 ")
    assert "1,2" not in line("e3", element("x", states=frozenset({"enabled"})), BOX)


def test_a_label_stands_for_a_name_and_for_one_that_is_only_the_choice() -> None:
    slider, combo = element("", "slider"), element("red", "combo box")
    assert line("e1", slider, Detail(value="5", label="Volume")) == 'e1 slider ("Volume") = "5"'
    told = line("e2", combo, Detail(value="red", label="Colour"))
    assert told == 'e2 combo box ("Colour") = "red"'
    assert (
        line("e3", combo, Detail(value="blue", label="red blue")) == 'e3 combo box "red" = "blue"'
    )


def test_an_elements_words_cannot_forge_a_line() -> None:
    told = line("e1", element('Save"\ne9 push button "Harmless'), Detail(value='x"\ny'))
    assert "\n" not in told


def test_r73_a_withheld_value_says_who_withholds_it_and_why() -> None:
    field = element("Key", "password text")
    told = line("e1", field, Detail(value=None, filled=True))
    assert told.startswith(
        'e1 password text "Key" [value withheld by Slate (password), it is filled]'
    )
    assert "it is empty" in line("e1", field, Detail(filled=False))
    assert "sentinel" not in line("e1", field, Detail(value="sentinel"))


def test_a_long_value_says_how_long_it_is() -> None:
    told = line("e1", element("T", "text"), Detail(value="x" * 400, length=5000))
    assert "of 5000 characters" in told


def test_differences_have_their_sign_and_what_was() -> None:
    check = element("Agree", "check box", "checked")
    assert difference_line("e4", Difference("~", check, BOX, "Agree")) == (
        '~ e4 check box "Agree" checked 1,2 30x10; was "Agree"'
    )
    assert difference_line("", Difference("-", check, BOX)) == '- check box "Agree"'
    assert difference_line("e4", Difference("+", check, BOX)).startswith("+ e4 check box")


def test_each_element_knows_the_words_of_its_row() -> None:
    found = contexts(TREE, TREE.elements)
    assert found[ROW.key] == ("Ann", ROW.key)
    assert found[TREE.elements[1].key] == ("", None)


def test_what_has_no_place_in_its_own_window_is_not_drawn() -> None:
    content = Size(400, 300)
    assert drawn(TREE, ROW, {ROW.key: BOX}, content)
    assert not drawn(TREE, ROW, {ROW.key: Detail()}, content)
    assert not drawn(TREE, ROW, {ROW.key: Detail(Rect(0, 300, 10, 10))}, content)
    popup = element("Cut", "menu item", place=(element("", "window").key,))
    assert drawn(TREE, popup, {popup.key: Detail()}, content)


def test_what_is_scrolled_out_of_its_pane_is_not_drawn() -> None:
    pane, inside = element("", "filler", path="/pane"), element("", "filler", path="/inside")
    row = element("Far", place=(inside.key, pane.key, TREE.elements[0].key))
    boxes = {
        pane.key: Detail(Rect(0, 100, 400, 50)),
        inside.key: Detail(Rect(0, 100, 400, 1000)),
        row.key: Detail(Rect(0, 200, 50, 20)),
    }
    assert not drawn(TREE, row, boxes, Size(400, 300))
    assert drawn(TREE, row, boxes | {row.key: Detail(Rect(0, 120, 50, 20))}, Size(400, 300))


def test_r63_twins_outside_of_lists_are_told_apart_by_what_is_around_each_alone() -> None:
    first, second = element("", "panel", path="/1"), element("", "panel", path="/2")
    tree = frame(
        first,
        element("Ann", "label", place=(first.key, TOP)),
        element("Pick", path="/1/b", place=(first.key, TOP)),
        second,
        element("Bob", "label", place=(second.key, TOP)),
        element("Pick", path="/2/b", place=(second.key, TOP)),
    )
    found = contexts(tree, tree.elements)
    assert found[tree.elements[3].key] == ("Ann|Pick", first.key)
    assert found[tree.elements[6].key] == ("Bob|Pick", second.key)


def test_a_row_that_is_half_a_window_is_no_context() -> None:
    row = element("", "list item", path="/row")
    words = [element(f"w{n}", "label", place=(row.key, TOP)) for n in range(70)]
    tree = frame(row, *words)
    assert contexts(tree, [row]) == {row.key: ("", None)}
