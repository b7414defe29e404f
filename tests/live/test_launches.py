"""Programs an agent starts: their arguments, their input, their windows, and how long they live."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.live.bed.patience import until
from tests.live.bed.stage import SCREEN, Stage

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("daemon")]

NAME = "bed.launched"
FOOT = ["foot", f"--app-id={NAME}"]


async def test_r81_a_program_gets_exactly_the_arguments_it_was_given(
    stage: Stage, tmp_path: Path
) -> None:
    agent, seen = await stage.agent(), tmp_path / "argv"
    given = ["%s", 'a; b  "c"', "", "$HOME", "x\ny", "é漢🐱", "-c", "'"]
    code = "import json, sys; open(sys.argv[1], 'w').write(json.dumps(sys.argv[2:]))"
    await agent.call(
        "desktop_launch", argv=[sys.executable, "-c", code, str(seen), *given], timeout_s=2
    )
    await until(lambda: seen.exists() and seen.read_text().endswith("]"), "the program has written")
    assert json.loads(seen.read_text()) == given


async def test_r101_a_program_that_reads_its_input_holds_nothing_up(stage: Stage) -> None:
    agent = await stage.agent()
    for argv in (["cat"], [sys.executable, "-"]):
        reply = await agent.call("desktop_launch", argv=argv, timeout_s=2, deadline_s=8)
        assert "exit code 0" in reply.verdict, reply.text


async def test_a_launched_window_is_in_the_background_and_takes_no_focus(stage: Stage) -> None:
    agent = await stage.agent()
    await stage.window("bed.person")
    focus = stage.sway.focus()
    reply = await agent.ok("desktop_launch", argv=FOOT, timeout_s=30)
    window = await stage.shows(NAME)
    assert stage.sway.focus() == focus
    assert [one["app_id"] for one in reply.outcome["opened"]] == [NAME]
    shown = {output["name"]: output for output in stage.sway.ask(3)}
    assert shown[SCREEN]["rect"]["x"] + shown[SCREEN]["rect"]["width"] <= window["rect"]["x"]


async def test_r104_a_program_lives_on_when_the_agent_that_started_it_is_gone(stage: Stage) -> None:
    async with stage.connected() as agent:
        await agent.ok("desktop_launch", argv=FOOT, timeout_s=30)
    async with stage.connected() as agent:
        reply = await agent.ok("desktop_windows", match=NAME)
        assert NAME in reply.text
        await agent.ok("desktop_close", window=NAME)
    await until(lambda: stage.sway.window(NAME) is None, "it closed when asked")


async def test_r100_a_dbus_activatable_application_opens_on_this_compositor(stage: Stage) -> None:
    """The editor's desktop entry is D-Bus activatable; the session bus knows only this
    compositor.
    """
    agent = await stage.agent()
    reply = await agent.ok("desktop_launch", app="org.gnome.TextEditor", timeout_s=40)
    assert "verified: yes" in reply.verdict, reply.text
    await stage.shows("org.gnome.TextEditor")


async def test_r99_a_program_that_hands_over_is_told_as_such(stage: Stage) -> None:
    agent = await stage.agent()
    first = await agent.ok("desktop_launch", app="org.gnome.TextEditor", timeout_s=40)
    reply = await agent.call("desktop_launch", app="org.gnome.TextEditor", timeout_s=40)
    (old,) = first.outcome["opened"]
    # The editor's first instance brings its window forward or opens another, by its version; it
    # says of itself that it belongs to the first launch either way.
    assert "running already" in reply.verdict, reply.text
    assert old["ref"] in reply.outcome["handed_over"]
    told = reply.outcome.get("opened", []) + reply.outcome.get("windows", [])
    assert {one["ref"] for one in told} == set(reply.outcome["handed_over"])
    assert "verified: yes" not in reply.verdict


async def test_r79_a_title_full_of_commands_is_only_a_title(stage: Stage) -> None:
    agent = await stage.agent()
    evil = 'x, kill; workspace gone] [app_id="bed.other"] exec touch /nonexistent "\'\\'
    window, other = await stage.window("bed.evil", title=evil), await stage.window("bed.other")
    ref = next(
        one["ref"]
        for one in (await agent.ok("desktop_windows")).outcome["windows"]
        if one["title"] == evil
    )
    await agent.ok("desktop_focus", window=ref)
    await agent.ok("desktop_type", target=ref, text="only here")
    await agent.ok("desktop_window_set", window=ref, floating=True)
    await agent.ok("desktop_window_set", window=ref, floating=True, fullscreen=False)
    seats = (await window.ask("state"))["seats"]
    assert "only here" in [facts["text"] for facts in seats.values()]
    assert not any(facts["keys"] for facts in (await other.ask("state"))["seats"].values())
    await agent.ok("desktop_close", window=ref)
    await until(lambda: stage.sway.window(evil) is None, "the window is gone")
    assert stage.sway.window("bed.other") is not None
    assert "gone" not in {workspace["name"] for workspace in stage.sway.ask(1)}
