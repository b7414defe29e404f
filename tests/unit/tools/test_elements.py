"""Element tools on fakes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from slate_desktop.elements import Deed, Detail, Key, Tree
from slate_desktop.errors import BadRequest, Refused, Stale, Unavailable
from slate_desktop.geometry import Rect
from slate_desktop.intent import Intent
from slate_desktop.render import Reply
from slate_desktop.tools.elements import TOOLS
from slate_desktop.tools.keyboard import TOOLS as KEYBOARD
from slate_desktop.tools.pointer import TOOLS as POINTER
from slated.model import Grant, Tier
from slated.toolspec import parse
from tests.fakes.ports import Bench, FakeGate, bench, desktop, element, frame, window

pytestmark = pytest.mark.anyio

SPECS = {spec.name: spec for spec in (*TOOLS, *POINTER, *KEYBOARD)}
SAVE, AGREE = element("Save"), element("Remember", "check box")
NAME = element("Name", "entry", "editable", interfaces=frozenset({"EditableText"}))


class StrictGate(FakeGate):
    """Refuses what needs a person's yes."""

    async def admit(self, intent: Intent, *, under: Grant | None = None) -> Grant:
        if intent.tier is Tier.CONFIRM:
            raise Refused("no_approver", "nothing was sent: nobody can be asked.", next_step="ask")
        return await super().admit(intent, under=under)


def stage(*elements: object, gate: FakeGate | None = None) -> Bench:
    made = bench(desktop(window(2)), gate=gate)
    made.widgets.trees["h2"] = frame(*(elements or (SAVE, AGREE, NAME)))  # type: ignore[arg-type]
    return made


async def called(made: Bench, tool: str, **arguments: object) -> Reply:
    spec = SPECS[tool]
    answer: Reply = await spec.handler(made.lease, parse(spec, arguments))
    return answer


async def test_controls_are_listed_with_refs_and_boxes() -> None:
    answer = await called(stage(), "desktop_elements", target="app.2")
    assert answer.text.splitlines() == [
        "3 controls on screen of 4 elements; boxes are in w1.",
        'e1 push button "Save" 10,20 30x10',
        'e2 check box "Remember" 10,20 30x10',
        'e3 entry "Name" editable 10,20 30x10',
    ]


async def test_what_is_cut_is_said_with_how_to_get_it() -> None:
    made = stage()
    whole = made.widgets.trees["h2"]
    made.widgets.trees["h2"] = Tree(whole.elements, "300 of 10000 children read of a list")
    answer = await called(made, "desktop_elements", target="app.2", max=2)
    first, *_, last = answer.text.splitlines()
    assert "cut: the first 2 are listed; cut: 300 of 10000 children read" in first
    assert last.startswith("next: narrow it")


@pytest.mark.parametrize("words", [{}, {"query": "Save"}])
async def test_a_window_that_is_not_laid_out_yet_is_looked_at_again(words: dict[str, str]) -> None:
    made = stage()
    made.widgets.known = {e.key: Detail(None) for e in (SAVE, AGREE, NAME)}

    def laid_out(looks: int) -> None:
        if looks == 3:
            made.widgets.known = {}

    made.widgets.on_look = laid_out
    answer = await called(made, "desktop_elements", target="app.2", **words)
    assert 'push button "Save" 10,20 30x10' in answer.text


async def test_a_window_that_shows_no_control_is_given_up_soon() -> None:
    made = stage(replace(element("Far away"), states=frozenset({"enabled"})))
    answer = await called(made, "desktop_elements", target="app.2")
    assert answer.text.startswith("0 controls on screen")
    assert made.widgets.looks == 5


async def test_a_query_finds_what_is_off_screen_too() -> None:
    made = stage(SAVE, replace(element("Far away"), states=frozenset({"enabled"})))
    answer = await called(made, "desktop_elements", target="app.2", query="far")
    assert 'e1 push button "Far away" offscreen' in answer.text
    assert answer.text.startswith("1 matches")


async def test_since_tells_only_what_changed() -> None:
    made = stage()
    with pytest.raises(BadRequest):
        await called(made, "desktop_elements", target="app.2", since="latest")
    await called(made, "desktop_elements", target="app.2")
    checked = replace(AGREE, states=AGREE.states | {"checked"})
    made.widgets.trees["h2"] = frame(SAVE, checked, element("New"))
    answer = await called(made, "desktop_elements", target="app.2", since="latest")
    assert answer.text.splitlines() == [
        "3 changes since your last listing.",
        '+ e4 push button "New" 10,20 30x10',
        '- entry "Name"',
        '~ e2 check box "Remember" checked 10,20 30x10; was "Remember"',
    ]
    assert (
        "0 changes" in (await called(made, "desktop_elements", target="app.2", since="latest")).text
    )


async def test_since_says_nothing_of_what_an_earlier_listing_left_out() -> None:
    made = stage()
    made.widgets.known[NAME.key] = Detail(Rect(0, 0, 9, 9), "Ann")
    await called(made, "desktop_elements", target="app.2", query="Save")
    answer = await called(made, "desktop_elements", target="app.2", since="latest")
    assert answer.text.startswith("0 changes")


async def test_a_press_says_its_way_and_what_changed() -> None:
    made = stage()
    made.widgets.known[AGREE.key] = Detail(Rect(0, 0, 9, 9), None, ("toggle",))
    await called(made, "desktop_elements", target="app.2")

    def toggles(_key: Key, _deed: Deed) -> None:
        checked = replace(AGREE, states=AGREE.states | {"checked"})
        made.widgets.trees["h2"] = frame(SAVE, checked, NAME)

    made.widgets.on_deed = toggles
    answer = await called(made, "desktop_element_click", element="e2")
    assert answer.text.splitlines() == [
        'pressed e2 (check box "Remember"), by its action "toggle"; verified: yes, an element changed.',
        '~ e2 check box "Remember" checked 0,0 9x9; was "Remember"',
    ]


async def test_set_text_is_read_back_and_a_field_that_keeps_its_own_is_not_verified() -> None:
    made = stage()
    await called(made, "desktop_elements", target="app.2")
    made.widgets.known[NAME.key] = Detail(Rect(0, 0, 9, 9), "other")
    answer = await called(made, "desktop_element_set_text", element="e3", text="new")
    assert "verified: no, it holds something else" in answer.text
    made.widgets.known[NAME.key] = Detail(Rect(0, 0, 9, 9), "new")
    answer = await called(made, "desktop_element_set_text", element="e3", text="new")
    assert answer.text.startswith('set e3 (entry "Name") to 3 characters, through its text')


@pytest.mark.promise("stale-ref-never-acts")
async def test_r63_a_stale_ref_presses_nothing() -> None:
    made = stage()
    await called(made, "desktop_elements", target="app.2")
    made.widgets.trees["h2"] = frame(element("Delete", path=SAVE.key.path))
    for tool, more in (
        ("desktop_element_click", {"element": "e1"}),
        ("desktop_click", {"target": "e1"}),
        ("desktop_type", {"target": "e1", "text": "x"}),
        ("desktop_element_set_text", {"element": "e1", "text": "x"}),
    ):
        with pytest.raises(Stale) as caught:
            await called(made, tool, **more)
        assert caught.value.code == "stale.element"
    assert made.widgets.deeds == []
    assert made.adapters == []


@pytest.mark.promise("refused-reaches-no-adapter")
async def test_a_send_button_needs_a_yes_by_every_way_of_pressing_it() -> None:
    made = stage(element("Send"), gate=StrictGate())
    await called(made, "desktop_elements", target="app.2")
    made.widgets.hits = [element("Send")]
    for tool, more in (
        ("desktop_element_click", {"element": "e1"}),
        ("desktop_click", {"target": "e1"}),
        ("desktop_click", {"target": "app.2", "x": 20, "y": 25}),
    ):
        with pytest.raises(Refused):
            await called(made, tool, **more)
    assert made.widgets.deeds == []
    assert made.adapters == []


async def test_a_click_by_element_needs_no_point_and_takes_none() -> None:
    made = stage()
    await called(made, "desktop_elements", target="app.2")
    answer = await called(made, "desktop_click", target="e1")
    assert answer.text.startswith('clicked left at e1 (push button "Save")')
    with pytest.raises(BadRequest):
        await called(made, "desktop_click", target="e1", x=1, y=2)
    with pytest.raises(BadRequest):
        await called(made, "desktop_click", target="app.2")
    with pytest.raises(BadRequest):
        await called(made, "desktop_click", target="app.2", x=1)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("desktop_elements", {"target": "screen"}),
        ("desktop_read", {"target": "screen"}),
        ("desktop_element_click", {"element": "app.2"}),
        ("desktop_elements", {"target": "app.2", "max": 0}),
    ],
)
async def test_what_makes_no_sense_is_said(tool: str, arguments: dict[str, object]) -> None:
    with pytest.raises(BadRequest) as caught:
        await called(stage(), tool, **arguments)
    assert caught.value.next_step


async def test_a_window_without_a_tree_says_so_at_once() -> None:
    made = bench(desktop(window(2)))
    with pytest.raises(Unavailable) as caught:
        await called(made, "desktop_elements", target="app.2")
    assert caught.value.code == "unavailable.no_tree"


async def test_a_ref_of_nobody_is_unknown() -> None:
    with pytest.raises(Stale) as caught:
        await called(stage(), "desktop_element_click", element="e999")
    assert caught.value.code == "stale.unknown_ref"
    assert "desktop_elements" in caught.value.next_step
