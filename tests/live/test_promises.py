"""The promises of an agent's seat, on a real sway with a person at work."""

from __future__ import annotations

import os
import signal
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import anyio
import pytest
from anyio.abc import Process

from tests.live.bed.agent import Agent
from tests.live.bed.patience import SLOW, WAIT_S, until, until_it_says
from tests.live.bed.program import Program
from tests.live.bed.stage import Stage

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("daemon")]

SEAT = "seat0"
BACKGROUND = "bed.agents"
PERSON = "bed.persons"
# A call that is refused because somebody else has the keyboard waits 2 s for that to end first.
PROMPT_ANSWER_S = 3.5 * SLOW


async def belongings(person: Program, window: Program) -> dict[str, Any]:
    """Everything that is the person's, as the compositor and their window have it."""
    heard = (await window.ask("state"))["seats"][SEAT]
    return {**await person.ask("report"), **heard}


async def in_background(stage: Stage) -> Program:
    """A window of the agent's, out of the person's sight."""
    window = await stage.window(BACKGROUND)
    node = await stage.shows(BACKGROUND)
    stage.sway.run(f"[con_id={node['id']}] move container to workspace agent")
    return window


async def at_work(stage: Stage) -> tuple[Program, Program]:
    """A person with a German keyboard in their window, something on their clipboard, pointer put
    down.
    """
    person, window = await stage.person(), await stage.window(PERSON)
    stage.focus(PERSON)
    await person.ask("layout", layout="de")
    await person.ask("copy", text="the person's own")
    await person.ask("move", x=333, y=222)
    return person, window


async def agents_seat(window: Program) -> dict[str, Any]:
    """What the agent's seats did to a window, added up: keys that are down, text, modifiers."""
    seats = (await window.ask("state"))["seats"]
    ours = [facts for name, facts in seats.items() if name != SEAT]
    return {
        "down": [key for facts in ours for key in facts["down"]],
        "text": "".join(facts["text"] for facts in ours),
        "buttons": sum(facts["buttons"] for facts in ours),
    }


ACTS: list[tuple[str, dict[str, Any]]] = [
    ("desktop_windows", {}),
    ("desktop_status", {}),
    ("desktop_screenshot", {"target": "screen"}),
    ("desktop_screenshot", {"target": BACKGROUND}),
    ("desktop_focus", {"window": BACKGROUND}),
    ("desktop_type", {"target": BACKGROUND, "text": "Hello, Wörld 漢字 🐱\n"}),
    ("desktop_key", {"target": BACKGROUND, "keys": ["ctrl+a", "super+1", "alt+Tab", "Escape"]}),
    ("desktop_move", {"target": BACKGROUND, "x": 20, "y": 20}),
    ("desktop_click", {"target": BACKGROUND, "x": 30, "y": 30, "count": 2}),
    (
        "desktop_click",
        {"target": BACKGROUND, "x": 30, "y": 30, "button": "right", "modifiers": ["ctrl"]},
    ),
    ("desktop_scroll", {"target": BACKGROUND, "x": 30, "y": 30, "down": 3, "right": -2}),
    ("desktop_drag", {"target": BACKGROUND, "path": [[20, 20], [90, 60]]}),
    ("desktop_clipboard_set", {"text": "the agent's own"}),
    ("desktop_key", {"target": BACKGROUND, "keys": ["ctrl+v"]}),
    ("desktop_clipboard_get", {}),
    ("desktop_show", {"window": BACKGROUND}),
    ("desktop_hide", {"window": BACKGROUND}),
    ("desktop_window_set", {"window": BACKGROUND, "floating": True, "rect": None}),
    ("desktop_window_set", {"window": BACKGROUND, "floating": False}),
    ("desktop_arrange", {"layout": "tabbed"}),
    ("desktop_launch", {"argv": ["foot", "--app-id=bed.launched"], "timeout_s": 30}),
    ("desktop_close", {"window": "bed.launched"}),
]


@pytest.mark.promise("person-untouched")
async def test_an_agent_at_work_leaves_everything_of_the_persons_alone(stage: Stage) -> None:
    """Also rows R12 (layout), R20 (a launched window takes no focus) and R96 (clipboard)."""
    agent = await stage.agent()
    await in_background(stage)
    person, window = await at_work(stage)
    stage.sway.run("bindsym Mod4+1 workspace stolen")
    before = await belongings(person, window)
    for tool, arguments in ACTS:
        given = {name: value for name, value in arguments.items() if value is not None}
        await agent.ok(tool, **given)
        assert await belongings(person, window) == before, f"after {tool} {given}"


@pytest.mark.promise("person-untouched")
async def test_r20_the_persons_typing_stays_whole_while_the_agent_launches(stage: Stage) -> None:
    agent = await stage.agent()
    person, window = await at_work(stage)
    await window.ask("forget")
    await person.ask("keep_typing", phrase="aaaa bbbb cccc ", gap_s=0.005)
    for number in range(3):
        argv = ["foot", f"--app-id=bed.launched{number}"]
        await agent.ok("desktop_launch", argv=argv, timeout_s=30)
        await agent.ok("desktop_type", target=f"bed.launched{number}", text="typed by the agent")
    typed = await person.ask("stop_typing")
    assert len(typed) > 20
    state = (await window.ask("state"))["seats"]
    assert state[SEAT]["text"] == typed
    assert [facts["keys"] for name, facts in state.items() if name != SEAT and facts["keys"]] == []


Ending = Callable[[Agent, int], Awaitable[None]]


async def cancel(agent: Agent, call: int) -> None:
    """The client takes its call back."""
    await agent.cancel(call)


async def kill(agent: Agent, call: int) -> None:
    """The client's front dies."""
    agent.process.kill()


async def hang_up(agent: Agent, call: int) -> None:
    """The client closes its end."""
    assert agent.process.stdin is not None
    await agent.process.stdin.aclose()


@pytest.mark.promise("released-after-cancel")
@pytest.mark.parametrize("ending", [cancel, kill, hang_up], ids=lambda it: str(it.__name__))
async def test_r14_what_is_held_is_released_when_a_call_ends_early(
    stage: Stage, ending: Ending
) -> None:
    """Also R113 (a cancelled call lets go) and R117 (a client that is gone)."""
    agent = await stage.agent()
    window = await in_background(stage)
    call = await agent.post("desktop_key", target=BACKGROUND, keys=["ctrl+shift+a"], hold_s=10)
    await window.event("key", pressed=True)
    await ending(agent, call)

    async def down() -> Any:
        return (await agents_seat(window))["down"]

    await until_it_says(down, [], "no key is down", deadline_s=1.5 * SLOW)
    seats = (await window.ask("state"))["seats"]
    # Mod3 (32) is ours for the seat's whole life: it keeps sway's bindings from matching.
    assert all(facts["modifiers"][0] in (0, 32) for facts in seats.values()), seats


@pytest.mark.promise("released-after-cancel")
async def test_r32_a_button_is_released_when_the_click_is_cancelled(stage: Stage) -> None:
    agent = await stage.agent()
    window = await in_background(stage)
    call = await agent.post("desktop_click", target=BACKGROUND, x=30, y=30, hold_s=10)
    await window.event("button", pressed=True)
    await agent.cancel(call)
    await window.event("button", pressed=False)


@pytest.mark.promise("no-typing-elsewhere")
async def test_nothing_is_typed_while_a_launcher_has_the_keyboard(stage: Stage) -> None:
    """Row R24: no focus on our seat means nothing is sent."""
    agent = await stage.agent()
    window = await in_background(stage)
    await stage.person()
    await stage.start(["fuzzel", "--dmenu"])
    await until(
        lambda: stage.sway.focus() == 0, "the launcher has the keyboard", deadline_s=20 * SLOW
    )
    reply = await agent.call(
        "desktop_type", target=BACKGROUND, text="not now", deadline_s=PROMPT_ANSWER_S
    )
    assert reply.code == "unavailable.person_prompt", reply.text
    assert (await agents_seat(window))["text"] == ""
    assert stage.sway.focus() == 0, "the launcher is still there"


@pytest.mark.promise("no-typing-elsewhere")
async def test_windows_that_open_while_the_agent_types_get_none_of_it(stage: Stage) -> None:
    agent = await stage.agent()
    target = await in_background(stage)
    person, _ = await at_work(stage)
    text = "the quick brown fox jumps over the lazy dog " * 20
    call = await agent.post("desktop_type", target=BACKGROUND, text=text)
    for number in range(10):
        await person.ask("open", title=f"p{number}", app_id="bed.more")
    reply = await agent.answer(call)
    assert not reply.error, reply.text
    assert (await agents_seat(target))["text"] == text
    heard = await person.ask("state")
    assert [facts["keys"] for name, facts in heard.items() if name != SEAT and facts["keys"]] == []


@pytest.mark.promise("stale-ref-never-acts")
async def test_a_ref_to_a_window_that_is_gone_acts_on_nothing(stage: Stage) -> None:
    agent = await stage.agent()
    window, other = await in_background(stage), await stage.window("bed.other")
    ref = await ref_of(agent, BACKGROUND)
    await window.ask("close")
    await until(lambda: stage.sway.window(BACKGROUND) is None, "the window is gone")
    for tool, given in (
        ("desktop_type", {"text": "x"}),
        ("desktop_key", {"keys": ["x"]}),
        ("desktop_click", {"x": 5, "y": 5}),
    ):
        reply = await agent.call(tool, target=ref, **given)
        assert reply.code == "stale.window_gone", reply.text
    assert (await agents_seat(other)) == {"down": [], "text": "", "buttons": 0}


@pytest.mark.promise("stale-ref-never-acts")
async def test_a_ref_of_another_connection_acts_on_nothing(stage: Stage) -> None:
    window = await in_background(stage)
    first, second = await stage.agent(), await stage.agent()
    ref = await ref_of(first, BACKGROUND)
    reply = await second.call("desktop_type", target=ref, text="x")
    assert reply.code == "stale.unknown_ref", reply.text
    assert (await agents_seat(window))["text"] == ""


async def ref_of(agent: Agent, app_id: str) -> str:
    """The ref an agent is given for a window."""
    reply = await agent.ok("desktop_windows")
    return next(str(one["ref"]) for one in reply.outcome["windows"] if one["app_id"] == app_id)


@pytest.mark.promise("every-call-has-a-deadline")
@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("desktop_windows", {}),
        ("desktop_screenshot", {"target": "screen"}),
        ("desktop_type", {"target": BACKGROUND, "text": "x" * 300}),
        ("desktop_click", {"target": BACKGROUND, "x": 5, "y": 5}),
        ("desktop_wait", {"window": "never", "timeout_s": 1}),
    ],
    ids=lambda it: it if isinstance(it, str) else "",
)
async def test_r83_a_frozen_compositor_is_answered_in_time_and_survived(
    stage: Stage, tool: str, given: dict[str, Any]
) -> None:
    agent = await stage.agent()
    window = await in_background(stage)
    await agent.ok("desktop_windows")
    os.kill(stage.session.sway_pid, signal.SIGSTOP)
    try:
        reply = await agent.call(tool, deadline_s=5 * SLOW, **given)
    finally:
        os.kill(stage.session.sway_pid, signal.SIGCONT)
    assert reply.code.startswith("unavailable."), reply.text
    await until_fine(agent)
    await window.ask("forget")
    await agent.ok("desktop_type", target=BACKGROUND, text="fine again")
    assert (await agents_seat(window))["text"] == "fine again"


async def until_fine(agent: Agent) -> None:
    """The desktop answers again."""

    async def error() -> bool:
        return (await agent.call("desktop_windows")).error

    await until_it_says(
        error, wanted=False, what="the windows are listed again", deadline_s=2 * WAIT_S
    )


@pytest.mark.promise("every-call-has-a-deadline")
async def test_waiting_for_what_never_comes_ends_in_time(stage: Stage) -> None:
    agent = await stage.agent()
    reply = await agent.call("desktop_wait", window="never", timeout_s=0.5, deadline_s=2 * SLOW)
    assert "verified: no" in reply.verdict
    argv = ["sleep", "30"]
    reply = await agent.call("desktop_launch", argv=argv, timeout_s=0.5, deadline_s=3 * SLOW)
    assert "verified: no" in reply.verdict, reply.text


async def test_the_daemon_survived_all_of_it(daemon: Process) -> None:
    with suppress(TimeoutError), anyio.fail_after(0.05):
        await daemon.wait()
    assert daemon.returncode is None
