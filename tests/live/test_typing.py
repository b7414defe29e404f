"""What an agent types through the whole path, against applications that say what they got."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.live.bed.patience import until_it_says
from tests.live.bed.stage import Stage
from tests.soak.strings import difference

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("daemon")]

OPTIONS = "-M -P -k Return"  # R01: texts that look like a typing tool's options
DOUBLES = "Mississippi bookkeeper"
MAIL = "first.last+tag@example.com"
HUNGARIAN = "árvíztűrő tükörfúrógép"
LITERAL = r"C:\temp\new \x41 \u0041 100%s %d $HOME `id` 'a' \\"
SCRIPTS = "πο Ωω őű жщ 漢字 🐱"
TEXTS = [OPTIONS, DOUBLES, MAIL, HUNGARIAN, LITERAL, SCRIPTS]


@pytest.mark.parametrize("version", [3, 4])
async def test_r01_r05_r07_r08_r10_texts_that_others_lost_arrive_in_gtk(
    stage: Stage, version: int
) -> None:
    agent, app = await stage.agent(), await stage.gtk(version)
    for text in TEXTS:
        await app.ask("clear")
        await agent.ok("desktop_type", target=f"bed.gtk{version}", text=text, observe="none")
        await until_it_says(lambda: app.ask("text"), text, "the text is in the view")


async def test_r01_r05_r07_r08_r10_texts_that_others_lost_arrive_in_a_terminal(
    stage: Stage, tmp_path: Path
) -> None:
    agent, record = await stage.agent(), tmp_path / "record"
    await stage.terminal(record)
    for text in TEXTS:
        await agent.ok("desktop_type", target="bed.foot", text=text, observe="none")
    wanted = "".join(TEXTS)

    async def parts() -> str:
        return difference(wanted, record.read_text(encoding="utf-8", errors="replace"))

    await until_it_says(parts, "", "all texts are in the record")


@pytest.mark.parametrize("layout", ["fr", "de"])
async def test_r09_r12_the_persons_layout_changes_nothing_and_is_not_changed(
    stage: Stage, layout: str
) -> None:
    agent, window, person = await stage.agent(), await stage.window("bed.a"), await stage.person()
    stage.focus("bed.a")
    await person.ask("layout", layout=layout)
    await person.ask("type", text="a")
    before = await person.ask("report")
    text = "azerty yz ;:!?"
    await agent.ok("desktop_type", target="bed.a", text=text, observe="none")
    during = await person.ask("report")
    seats = (await window.ask("state"))["seats"]
    assert "".join(facts["text"] for name, facts in seats.items() if name != "seat0") == text
    assert during == before


async def test_r27_typing_goes_on_after_the_person_has_visited_the_window(stage: Stage) -> None:
    """The person's leaving takes the window's activated state away, though our seat never left it."""
    agent = await stage.agent()
    await stage.person()
    window = await stage.window("bed.a")
    await stage.window("bed.b")
    for text in ("one", "two", "three"):
        await agent.ok("desktop_type", target="bed.a", text=text, observe="none")
        stage.focus("bed.a")
        stage.focus("bed.b")
    seats = (await window.ask("state"))["seats"]
    assert "onetwothree" in [facts["text"] for facts in seats.values()]


async def test_typing_goes_on_after_the_person_has_left_for_an_empty_workspace(
    stage: Stage,
) -> None:
    agent, window = await stage.agent(), await stage.window("bed.a")
    await agent.ok("desktop_type", target="bed.a", text="one", observe="none")
    stage.focus("bed.a")
    await stage.clear()
    await agent.ok("desktop_type", target="bed.a", text="two", observe="none")
    seats = (await window.ask("state"))["seats"]
    assert "onetwo" in [facts["text"] for facts in seats.values()]


async def test_r16_a_window_opened_after_an_agent_has_left_still_has_a_keymap(stage: Stage) -> None:
    """One keyboard lives as long as its seat, so no client is told modifiers without a keymap."""
    await stage.window("bed.a")
    async with stage.connected() as agent:
        await agent.ok("desktop_type", target="bed.a", text="x", observe="none")
    window = await stage.window("bed.b")
    agent = await stage.agent()
    await agent.ok("desktop_type", target="bed.b", text="y", observe="none")
    await window.ask("state")
    met: set[str] = set()
    for event in window.take("keymap", "modifiers"):
        if event["kind"] == "keymap":
            met.add(event["seat"])
        assert event["seat"] in met, event
