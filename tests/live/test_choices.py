"""Combo boxes of real programs: a choice by its name, and by opening the box and pressing an option."""

from __future__ import annotations

import re
import sys
from importlib.util import find_spec
from pathlib import Path

import anyio
import pytest

from tests.live.bed.agent import Agent, Reply
from tests.live.bed.boxes import PAGE, TITLE
from tests.live.bed.patience import START_S, until
from tests.live.bed.rows_web import chromium, firefox
from tests.live.bed.stage import Stage

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("daemon")]
BOX = r'combo box \(?"(?!Search)'
KINDS = ("gtk3", "gtk4", "qt5", "qt6", "firefox", "chromium")


async def opened(stage: Stage, kind: str, place: Path) -> None:
    """The program with one combo box, its window there."""
    page = place / "page.html"
    page.write_text(PAGE, encoding="utf-8")
    argv = [sys.executable, "-m", "tests.live.bed.boxes", kind]
    if kind in ("firefox", "chromium"):
        argv = {"firefox": firefox, "chromium": chromium}[kind](place / "p", page.as_uri())
    elif find_spec(f"PyQt{kind[-1]}" if kind.startswith("qt") else "gi") is None:
        pytest.skip(f"{kind} is not there for this Python")
    await stage.start(argv)
    await until(lambda: titled(stage, ""), "the window", deadline_s=START_S)


def titled(stage: Stage, more: str) -> bool:
    """Whether the title says that this is chosen."""
    return any(f"{TITLE}{more}" in str(window["name"]) for window in stage.sway.windows())


async def listed(agent: Agent, words: str) -> tuple[str, str]:
    """The ref and the line of the first element told in these words."""
    found = None
    reply: Reply | None = None
    with anyio.move_on_after(START_S):
        while found is None:
            reply = await agent.call("desktop_elements", target=TITLE)
            found = re.search(rf"^(e\d+) ({words}.*)$", reply.text, re.MULTILINE)
            await anyio.sleep(0.05)
    assert found is not None, reply.text if reply else ""
    return found.group(1), found.group(2)


@pytest.mark.parametrize("kind", KINDS)
async def test_a_choice_is_made_by_its_name_read_back_and_heard_by_the_program(
    stage: Stage, tmp_path: Path, kind: str
) -> None:
    agent = await stage.agent()
    await opened(stage, kind, tmp_path)
    for name, before in (("plum", "apple"), ("pear", "plum")):
        combo, line = await listed(agent, BOX)
        assert f'"{before}"' in line, line
        done = await agent.ok("desktop_element_set_text", element=combo, text=name)
        assert "verified: yes" in done.verdict, done.text
        await until(lambda name=name: titled(stage, f": {name}"), "the program heard of it")  # type: ignore[misc]  # of this round
    combo, line = await listed(agent, BOX)
    assert '"pear"' in line
    none = await agent.call("desktop_element_set_text", element=combo, text="mango")
    assert none.code == "bad_request.no_choice"
    assert '"quince"' in none.text
    assert titled(stage, ": pear")


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "chromium"])
async def test_a_box_is_opened_by_a_press_and_an_option_pressed_in_its_list(
    stage: Stage, tmp_path: Path, kind: str
) -> None:
    agent = await stage.agent()
    await opened(stage, kind, tmp_path)
    combo, _ = await listed(agent, BOX)
    await agent.ok("desktop_element_click", element=combo)
    reply = await agent.ok("desktop_elements", target=TITLE, query="quince")
    option = re.search(r'^(e\d+) (?:list|menu) item \(?"quince"', reply.text, re.MULTILINE)
    assert option is not None, reply.text
    await agent.ok("desktop_element_click", element=option.group(1))
    await until(lambda: titled(stage, ": quince"), "the program heard of it")
    assert len([w for w in stage.sway.windows() if TITLE in str(w["name"])]) == 1
