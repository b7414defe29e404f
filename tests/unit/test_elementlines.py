"""Lines of elements give refs, and what an action changed fits an answer."""

from __future__ import annotations

import pytest

from slate_desktop.elementlines import CHANGES_LIMIT, lines_of, sightings, told
from slate_desktop.elements import Detail, Difference, Glimpse, Seen
from slate_desktop.intent import Aim, ElementSighting, Intent, Observe, Press
from slate_desktop.outcome import Evidence, Scene, Verified
from slate_desktop.resolve import resolve
from slated.model import Grant, Tier
from tests.fakes.ports import TOP, bench, desktop, element, frame, window

pytestmark = pytest.mark.anyio

SAVE = element("Save")


async def test_each_line_gives_a_ref_that_stays_while_the_element_does() -> None:
    made = bench(desktop(window(2)))
    tree = frame(SAVE, element("Open"))
    first = lines_of(made.lease, window(2), tree, tree.elements[1:], {})
    assert [line.split()[0] for line in first] == ["e1", "e2"]
    renamed = frame(element("Delete", path=SAVE.key.path), element("Open"))
    again = lines_of(made.lease, window(2), renamed, renamed.elements[1:], {})
    assert [line.split()[0] for line in again] == ["e3", "e2"]
    assert made.lease.sightings.element("e1").seen.element.name == "Save"


def test_a_sighting_knows_the_row_the_label_and_whether_it_is_in_a_page() -> None:
    page = element("", "document web", path="/page")
    row = element("", "list item", path="/row", place=(page.key, TOP))
    button = element("Delete", place=(row.key, page.key, TOP))
    tree = frame(page, row, button, SAVE)
    found = sightings(tree, tree.elements, {button.key: Detail(value="x")})
    assert found[button.key] == Seen(
        button,
        Detail(value="x"),
        "Delete",
        row.key,
        "",
        ("list item", "document web", "frame"),
        web=True,
    )
    assert found[row.key].label == "Delete"
    assert not found[SAVE.key].web


async def test_r65_what_came_is_told_with_refs_and_cut_at_its_limit() -> None:
    made = bench(desktop(window(2)))
    items = [element(f"Item {n}", "menu item") for n in range(100)]
    wish = Intent(
        "desktop_element_click",
        Tier.REVERSIBLE,
        Press(),
        Aim(ElementSighting("e9", window(2), Seen(SAVE))),
        Observe.AUTO,
    )
    target = resolve(Grant(wish.digest, wish.tier, 1), wish, made.windows.now)
    now = Scene(made.windows.now, None, Glimpse(frame(*items)))
    found = tuple(Difference("+", item, Detail()) for item in items)
    evidence = Evidence(Verified.YES, "", differences=found)
    said = told(made.lease, wish, target, now, evidence)
    assert said[0].startswith('+ e1 menu item "Item 0"')
    assert sum(map(len, said)) <= CHANGES_LIMIT + 60
    assert "more changed: desktop_elements" in said[-1]
    assert made.lease.sightings.element("e1").seen.element == items[0]
    assert told(made.lease, wish, target, Scene(made.windows.now), evidence) == ()
