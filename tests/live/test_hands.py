"""Where the focus of an agent's seat is, and that the person's stays: on the real compositor."""

from __future__ import annotations

import pytest

from slate_desktop.keys import text_bursts
from slate_desktop.model import (
    PARKING_APP_ID,
    Handle,
)
from slated.errors import SlateError
from tests.live.bed.arms import GUARD, Arms, heard
from tests.live.bed.patience import until_it_says

pytestmark = pytest.mark.anyio


async def test_a_hidden_window_takes_keys_while_the_person_types_in_theirs(arms: Arms) -> None:
    stage = arms.stage
    theirs, ours = await stage.window("bed.person"), await stage.window("bed.ours")
    arms.to_background("bed.ours")
    person = await stage.person()
    stage.focus("bed.person")
    await person.ask("keep_typing", phrase="the quick brown fox ", gap_s=0.002)
    for _ in range(10):
        await arms.type("bed.ours", "Agent text with é and 漢字. ")
    typed = await person.ask("stop_typing")
    assert await heard(ours, arms) == "Agent text with é and 漢字. " * 10
    state = await theirs.ask("state")
    assert state["seats"]["seat0"]["text"] == typed
    assert state["seats"][arms.hands.seat]["text"] == ""
    assert state["activated"]


async def test_r12_the_persons_layout_and_focus_are_as_before(arms: Arms) -> None:
    stage = arms.stage
    await stage.window("bed.person")
    await stage.window("bed.ours")
    person = await stage.person()
    await person.ask("layout", layout="de")
    stage.focus("bed.person")
    before = await person.ask("report")
    await arms.type("bed.ours", "Grüße, 漢字 und mehr")
    during = await person.ask("report")
    await arms.hands.rest()
    assert before == during == await person.ask("report")


async def test_at_rest_a_new_window_of_the_persons_keeps_its_focus_and_we_go_home(
    arms: Arms,
) -> None:
    stage = arms.stage
    ours = await stage.window("bed.ours")
    await arms.type("bed.ours", "x")
    await arms.hands.rest()
    assert (await ours.ask("state"))["seats"][arms.hands.seat]["modifiers"] == GUARD
    theirs = await stage.window("bed.person")

    async def where() -> tuple[bool, bool, bool]:
        state = await theirs.ask("state")
        return (
            stage.sway.focus() == arms.id("bed.person"),
            stage.sway.focus(arms.hands.seat) == arms.id(PARKING_APP_ID),
            bool(state["activated"]),
        )

    await until_it_says(where, (True, True, True), "both seats are where they belong")


async def test_leaving_a_window_that_the_person_uses_too_keeps_it_active(arms: Arms) -> None:
    stage = arms.stage
    shared = await stage.window("bed.shared")
    await stage.window("bed.other")
    stage.focus("bed.shared")
    await arms.type("bed.shared", "x")
    assert await arms.hands.focus(arms.handle("bed.other"))
    await arms.connection.sync()
    assert (await shared.ask("state"))["activated"]
    stage.focus("bed.shared")
    await arms.type("bed.shared", "y")
    await arms.hands.rest()
    assert (await shared.ask("state"))["activated"]


async def test_a_window_that_opens_while_we_type_gets_none_of_it(arms: Arms) -> None:
    stage = arms.stage
    ours, person = await stage.window("bed.ours"), await stage.person()
    for _ in range(20):
        await arms.type("bed.ours", "abc")
        await person.ask("open", title="theirs", app_id="person")
        handle = arms.handle("bed.ours")
        await arms.hands.keys(handle, text_bursts("def")[0])
    assert await heard(ours, arms) == "abcdef" * 20
    assert (await person.ask("state"))[arms.hands.seat]["text"] == ""


async def test_a_closed_window_is_stale(arms: Arms) -> None:
    window = await arms.stage.window("bed.a")
    handle = arms.handle("bed.a")
    assert await arms.hands.focus(handle)
    await window.ask("close")
    with pytest.raises(SlateError) as caught:
        await arms.hands.keys(handle, text_bursts("x")[0])
    assert caught.value.code == "stale.window_gone"
    with pytest.raises(SlateError) as caught:
        await arms.hands.focus(handle)
    assert caught.value.code == "stale.window_gone"


async def test_windows_with_equal_titles_are_told_apart(arms: Arms) -> None:
    stage = arms.stage
    windows = [await stage.window(f"bed.{n}", title="the same") for n in range(3)]
    twins = [await stage.window("bed.twin", title="twin") for _ in range(2)]
    ids = [w["id"] for w in stage.sway.windows() if w["app_id"] == "bed.twin"]
    for place, window in enumerate(windows):
        await arms.type(f"bed.{place}", f"to {place}")
        assert await heard(window, arms) == f"to {place}"
    for place, id_ in enumerate(ids):
        node = next(w for w in stage.sway.windows() if w["id"] == id_)
        handle = Handle(node["foreign_toplevel_identifier"])
        assert await arms.hands.focus(handle)
        assert stage.sway.focus(arms.hands.seat) == id_
        await arms.hands.keys(handle, text_bursts(f"twin {place}")[0])
    assert sorted([await heard(twin, arms) for twin in twins]) == ["twin 0", "twin 1"]
