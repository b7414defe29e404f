"""Windows in every layout: what is covered is raised on the background and refused on the person's screen."""

from __future__ import annotations

from collections.abc import Callable

import anyio
import pytest

from tests.live.bed.agent import Agent
from tests.live.bed.patience import WAIT_S, until_it_says
from tests.live.bed.program import Program
from tests.live.bed.stage import Stage

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("daemon")]

UNDER, OVER = "bed.under", "bed.over"


def teller(stage: Stage) -> Callable[[str, str], None]:
    """Runs a command of sway's on a window."""

    def tell(name: str, words: str) -> None:
        window = stage.sway.window(name)
        assert window is not None
        stage.sway.run(f"[con_id={window['id']}] {words}")

    return tell


async def two(stage: Stage, *, background: bool) -> tuple[Agent, Program, Program]:
    """An agent and two windows beside each other."""
    agent = await stage.agent()
    under, over = await stage.window(UNDER), await stage.window(OVER)
    if background:
        await stage.window("bed.person")
        for name in (UNDER, OVER):
            await agent.ok("desktop_hide", window=name)
        # Of itself each is on an output of its own.
        await agent.ok("desktop_arrange", layout="side-by-side", windows=[UNDER, OVER])
    return agent, under, over


async def place(agent: Agent, name: str) -> list[int]:
    """The rectangle of a window's content, once sway has finished laying it out."""
    before: list[int] = []
    with anyio.fail_after(WAIT_S):
        while True:
            listed = (await agent.ok("desktop_windows")).outcome["windows"]
            found: list[int] = next(w["rect"] for w in listed if w["app_id"] == name)
            if found == before:
                return found
            before = found
            await anyio.sleep(0.1)


@pytest.mark.parametrize(
    "cover",
    [
        ("layout tabbed",),
        ("layout stacking",),
        ("floating enable", "resize set 1280 px 800 px", "move position 0 px 0 px"),
    ],
    ids=["tabbed", "stacked", "floating"],
)
async def test_a_covered_window_of_the_background_is_raised_and_hit_where_it_was(
    stage: Stage, cover: tuple[str, ...]
) -> None:
    agent, under, over = await two(stage, background=True)
    person = stage.sway.focus()
    for words in cover:
        teller(stage)(OVER, words)
    before = await place(agent, UNDER)
    for window, name in ((under, UNDER), (over, OVER), (under, UNDER)):
        window.take()
        await agent.ok("desktop_click", target=name, x=31, y=42, observe="none")
        await window.event("button", pressed=True, at=[31, 42])
    assert await place(agent, UNDER) == before
    assert stage.sway.focus() == person


async def test_nothing_is_raised_over_a_fullscreen_window_and_the_answer_names_it(
    stage: Stage,
) -> None:
    agent, under, over = await two(stage, background=True)
    teller(stage)(OVER, "fullscreen enable")
    reply = await agent.call("desktop_click", target=UNDER, x=31, y=42)
    assert reply.code == "unavailable.covered", reply.text
    assert OVER in reply.text
    for window in (under, over):
        await window.ask("state")
        assert not window.take("button")


@pytest.mark.parametrize(
    ("cover", "code"),
    [
        (("layout tabbed",), "unavailable.hidden"),
        (("layout stacking",), "unavailable.hidden"),
        (("fullscreen enable",), "unavailable.covered"),
        (("floating enable", "move absolute position 0 0"), "unavailable.covered"),
    ],
    ids=["tabbed", "stacked", "fullscreen", "floating"],
)
async def test_r23_on_the_persons_screen_what_is_covered_is_refused_and_left_as_it_is(
    stage: Stage, cover: tuple[str, ...], code: str
) -> None:
    agent, under, over = await two(stage, background=False)
    for words in cover:
        teller(stage)(OVER, words)
    person, tree = stage.sway.focus(), stage.sway.window(UNDER)
    reply = await agent.call("desktop_click", target=UNDER, x=31, y=42)
    assert reply.code == code, reply.text
    for window in (under, over):
        await window.ask("state")
        assert not window.take("button")
    after = stage.sway.window(UNDER)
    assert (tree, after) != (None, None)
    assert stage.sway.focus() == person


@pytest.mark.parametrize("border", ["normal 4", "pixel 5"])
async def test_r39_a_frame_over_a_window_is_no_part_of_it(stage: Stage, border: str) -> None:
    """A click on another window's title bar or border would act on that one: move, focus, resize it."""
    agent, under, over = await two(stage, background=False)
    tell = teller(stage)
    tell(UNDER, "border none")
    for words in (
        f"border {border}",
        "floating enable",
        "resize set 300 px 200 px",
        "move absolute position 100 px 200 px",
    ):
        tell(OVER, words)
    left, top, _, _ = await place(agent, OVER)
    x, y, _, _ = await place(agent, UNDER)
    reply = await agent.call("desktop_click", target=UNDER, x=left - x + 90, y=top - y - 2)
    assert reply.code == "unavailable.covered", reply.text
    await agent.ok("desktop_click", target=UNDER, x=left - x + 90, y=top - y - 40, observe="none")
    await under.event("button", pressed=True, at=[left - x + 90, top - y - 40])
    await over.ask("state")
    assert not over.take("button")


async def test_a_tab_behind_is_told_and_typed_into_without_being_shown(stage: Stage) -> None:
    agent, under, _ = await two(stage, background=False)
    teller(stage)(OVER, "layout tabbed")
    listed = (await agent.ok("desktop_windows")).outcome["windows"]
    assert next(w["tags"] for w in listed if w["app_id"] == UNDER) == ["tab behind"]
    await agent.ok("desktop_type", target=UNDER, text="quiet", observe="none")

    async def text() -> str:
        seats = (await under.ask("state"))["seats"]
        return "".join(facts["text"] for name, facts in seats.items() if name != "seat0")

    await until_it_says(text, "quiet", "what the tab heard")
    listed = (await agent.ok("desktop_windows")).outcome["windows"]
    assert "tab behind" in next(w["tags"] for w in listed if w["app_id"] == UNDER)
