"""The agent's own clipboard on a real sway, beside the person's."""

from __future__ import annotations

import hashlib
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from tests.live.bed.patience import until_it_says
from tests.live.bed.program import Program
from tests.live.bed.stage import Stage

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("daemon")]


async def view(editor: Program) -> str:
    """What the text view holds."""
    return str(await editor.ask("text"))


@pytest.mark.promise("person-untouched")
async def test_r96_two_seats_have_two_clipboards(stage: Stage) -> None:
    agent = await stage.agent()
    person = await stage.person()
    await person.ask("copy", text="USER")
    assert "is empty" in (await agent.ok("desktop_clipboard_get")).text
    await agent.ok("desktop_clipboard_set", text="AGENT")
    assert '"AGENT"' in (await agent.ok("desktop_clipboard_get")).text
    assert (await person.ask("report"))["clipboard"] == "USER"


async def test_r87_filling_it_again_and_again_leaves_nothing_waiting(stage: Stage) -> None:
    agent = await stage.agent()
    for number in range(20):
        reply = await agent.call("desktop_clipboard_set", text=f"hi {number}", deadline_s=1)
        assert "verified: yes" in reply.text
    assert '"hi 19"' in (await agent.ok("desktop_clipboard_get")).text


@pytest.mark.promise("person-untouched")
async def test_r95_reading_it_again_and_again_costs_the_person_no_key(stage: Stage) -> None:
    agent, mine, person = await stage.agent(), await stage.window("bed.mine"), await stage.person()
    await agent.ok("desktop_clipboard_set", text="AGENT")
    focus = stage.sway.focus()
    await person.ask("keep_typing", phrase="mine ")
    for _ in range(20):
        await agent.ok("desktop_clipboard_get")
    typed = await person.ask("stop_typing")

    async def heard() -> str:
        return str((await mine.ask("state"))["seats"]["seat0"]["text"])

    await until_it_says(heard, typed, "the person's text")
    assert stage.sway.focus() == focus
    assert "seat0" not in {left["seat"] for left in mine.take("key_leave")}


@pytest.mark.parametrize("text", ["a", " ", "MM and more", "línea\n漢字 🐱"])
async def test_r88_r89_what_was_filled_in_is_pasted_as_text(stage: Stage, text: str) -> None:
    agent = await stage.agent()
    editor = await stage.gtk(3)
    await editor.ask("clear")
    await agent.ok("desktop_clipboard_set", text=text)
    await agent.ok("desktop_key", target="bed.gtk3", keys=["ctrl+v"])
    await until_it_says(lambda: view(editor), text, "the text view")


@pytest.mark.promise("person-untouched")
@pytest.mark.parametrize("version", [3, 4])
async def test_r96_an_agent_that_copies_in_a_window_leaves_the_persons_clipboard_alone(
    stage: Stage, version: int
) -> None:
    """GTK copies for the first seat it met, which is the person's unless the agent opened the window."""
    agent = await stage.agent()
    person = await stage.person()
    await person.ask("copy", text="USER")
    editor, target = await stage.gtk(version), f"bed.gtk{version}"
    await agent.ok("desktop_type", target=target, text="cópied 漢")
    await until_it_says(lambda: view(editor), "cópied 漢", "the text view")
    await agent.ok("desktop_key", target=target, keys=["ctrl+a", "ctrl+c"])
    await agent.ok("desktop_wait", target=target, still_s=0.3)
    assert (await person.ask("report"))["clipboard"] == "USER"


async def test_r94_a_picture_and_ten_megabytes_come_back_unchanged(
    stage: Stage, tmp_path: Path
) -> None:
    agent = await stage.agent()
    out = BytesIO()
    Image.effect_noise((300, 200), 90).convert("RGB").save(out, "PNG")
    picture = tmp_path / "noise.png"
    picture.write_bytes(out.getvalue())
    await agent.ok("desktop_clipboard_set", file=str(picture))
    ((_, data),) = (await agent.ok("desktop_clipboard_get")).pictures
    assert data == out.getvalue()
    text = "0123456789abcde\n" * (10 * 1024 * 1024 // 16)
    await agent.ok("desktop_clipboard_set", text=text)
    reply = await agent.ok("desktop_clipboard_get")
    assert reply.outcome["sha256"] == hashlib.sha256(text.encode()).hexdigest()


async def test_what_was_copied_is_forgotten_when_the_agent_leaves(stage: Stage) -> None:
    async with stage.connected() as first:
        await first.ok("desktop_clipboard_set", text="mine alone")
    for _ in range(3):  # whichever seat they get
        async with stage.connected() as later:
            assert "is empty" in (await later.ok("desktop_clipboard_get")).text
