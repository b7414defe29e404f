"""Acts on elements: which way is taken, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from slate_desktop.elements import Deed, Detail, Element, Key, Seen, Way
from slate_desktop.errors import BadRequest, Bug, Unavailable
from slate_desktop.geometry import Rect
from slate_desktop.intent import (
    Action,
    Aim,
    Click,
    ElementSighting,
    Intent,
    Press,
    PressKeys,
    SetText,
    TypeText,
    WindowSighting,
)
from slate_desktop.keys import parse_chord
from slate_desktop.outcome import Delivery
from slate_desktop.resolve import resolve
from slate_desktop.touch import touch
from slated.model import Grant, Tier
from tests.fakes.ports import Bench, bench, desktop, element, frame, window

pytestmark = pytest.mark.anyio

BOX = Rect(10, 20, 30, 10)
ENTRY = element("Name", "entry", "editable", interfaces=frozenset({"Component", "EditableText"}))
SLIDER = element("Volume", "slider", interfaces=frozenset({"Value"}))


def stage(it: Element, detail: Detail | None = None) -> Bench:
    made = bench(desktop(window(2)))
    made.widgets.trees["h2"] = frame(it)
    made.widgets.known[it.key] = detail or Detail(BOX)
    return made


async def touched(
    made: Bench, it: Element, action: Action, *, web: bool = False, **facts: object
) -> Delivery:
    detail = made.widgets.known[it.key]
    aim = Aim(ElementSighting("e1", window(2), Seen(it, detail, web=web)))
    intent = Intent("desktop_element_click", Tier.REVERSIBLE, action, aim)
    target = resolve(Grant(intent.digest, intent.tier, 1), intent, made.windows.now)
    return await touch(target, action, made.lease.limbs, made.widgets)


async def test_the_best_action_is_done_and_named() -> None:
    it = element("Save")
    made = stage(it, Detail(BOX, None, ("ShowMenu", "Click")))
    sent = await touched(made, it, Press())
    assert made.widgets.deeds == [Deed(Way.ACT, "Click")]
    assert sent.how == 'by its action "Click"'
    assert made.hands.log == []


async def test_an_action_is_taken_by_name_whatever_its_case() -> None:
    it = element("Save")
    made = stage(it, Detail(BOX, None, ("Click", "ShowMenu")))
    await touched(made, it, Press("showmenu"))
    assert made.widgets.deeds == [Deed(Way.ACT, "ShowMenu")]
    with pytest.raises(BadRequest) as caught:
        await touched(made, it, Press("explode"))
    assert '"ShowMenu"' in caught.value.message
    made.widgets.refused = {Way.ACT}
    with pytest.raises(Unavailable):
        await touched(made, it, Press("Click"))


@pytest.mark.parametrize("actions", [(), ("clipboard.cut",), ("Click",)])
async def test_without_an_action_that_works_the_pointer_clicks_its_middle(
    actions: tuple[str, ...],
) -> None:
    it = element("Save")
    made = stage(it, Detail(BOX, None, actions))
    made.widgets.refused = {Way.ACT}
    sent = await touched(made, it, Press())
    assert sent.how == "by a pointer click"
    assert any("PointerPress" in line for line in made.hands.log)


async def test_what_takes_no_input_is_refused() -> None:
    it = element("Save", states=frozenset({"showing"}))
    made = stage(it)
    with pytest.raises(Unavailable) as caught:
        await touched(made, it, Press())
    assert caught.value.code == "unavailable.disabled"
    assert made.adapters == []


async def test_r60_text_is_set_through_its_interface_again_once_it_has_the_focus() -> None:
    made = stage(ENTRY)
    refusals = [Way.WRITE]

    async def asked(at: object, key: Key, deed: Deed) -> bool:
        made.widgets.deeds.append(deed)
        if deed.way in refusals:
            refusals.remove(deed.way)
            return False
        return True

    made.widgets.do = asked  # type: ignore[method-assign,assignment]  # refuses the first writing only
    sent = await touched(made, ENTRY, SetText("new"))
    ways = [deed.way for deed in made.widgets.deeds]
    assert ways == [Way.WRITE, Way.FOCUS, Way.WRITE]
    assert sent.direct


async def test_where_no_interface_writes_the_keys_do() -> None:
    made = stage(ENTRY)
    made.widgets.refused = {Way.WRITE}
    sent = await touched(made, ENTRY, SetText("new"))
    assert sent.how == "by keys"
    assert not sent.direct
    keys = [line for line in made.hands.log if line.startswith("keys")]
    assert len(keys) == 2  # select all, then the text


async def test_r61_in_a_page_the_keys_come_first() -> None:
    made = stage(ENTRY, Detail(BOX, "new"))
    sent = await touched(made, ENTRY, SetText("new"), web=True)
    assert sent.how == "by keys"
    assert Way.WRITE not in [deed.way for deed in made.widgets.deeds]


async def test_r61_in_a_page_that_got_no_keys_its_interface_is_tried() -> None:
    made = stage(ENTRY, Detail(BOX, "old"))
    sent = await touched(made, ENTRY, SetText("new"), web=True)
    assert sent.direct
    assert Deed(Way.WRITE, "new") in made.widgets.deeds


@pytest.mark.parametrize(
    ("it", "text", "code"),
    [
        (element("Title", "label"), "x", "bad_request.not_editable"),
        (element("W", "frame"), "x", "bad_request.not_editable"),
        (element("Fixed", "entry", "read only"), "x", "bad_request.not_editable"),
        (element("Off", "entry", states=frozenset({"showing"})), "x", "unavailable.disabled"),
        (SLIDER, "loud", "bad_request.arguments"),
        (element("Agree", "check box"), "maybe", "bad_request.arguments"),
    ],
)
async def test_r62_what_cannot_be_set_says_why(it: Element, text: str, code: str) -> None:
    made = stage(it)
    with pytest.raises((BadRequest, Unavailable)) as caught:
        await touched(made, it, SetText(text))
    assert caught.value.code == code
    assert made.adapters == []


async def test_numbers_go_through_their_value_and_checks_through_a_press() -> None:
    made = stage(SLIDER)
    assert (await touched(made, SLIDER, SetText("42"))).direct
    assert made.widgets.deeds == [Deed(Way.VALUE, "42")]
    check = element("Agree", "check box", "checked")
    made = stage(check, Detail(BOX, None, ("toggle",)))
    assert (await touched(made, check, SetText("on"))).how == "it was so already"
    assert made.widgets.deeds == []
    await touched(made, check, SetText("off"))
    assert made.widgets.deeds == [Deed(Way.ACT, "toggle")]
    made.widgets.refused = {Way.VALUE}
    made.widgets.known[SLIDER.key] = Detail(BOX)
    with pytest.raises(BadRequest):
        await touched(made, SLIDER, SetText("1"))


async def test_submit_presses_return_after_the_text() -> None:
    made = stage(ENTRY)
    await touched(made, ENTRY, SetText("new", submit=True))
    assert made.hands.log[-1].startswith("keys h2 1")


async def test_keys_go_to_the_element_that_was_focused_for_them() -> None:
    made = stage(ENTRY)
    await touched(made, ENTRY, TypeText("hi"))
    assert made.widgets.deeds[0].way is Way.FOCUS
    await touched(made, ENTRY, PressKeys(("Tab",), (parse_chord("Tab"),)))
    assert sum(line.startswith("keys") for line in made.hands.log) == 2


async def test_a_click_on_an_element_is_one_on_its_middle() -> None:
    it = element("Save")
    made = stage(it)
    await touched(made, it, Click())
    assert any("PointerPress" in line for line in made.hands.log)


async def test_what_is_no_element_is_done_as_ever_and_a_press_of_nothing_is_our_fault() -> None:
    made = stage(ENTRY)
    intent = Intent(
        "desktop_type", Tier.REVERSIBLE, TypeText("a"), Aim(WindowSighting("w1", window(2)))
    )
    target = resolve(Grant(intent.digest, intent.tier, 1), intent, made.windows.now)
    sent = await touch(target, TypeText("a"), made.lease.limbs, made.widgets)
    assert sent.sent == 1
    with pytest.raises(Bug):
        await touch(replace(target), Press(), made.lease.limbs, made.widgets)


async def test_a_number_in_a_page_is_typed_and_set_only_where_keys_do_not_reach_it() -> None:
    count = element("Count", "spin button", "focused", interfaces=frozenset({"Value"}))
    made = stage(count, Detail(BOX, "07"))
    assert (await touched(made, count, SetText("7"), web=True)).how == "by keys"
    assert made.widgets.deeds == []
    made = stage(count, Detail(BOX, "5"))
    sent = await touched(made, count, SetText("7"), web=True)
    assert (sent.how, sent.direct) == ("through its value", True)


async def test_a_date_made_of_parts_is_not_typed_over() -> None:
    day = element("Day", "date editor", "editable")
    made = stage(day)
    with pytest.raises(BadRequest, match="parts"):
        await touched(made, day, SetText("2026-05-04"))
    assert made.hands.log == []
