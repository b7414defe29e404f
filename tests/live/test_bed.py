"""The bed vouches for the other live tests, so it is tested first: that it sees, types and
reports what is there.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.live.bed.patience import until, until_it_says
from tests.live.bed.stage import Stage

pytestmark = pytest.mark.anyio


async def test_a_window_reports_the_keys_of_the_seat_that_typed(stage: Stage) -> None:
    window, person = await stage.window("bed.a"), await stage.person()
    stage.focus("bed.a")
    await person.ask("type", text="Hello, world!\n")
    state = await window.ask("state")
    assert state["seats"]["seat0"]["text"] == "Hello, world!\r"
    assert state["activated"]
    pressed = [
        event["symbol"] for event in window.take("key") if event["pressed"] and event["text"]
    ]
    assert pressed[:3] == ["H", "e", "l"]


@pytest.mark.parametrize(
    ("layout", "text"), [("de", "zyüß@€"), ("fr", "azerty yz ;:!?"), ("us", "azerty yz ;:!?")]
)
async def test_the_person_types_in_the_layout_they_chose(
    stage: Stage, layout: str, text: str
) -> None:
    window, person = await stage.window("bed.a"), await stage.person()
    stage.focus("bed.a")
    await person.ask("layout", layout=layout)
    await person.ask("type", text=text)
    assert (await window.ask("state"))["seats"]["seat0"]["text"] == text


async def test_a_window_reports_clicks_and_notches_where_they_happened(stage: Stage) -> None:
    window, person = await stage.window("bed.a"), await stage.person()
    await person.ask("move", x=200, y=100)
    await person.ask("click")
    await person.ask("scroll", notches=3)
    seat = (await window.ask("state"))["seats"]["seat0"]
    assert (seat["pointer"], seat["buttons"], seat["notches"]) == ([200.0, 100.0], 1, [3, 0])


async def test_the_person_reports_what_is_theirs(stage: Stage) -> None:
    await stage.window("bed.a")
    person = await stage.person()
    stage.focus("bed.a")
    await person.ask("copy", text="mine é\n")
    await person.ask("layout", layout="de")
    window = stage.sway.window("bed.a")
    report = await person.ask("report")
    assert report["clipboard"] == "mine é\n"
    assert ["German"] in report["layouts"]
    assert window is not None
    assert report["focus"] == window["id"]


async def test_what_the_person_keeps_typing_arrives_whole(stage: Stage) -> None:
    window, person = await stage.window("bed.a"), await stage.person()
    stage.focus("bed.a")
    await person.ask("keep_typing", phrase="the quick brown fox ", gap_s=0.002)
    await until(lambda: len(window.events) > 50, "some typing has happened")
    typed = await person.ask("stop_typing")
    assert typed
    assert (await window.ask("state"))["seats"]["seat0"]["text"] == typed


async def test_a_binding_of_the_persons_runs(stage: Stage) -> None:
    person = await stage.person()
    stage.sway.run('bindsym Mod4+9 workspace "bound"')
    await person.ask("chord", chord="super+9")
    focused = next(workspace for workspace in stage.sway.ask(1) if workspace["focused"])
    assert focused["name"] == "bound"


async def test_a_deaf_window_hears_everything_later(stage: Stage) -> None:
    window, person = await stage.window("bed.a"), await stage.person()
    stage.focus("bed.a")
    await window.ask("state")
    window.take()
    await window.ask("deaf", for_s=0.4)
    await person.ask("type", text="x")
    assert not window.take("key")
    await window.event("key", text="x")


async def test_a_window_closes_when_asked_unless_it_is_stubborn(stage: Stage) -> None:
    await stage.window("bed.meek")
    stubborn = await stage.window("bed.stubborn", stubborn=True)
    for name in ("bed.meek", "bed.stubborn"):
        stage.focus(name)
        stage.sway.run("kill")
    await until(lambda: stage.sway.window("bed.meek") is None, "the meek window is gone")
    await stubborn.event("asked_to_close")
    assert stage.sway.window("bed.stubborn") is not None


async def test_popups_open_where_they_are_put(stage: Stage) -> None:
    window = await stage.window("bed.a")
    await window.ask("popup", x=30, y=40, width=100, height=80, color=[1, 2, 3])
    popup = await window.event("popup")
    assert (popup["x"], popup["y"]) == (30, 40)


@pytest.mark.parametrize("version", [3, 4])
async def test_a_gtk_application_reads_back_what_was_typed(stage: Stage, version: int) -> None:
    app, person = await stage.gtk(version), await stage.person()
    stage.focus(f"bed.gtk{version}")
    await person.ask("type", text="typed by hand")
    await until_it_says(lambda: app.ask("text"), "typed by hand", "the text is in the view")
    await app.ask("clear")
    assert await app.ask("text") == ""


async def test_a_terminal_records_every_byte(stage: Stage, tmp_path: Path) -> None:
    record = tmp_path / "record"
    person = await stage.person()
    await stage.terminal(record)
    stage.focus("bed.foot")
    await person.ask("type", text="a'b\"c\\d\n")
    await until(lambda: record.read_bytes() == b"a'b\"c\\d\r", "the bytes are in the file")
