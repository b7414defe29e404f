"""Elements of real programs through the whole path: listed, read, pressed, set, typed into and waited for."""

from __future__ import annotations

import os
import re
import signal
import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import anyio
import pytest

from tests.live.bed import program
from tests.live.bed.agent import Agent
from tests.live.bed.patience import until_it_says
from tests.live.bed.stage import SCREEN, Stage
from tests.soak import elements
from tests.soak.strings import difference

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("daemon")]
SLACK_S = 1.5  # what a busy machine may add to a bound in seconds
SEED = 20  # fixed, so that a failure is a change of ours and not of the dice


async def ref(agent: Agent, window: str, words: str) -> str:
    """The ref of the first element of a listing that is told in these words: `push button "Press me"`."""
    reply = await agent.ok("desktop_elements", target=window)
    found = re.search(rf"^(e\d+) {re.escape(words)}", reply.text, re.MULTILINE)
    assert found is not None, reply.text
    return found.group(1)


@pytest.mark.parametrize("version", [3, 4])
async def test_gtk_is_listed_pressed_set_read_and_waited_for(stage: Stage, version: int) -> None:
    agent, app = await stage.agent(), await stage.gtk(version)
    name = f"bed.gtk{version}"
    button, entry = await ref(agent, name, 'push button "Press me"'), await ref(agent, name, "text")
    pressed = await agent.ok("desktop_element_click", element=button)
    assert "by its action" in pressed.verdict
    await until_it_says(lambda: app.ask("clicked"), ["button"], "the button was pressed")
    done = await agent.ok("desktop_element_set_text", element=entry, text="árvíz 🐱")
    assert "verified: yes" in done.verdict
    assert await app.ask("text", part="entry") == "árvíz 🐱"
    text = await agent.ok("desktop_read", target=name)
    assert '"árvíz 🐱"' in text.text
    waited = await agent.ok("desktop_wait", target=name, text="Press me", timeout_s=5)
    assert "verified: yes" in waited.verdict


@pytest.mark.parametrize("version", [3, 4])
@pytest.mark.parametrize("text", ["Mississippi bookkeeper", "first.last+tag@example.com"])
async def test_r01_r07_typing_is_read_back_by_another_path(
    stage: Stage, version: int, text: str
) -> None:
    agent, app = await stage.agent(), await stage.gtk(version)
    await app.ask("focus", part="view")
    reply = await agent.ok("desktop_type", target=f"bed.gtk{version}", text=text)
    assert "verified: yes, the field reads back the same text" in reply.verdict
    assert difference(text, await app.ask("text")) == ""


async def test_r65_a_menus_items_come_with_the_answer_that_opened_it(stage: Stage) -> None:
    agent, app = await stage.agent(), await stage.gtk(3)
    menu = await ref(agent, "bed.gtk3", 'menu "File"')
    opened = await agent.ok("desktop_element_click", element=menu)
    item = re.search(r'^\+ (e\d+) menu item "Second"', opened.text, re.MULTILINE)
    assert item is not None, opened.text
    await agent.ok("desktop_element_click", element=item.group(1), observe="none")
    await until_it_says(lambda: app.ask("clicked"), ["menu Second"], "the item was used")


async def test_r54_a_terminal_is_said_to_have_no_elements_at_once(stage: Stage) -> None:
    agent = await stage.agent()
    await stage.start(["foot", "--app-id=bed.foot"])
    await stage.shows("bed.foot")
    with anyio.fail_after(2):
        reply = await agent.call("desktop_elements", target="bed.foot")
    assert reply.code == "unavailable.no_tree"
    assert "desktop_screenshot" in reply.text


async def test_r52_a_click_on_a_listed_box_lands_on_its_widget(stage: Stage) -> None:
    agent = await stage.agent()
    for version in (3, 4):
        app = await stage.gtk(version)
        reply = await agent.ok("desktop_elements", target=f"bed.gtk{version}", query="Press me")
        box = re.search(r'push button "Press me" (\d+),(\d+) (\d+)x(\d+)', reply.text)
        assert box is not None, reply.text
        x, y, width, height = map(int, box.groups())
        point = {"target": f"bed.gtk{version}", "x": x + width / 2, "y": y + height / 2}
        await agent.ok("desktop_move", **point)  # GTK 4 loses a press that comes with the pointer
        await agent.ok("desktop_click", **point)
        clicked = partial(app.ask, "clicked")
        await until_it_says(clicked, ["button"], "the button was hit")


async def test_r38_on_a_screen_of_scale_2_an_element_is_hit_by_its_ref_and_by_its_box(
    stage: Stage,
) -> None:
    agent = await stage.agent()
    stage.acts.callback(stage.sway.run, f"output {SCREEN} scale 1")
    stage.sway.run(f"output {SCREEN} scale 2")
    for version in (3, 4):
        name, app = f"bed.gtk{version}", await stage.gtk(version)
        clicked = partial(app.ask, "clicked")
        button = await ref(agent, name, 'push button "Press me"')
        await agent.ok("desktop_click", target=button)  # by the pointer
        await until_it_says(clicked, ["button"], "the button was hit")
        await app.ask("clear")
        reply = await agent.ok("desktop_elements", target=name, query="Press me")
        box = re.search(r'push button "Press me" (?:\w+ )*(\d+),(\d+) (\d+)x(\d+)', reply.text)
        assert box is not None, reply.text
        x, y, width, height = map(int, box.groups())
        frame = (await agent.ok("desktop_screenshot", target=name)).outcome["frame"]
        place = {"x": x + width / 2 - frame["origin"][0], "y": y + height / 2 - frame["origin"][1]}
        await agent.ok("desktop_click", target=frame["ref"], **place)
        await until_it_says(clicked, ["button"], "the same place in the picture is the button")


async def test_r66_a_list_of_ten_thousand_rows_is_read_in_part_and_stays_alive(
    stage: Stage,
) -> None:
    agent = await stage.agent()
    running = program.running(
        "long_gtk3",
        "bed long",
        "10000",
        tasks=stage.tasks,
        env=stage.env,
        log=stage.log,
        first="alive",
    )
    async with running as app:
        await stage.shows("bed.long")
        with anyio.fail_after(5):
            first = await agent.ok("desktop_elements", target="bed.long", query="row 1")
        assert "of 20002 children read" in first.verdict
        assert "desktop_scroll" in first.text
        with anyio.fail_after(5):
            waited = await agent.ok(
                "desktop_wait", target="bed.long", element="row 9999", timeout_s=1
            )
        assert "verified: no" in waited.verdict
        with anyio.fail_after(0.5):
            assert await app.ask("alive")
        for _ in range(3):
            await agent.ok("desktop_scroll", target="bed.long", x=300, y=300, down=100)
        shown = await agent.ok("desktop_elements", target="bed.long")
        numbers = [int(n) for n in re.findall(r'table cell "row (\d+)" \d', shown.text)]
        assert max(numbers) > 110, shown.text  # the first two hundred cells end with row 99


@pytest.mark.promise("stale-ref-never-acts")
async def test_r63_no_other_row_is_ever_clicked(stage: Stage) -> None:
    assert await elements.run(stage, 18, SEED, ("gtk3", "gtk4", "qt"))


@contextmanager
def stopped(pid: int) -> Iterator[None]:
    """A process that hangs for a block."""
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


@pytest.mark.promise("every-call-has-a-deadline")
@pytest.mark.parametrize("version", [3, 4])
async def test_r82_a_program_that_hangs_costs_two_seconds_and_is_named(
    stage: Stage, version: int
) -> None:
    agent, _ = await stage.agent(), await stage.gtk(version)
    name = f"bed.gtk{version}"
    button = await ref(agent, name, 'push button "Press me"')
    shown = stage.sway.window(name)
    assert shown is not None
    with stopped(shown["pid"]):
        for call in (
            partial(agent.call, "desktop_elements", target=name),
            partial(agent.call, "desktop_read", target=name),
            partial(agent.call, "desktop_element_click", element=button),
        ):
            started = anyio.current_time()
            reply = await call()
            assert reply.code == "unavailable.frozen", reply.text
            assert name in reply.text
            assert anyio.current_time() - started < 2 + SLACK_S
    await agent.ok("desktop_element_click", element=button)


async def test_a_program_that_hangs_does_not_keep_another_from_being_read(stage: Stage) -> None:
    one, other, _ = await stage.agent(), await stage.agent(), await stage.gtk(3)
    await stage.gtk(4)
    await ref(one, "bed.gtk4", 'push button "Press me"')
    shown = stage.sway.window("bed.gtk3")
    assert shown is not None
    with stopped(shown["pid"]):
        async with anyio.create_task_group() as tasks:
            hangs = partial(one.call, "desktop_elements", target="bed.gtk3")
            tasks.start_soon(hangs)
            with anyio.fail_after(2 + SLACK_S):
                for _ in range(5):
                    await ref(other, "bed.gtk4", 'push button "Press me"')


async def test_r69_a_bus_that_hangs_is_told_in_time_and_used_again_once_it_answers(
    stage: Stage,
) -> None:
    agent, _ = await stage.agent(), await stage.gtk(3)
    await ref(agent, "bed.gtk3", 'push button "Press me"')
    address = stage.session.a11y_address
    assert address is not None
    with stopped(peer(address)):
        for _ in range(2):
            started = anyio.current_time()
            reply = await agent.call("desktop_elements", target="bed.gtk3")
            assert reply.code == "unavailable.no_bus", reply.text
            assert "desktop_screenshot" in reply.text
            assert anyio.current_time() - started < 2 + SLACK_S
        await agent.ok("desktop_screenshot", target="bed.gtk3")
    await ref(agent, "bed.gtk3", 'push button "Press me"')


def peer(address: str) -> int:
    """The process that listens at the address of a bus."""
    path = address.removeprefix("unix:path=").partition(",")[0]
    with socket.socket(socket.AF_UNIX) as asking:
        asking.connect(path)
        told = asking.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
    return int(struct.unpack("3i", told)[0])
