"""A ref is asked again at use: the same widget, or Stale naming then and now."""

from __future__ import annotations

from dataclasses import replace

import pytest

from slate_desktop.elements import Element, Seen
from slate_desktop.errors import Stale
from slate_desktop.intent import Aim, ElementSighting, Intent, Press
from slate_desktop.pin import pin
from slate_desktop.resolve import Target, resolve
from slated.model import Grant, Tier
from tests.fakes.ports import TOP, Bench, bench, desktop, element, frame, window

pytestmark = pytest.mark.anyio

SAVE = element("Save")


def stage(*now: Element) -> Bench:
    made = bench(desktop(window(2)))
    made.widgets.trees["h2"] = frame(*now)
    return made


def target(seen: Seen) -> Target:
    aim = Aim(ElementSighting("e1", window(2), seen))
    intent = Intent("desktop_element_click", Tier.REVERSIBLE, Press(), aim)
    return resolve(Grant(intent.digest, intent.tier, 1), intent, desktop(window(2)))


async def test_the_same_widget_is_taken_as_it_is_now() -> None:
    checked = replace(SAVE, states=SAVE.states | {"checked"})
    pinned = await pin(target(Seen(SAVE)), stage(checked).widgets)
    assert pinned.element is not None
    assert pinned.element.element.states == checked.states


async def test_a_target_that_is_no_element_is_left_as_it_is() -> None:
    plain = replace(target(Seen(SAVE)), element=None)
    assert await pin(plain, stage().widgets) is plain


@pytest.mark.promise("stale-ref-never-acts")
@pytest.mark.parametrize(
    ("now", "words"),
    [
        ([], "is gone"),
        ([replace(SAVE, name="Delete")], 'is now push button "Delete"'),
        ([replace(SAVE, role="link")], 'is now link "Save"'),
        ([replace(SAVE, place=(element("x").key,))], "in another place"),
    ],
)
async def test_r63_r65_another_widget_is_stale_and_says_what_was_and_what_is(
    now: list[Element], words: str
) -> None:
    with pytest.raises(Stale) as caught:
        await pin(target(Seen(SAVE)), stage(*now).widgets)
    assert caught.value.code == "stale.element"
    assert 'e1, push button "Save"' in caught.value.message
    assert words in caught.value.message
    assert "desktop_elements" in caught.value.next_step


async def test_r63_a_recycled_row_is_stale_by_its_words() -> None:
    made = stage(SAVE)
    plain = made.widgets.now

    async def elsewhere(at: object, seen: Seen) -> Seen | None:
        found = await plain(window(2), seen)
        return replace(found, context="Bob|Save") if found else None

    made.widgets.now = elsewhere  # type: ignore[method-assign,assignment]  # the row's words, read again
    with pytest.raises(Stale) as caught:
        await pin(target(Seen(SAVE, context="Ann|Save")), made.widgets)
    assert '"Ann|Save"' in caught.value.message
    assert '"Bob|Save"' in caught.value.message


async def test_r63_a_row_that_was_made_anew_is_found_by_all_its_facts() -> None:
    row = element("", "list item", path="/new")
    ann = element("Ann", "label", path="/new/l", place=(row.key, TOP))
    send = element("Send", path="/new/b", place=(row.key, TOP))
    gone = Seen(element("Send", path="/old/b"), context="Ann|Send", lineage=("list item", "frame"))
    pinned = await pin(target(gone), stage(row, ann, send).widgets)
    assert pinned.element is not None
    assert pinned.element.element.key == send.key
    for other in (
        replace(gone, context="Bob|Send"),
        replace(gone, lineage=("table row", "frame")),
        replace(gone, context=""),
    ):
        with pytest.raises(Stale):
            await pin(target(other), stage(row, ann, send).widgets)


async def test_of_two_that_look_the_same_none_is_taken() -> None:
    rows = [element("", "list item", path=f"/{n}") for n in (1, 2)]
    both = [
        it
        for n, row in enumerate(rows)
        for it in (
            row,
            element("Ann", "label", path=f"/{n}/l", place=(row.key, TOP)),
            element("Send", path=f"/{n}/b", place=(row.key, TOP)),
        )
    ]
    gone = Seen(element("Send", path="/old/b"), context="Ann|Send", lineage=("list item", "frame"))
    with pytest.raises(Stale):
        await pin(target(gone), stage(*both).widgets)


async def test_r63_a_page_is_asked_again_once_its_tree_has_caught_up() -> None:
    made = stage(SAVE)

    def later(count: int) -> None:
        if count == 2:
            made.widgets.trees["h2"] = frame(replace(SAVE, name="Delete"))

    made.widgets.on_look = later
    with pytest.raises(Stale):
        await pin(target(Seen(SAVE, web=True)), made.widgets)
