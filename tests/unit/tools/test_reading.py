"""Text in reading order, by pages."""

from __future__ import annotations

import pytest

from slate_desktop.elements import Detail, Tree
from slate_desktop.errors import BadRequest
from slate_desktop.render import Reply
from slate_desktop.tools.elements import TOOLS
from slate_desktop.tools.reading import PAGE_CHARACTERS, paged, spoken
from slated.toolspec import parse
from tests.fakes.ports import TOP, Bench, bench, desktop, element, frame, window

pytestmark = pytest.mark.anyio

SPECS = {spec.name: spec for spec in TOOLS}


async def called(made: Bench, tool: str, **arguments: object) -> Reply:
    spec = SPECS[tool]
    answer: Reply = await spec.handler(made.lease, parse(spec, arguments))
    return answer


def said(tree: Tree, details: dict[object, Detail]) -> list[str]:
    return spoken(list(tree.elements[1:]), tree, details)  # type: ignore[arg-type]  # keys of elements


def test_labels_controls_and_texts_are_told_in_order_and_once() -> None:
    button = element("Save")
    text = element("Body", "text", "editable")
    tree = frame(
        element("Title", "label"),
        button,
        element("Save", "label", place=(button.key, TOP)),
        text,
        element("inner", "label", place=(text.key, TOP)),
    )
    lines = said(tree, {text.key: Detail(value="line 1\nline 2")})
    assert lines == ['"Title"', 'push button "Save"', 'text "Body"', '"line 1"', '"line 2"']


def test_r71_a_password_is_named_and_not_read() -> None:
    field = element("Key", "password text")
    lines = said(frame(field), {field.key: Detail(value="pw-Sentinel-77")})
    assert lines == ['password text "Key" [value withheld by Slate (password)]']


def test_pages_are_filled_and_there_is_always_one() -> None:
    assert paged([]) == [[]]
    lines = ["x" * 1000] * 15
    pages = paged(lines)
    assert [len(page) for page in pages] == [5, 5, 5]
    assert all(sum(map(len, page)) <= PAGE_CHARACTERS for page in pages)


async def test_a_page_says_which_it_is_and_how_to_go_on() -> None:
    made = bench(desktop(window(2)))
    made.widgets.trees["h2"] = frame(*(element(f"{n} " + "x" * 1900, "label") for n in range(9)))
    first = await called(made, "desktop_read", target="app.2")
    assert first.text.splitlines()[0] == "text of w1, page 1 of 3."
    assert first.text.splitlines()[-1] == "next: page 2 goes on"
    with pytest.raises(BadRequest) as caught:
        await called(made, "desktop_read", target="app.2", page=4)
    assert "3 pages" in caught.value.message


async def test_one_element_is_read_alone() -> None:
    made = bench(desktop(window(2)))
    made.widgets.trees["h2"] = frame(element("One"), element("Two"))
    await called(made, "desktop_elements", target="app.2")
    answer = await called(made, "desktop_read", target="e2")
    assert answer.text == 'text of e2, page 1 of 1.\npush button "Two"'
