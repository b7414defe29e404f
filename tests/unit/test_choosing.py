"""How a choice is taken: in the closed box, by an option's action, by arrow keys; and what is said when it is not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from slate_desktop.elements import Deed, Detail, Element, Key, Seen, Way
from slate_desktop.errors import BadRequest, Unavailable
from slate_desktop.geometry import Rect
from slate_desktop.intent import Action, Aim, ElementSighting, Intent, Press, SetText
from slate_desktop.outcome import Delivery
from slate_desktop.resolve import resolve
from slate_desktop.touch import touch
from slated.model import Grant, Tier
from tests.fakes.ports import TOP, Bench, bench, desktop, element, frame, window

pytestmark = pytest.mark.anyio

BOX = Rect(10, 20, 30, 10)
COMBO = element("Fruit", "combo box")
IN = (COMBO.key, TOP)
SELECTS = replace(COMBO, interfaces=frozenset({"Component", "Selection"}))


def stage(*elements: Element) -> Bench:
    made = bench(desktop(window(2)))
    made.widgets.trees["h2"] = frame(*elements)
    return made


async def touched(made: Bench, it: Element, action: Action, **facts: object) -> Delivery:
    seen = Seen(it, made.widgets.known.get(it.key, Detail(BOX)), **facts)  # type: ignore[arg-type]  # real fields
    intent = Intent("t", Tier.REVERSIBLE, action, Aim(ElementSighting("e1", window(2), seen)))
    target = resolve(Grant(intent.digest, intent.tier, 1), intent, made.windows.now)
    return await touch(target, action, made.lease.limbs, made.widgets)


def listed(*names: str, at: int = 0, role: str = "list item") -> list[Element]:
    holder = element("", "list", path="/l", place=IN)
    items = [element(n, role, place=(holder.key, *IN)) for n in names]
    items[at] = replace(items[at], states=items[at].states | {"focused"})
    return [holder, *items]


async def test_gtk_3_chooses_in_the_closed_box() -> None:
    made = stage(SELECTS, *listed("apple", "pear", role="menu item"))
    sent = await touched(made, SELECTS, SetText("pear"))
    assert (sent.how, sent.direct) == ("by choosing", True)
    assert made.widgets.deeds == [Deed(Way.CHOOSE, "pear")]


async def test_what_is_chosen_already_is_left_alone() -> None:
    chosen = element("pear", "menu item", "selected", place=IN)
    made = stage(COMBO, chosen)
    assert (await touched(made, COMBO, SetText("pear"))).how == "it was so already"
    assert not made.widgets.deeds
    assert not made.hands.log


async def test_a_page_takes_its_option_s_action_where_closed_options_have_a_place() -> None:
    pear = element("pear", "menu item", place=IN)
    made = stage(COMBO, pear)
    made.widgets.known[pear.key] = Detail(BOX, None, ("select",))
    assert (await touched(made, COMBO, SetText("pear"), web=True)).how == "by its option's action"
    assert made.hands.log == []


async def test_firefox_s_list_is_opened_by_hand_and_its_option_pressed_there() -> None:
    closed = element("pear", "menu item", path="/closed", place=IN)
    popup = element("", "combo box", "expanded", path="/popup")
    there = element("pear", "menu item", path="/there", place=(popup.key, TOP))
    made = stage(COMBO, closed)
    made.widgets.known[closed.key] = Detail(None, None, ("select",))
    made.widgets.known[there.key] = Detail(BOX, None, ("click",))

    def opens(_count: int) -> None:
        if any(line.startswith("pointer") for line in made.hands.log):
            made.widgets.trees["h2"] = frame(COMBO, closed, popup, there)

    made.widgets.on_look = opens
    sent = await touched(made, COMBO, SetText("pear"), web=True)
    assert sent.how == "by opening it and the option's action"
    assert made.widgets.deeds == [Deed(Way.ACT, "click")]


@pytest.mark.parametrize("wanted", ["plum", "apple"])
async def test_arrow_keys_go_to_an_option_without_an_action_and_return_takes_it(
    wanted: str,
) -> None:
    names = ("apple", "pear", "plum")
    made = stage(element("pear", "combo box", path=COMBO.key.path), *listed(*names, at=1))
    made.widgets.known[Key(":1.7", "/l")] = Detail(BOX)

    def follows(_count: int) -> None:
        if sum(line.startswith("keys") for line in made.hands.log) == 1:
            at = names.index(wanted)
            made.widgets.trees["h2"] = frame(COMBO, *listed(*names, at=at))

    made.widgets.on_look = follows
    sent = await touched(made, COMBO, SetText(wanted))
    assert sent.how == "by opening it and arrow keys"
    assert sum(line.startswith("keys") for line in made.hands.log) == 2  # there, and Return


async def test_a_cursor_that_does_not_come_to_the_option_is_said_with_the_list_closed_again() -> (
    None
):
    made = stage(COMBO, *listed("apple", "pear"))
    made.widgets.known[Key(":1.7", "/l")] = Detail(BOX)
    with pytest.raises(Unavailable) as caught:
        await touched(made, COMBO, SetText("pear"))
    assert caught.value.code == "unavailable.not_chosen"
    assert len([line for line in made.hands.log if line.startswith("keys")]) == 2  # Down, Escape


async def test_a_name_that_is_not_among_the_choices_is_refused_with_those() -> None:
    made = stage(COMBO, *listed("apple", "pear"))
    with pytest.raises(BadRequest) as caught:
        await touched(made, COMBO, SetText("mango"))
    assert '"apple", "pear"' in caught.value.message
    assert not made.widgets.deeds
    assert not made.hands.log


async def test_choices_that_the_program_does_not_tell_are_said_to_be_so() -> None:
    made = stage(COMBO)
    with pytest.raises(Unavailable) as caught:
        await touched(made, COMBO, SetText("green"))
    assert caught.value.code == "unavailable.choices_not_told"


async def test_a_box_with_a_field_is_written_into() -> None:
    field = element("F", "text", "editable", place=IN)
    field = replace(field, interfaces=frozenset({"Component", "EditableText"}))
    made = stage(COMBO, field)
    await touched(made, COMBO, SetText("free"))
    assert made.widgets.deeds == [Deed(Way.WRITE, "free")]


async def test_a_press_opens_the_box_by_its_button_or_by_the_pointer_but_not_a_second_time() -> (
    None
):
    button = element("", "push button", path="/b", place=IN)
    made = stage(COMBO, button)
    made.widgets.known[button.key] = Detail(BOX, None, ("Click",))
    assert (await touched(made, COMBO, Press())).how == "to open it"
    assert made.widgets.deeds == [Deed(Way.ACT, "Click")]
    made = stage(COMBO, *listed("apple"))
    made.widgets.known[Key(":1.7", "/l")] = Detail(BOX)
    await touched(made, COMBO, Press())
    assert made.hands.log == []


async def test_a_press_on_an_option_of_an_opened_list_takes_it_by_keys() -> None:
    made = stage(COMBO, *listed("apple", "pear", at=1))
    made.widgets.known[Key(":1.7", "/l")] = Detail(BOX)
    pear = made.widgets.trees["h2"].elements[-1]
    made.widgets.known[pear.key] = Detail(BOX, None, ("Toggle",))
    sent = await touched(made, pear, Press(), lineage=("list", "combo box", "frame"))
    assert sent.how == "by arrow keys in the opened list"
    made.widgets.known[Key(":1.7", "/l")] = Detail(None)
    sent = await touched(made, pear, Press(), lineage=("list", "combo box", "frame"))
    assert sent.how == 'by its action "Toggle"'


async def test_an_option_of_a_closed_box_of_firefox_is_taken_in_the_opened_one() -> None:
    closed = element("pear", "menu item", path="/closed", place=IN)
    popup = element("", "combo box", "expanded", path="/popup")
    there = element("pear", "menu item", path="/there", place=(popup.key, TOP))
    made = stage(COMBO, closed)
    made.widgets.known[closed.key] = Detail(None, None, ("select",))
    made.widgets.known[there.key] = Detail(BOX, None, ("click",))

    def opens(_count: int) -> None:
        if any(line.startswith("pointer") for line in made.hands.log):
            made.widgets.trees["h2"] = frame(COMBO, closed, popup, there)

    made.widgets.on_look = opens
    await touched(made, closed, Press(), web=True, lineage=("menu", "combo box", "frame"))
    assert made.widgets.deeds == [Deed(Way.ACT, "click")]
