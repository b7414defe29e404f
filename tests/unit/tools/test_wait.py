"""The waiting tool on fakes."""

from __future__ import annotations

import anyio
import pytest

from slate_desktop.errors import BadRequest, Unavailable
from slate_desktop.geometry import Rect, Size
from slate_desktop.render import Reply
from slate_desktop.tools.elements import TOOLS as ELEMENT_TOOLS
from slate_desktop.tools.wait import TOOLS
from slated.toolspec import parse
from tests.fakes.ports import Bench, bench, desktop, element, frame, on_screen, pixels, window

pytestmark = pytest.mark.anyio

SPECS = {spec.name: spec for spec in (*TOOLS, *ELEMENT_TOOLS)}
SMALL = window(2, rect=Rect(0, 5800, 100, 50))


def stage() -> Bench:
    made = bench(desktop(on_screen(1), SMALL))
    made.eyes.pictures["h2"] = [pixels(Size(100, 50), 3)]
    return made


async def called(made: Bench, tool: str, **arguments: object) -> Reply:
    spec = SPECS[tool]
    answer: Reply = await spec.handler(made.lease, parse(spec, arguments))
    return answer


async def test_a_wait_that_is_met_already_answers_at_once() -> None:
    made = stage()
    answer = await called(made, "desktop_wait", window="app.2", target="app.2", title="TITLE 2")
    assert "verified: yes" in answer.text
    assert '"app.2"' in answer.text.splitlines()[1]


async def test_a_wait_ends_when_the_window_comes_or_goes() -> None:
    made = stage()
    made.windows.on_change = [lambda: made.windows.put(on_screen(1), SMALL, window(5))]
    assert "verified: yes" in (await called(made, "desktop_wait", window="app.5")).text
    ref = made.lease.sightings.see(SMALL)
    made.windows.on_change = [lambda: made.windows.put(on_screen(1))]
    assert "verified: yes" in (await called(made, "desktop_wait", gone=ref)).text


@pytest.mark.promise("every-call-has-a-deadline")
async def test_a_wait_in_vain_ends_at_its_time_and_says_what_is_missing() -> None:
    with anyio.fail_after(1):
        answer = await called(stage(), "desktop_wait", window="never", timeout_s=0.05)
    assert 'verified: no, not yet: a window "never"' in answer.text
    assert answer.facts["verified"] == "no"


async def test_stillness_is_asked_of_the_windows_pictures() -> None:
    assert (
        "verified: yes" in (await called(stage(), "desktop_wait", target="app.2", still_s=0.1)).text
    )


@pytest.mark.parametrize(
    "arguments",
    [{}, {"title": "x", "target": "screen"}, {"window": "x", "timeout_s": 600}, {"state": "on"}],
)
async def test_what_makes_no_sense_is_said(arguments: dict[str, object]) -> None:
    with pytest.raises(BadRequest) as caught:
        await called(stage(), "desktop_wait", **arguments)
    assert caught.value.next_step


async def test_a_wait_ends_when_an_element_comes_and_gives_its_ref() -> None:
    made = stage()
    made.widgets.trees["h2"] = frame(element("Cancel"))

    def third(count: int) -> None:
        if count == 3:
            made.widgets.trees["h2"] = frame(element("Cancel"), element("Done"))

    made.widgets.on_look = third
    answer = await called(made, "desktop_wait", target="app.2", element="don", role="button")
    assert "verified: yes" in answer.text
    assert answer.text.splitlines()[1].startswith('e1 push button "Done"')


async def test_a_wait_for_a_state_of_one_element_looks_at_that_one() -> None:
    made = stage()
    made.widgets.trees["h2"] = frame(
        element("Agree", "check box"), element("Other", "check box", "checked")
    )
    await called(made, "desktop_elements", target="app.2")

    def second(count: int) -> None:
        if count > 4:
            made.widgets.trees["h2"] = frame(
                element("Agree", "check box", "checked"), element("Other", "check box")
            )

    made.widgets.on_look = second
    answer = await called(made, "desktop_wait", target="e1", state="checked")
    assert "verified: yes" in answer.text
    assert made.widgets.looks > 4


async def test_a_wait_for_a_text_or_an_element_to_go() -> None:
    made = stage()
    made.widgets.trees["h2"] = frame(element("Loading", "label"), element("Stop"))
    await called(made, "desktop_elements", target="app.2")

    def later(count: int) -> None:
        if count > 3:
            made.widgets.trees["h2"] = frame(element("Ready", "label"))

    made.widgets.on_look = later
    answer = await called(made, "desktop_wait", target="app.2", gone="Loading", text="Ready")
    assert "verified: yes" in answer.text
    gone = await called(made, "desktop_wait", target="app.2", gone="e1")
    assert "verified: yes" in gone.text


async def test_a_wait_for_an_element_where_none_will_ever_be_ends_at_once() -> None:
    with pytest.raises(Unavailable) as caught, anyio.fail_after(1):
        await called(stage(), "desktop_wait", target="app.2", element="OK")
    assert caught.value.code == "unavailable.no_tree"


async def test_r66_a_wait_in_vain_keeps_its_time_and_says_what_was_not_read() -> None:
    made = stage()
    made.widgets.trees["h2"] = type(frame())(frame(element("a")).elements, cut="half was read")
    with anyio.fail_after(2):
        answer = await called(made, "desktop_wait", target="app.2", element="never", timeout_s=0.3)
    assert "verified: no" in answer.text
    assert "half was read" in answer.text
