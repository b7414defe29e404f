"""Window tools on fakes."""

from __future__ import annotations

import pytest

from slate_desktop import settle
from slate_desktop.errors import BadRequest, Stale
from slate_desktop.render import Reply
from slate_desktop.tools.windows import TOOLS
from slated.toolspec import parse
from tests.fakes.ports import Bench, bench, desktop, on_screen, window

pytestmark = pytest.mark.anyio

SPECS = {spec.name: spec for spec in TOOLS}


async def called(made: Bench, tool: str, **arguments: object) -> Reply:
    spec = SPECS[tool]
    answer: Reply = await spec.handler(made.lease, parse(spec, arguments))
    return answer


async def test_a_list_says_how_many_and_who_is_where() -> None:
    made = bench(desktop(on_screen(1), window(2)))
    lines = (await called(made, "desktop_windows")).text.splitlines()
    assert lines[0] == "2 windows; your keyboard is on w1, the person is in w2."
    assert lines[1] == 'w2 "app.1" "title 1" screen 0,0 1280x800 person'
    assert lines[2] == 'w1 "app.2" "title 2" background 0,5800 1280x800 yours'


async def test_a_list_can_be_narrowed_and_may_be_empty() -> None:
    made = bench(desktop(on_screen(1), window(2), person=7, agent=8))
    assert "1 window of 2 match" in (await called(made, "desktop_windows", match="APP.2")).text
    empty = (await called(made, "desktop_windows", match="nothing")).text
    assert empty.startswith("0 windows of 2 match; your keyboard is at rest")
    assert empty.endswith("next: desktop_launch opens one")


async def test_a_launched_window_is_given_and_is_the_one_last_used() -> None:
    made = bench(desktop(on_screen(1)))
    made.windows.on_change = [lambda: made.windows.put(on_screen(1), window(9, sandbox="launch-1"))]
    answer = await called(made, "desktop_launch", argv=["foot", "-e", "a b"], cwd="/srv")
    assert answer.text.splitlines()[0] == 'started "foot"; verified: yes, its window is there.'
    assert made.launcher.log == ["start ['foot', '-e', 'a b'] in /srv for transient-0"]
    last = made.lease.sightings.last
    assert last is not None
    assert last.window.id == 9


async def test_a_desktop_entry_is_launched_with_its_files() -> None:
    made = bench(desktop(on_screen(1)))
    made.launcher.launched.exit_code = 1
    await called(made, "desktop_launch", app="editor", files=["/a b"])
    assert made.launcher.log == ["start ['/usr/bin/editor', '/a b'] in None for transient-0"]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("desktop_launch", {}),
        ("desktop_launch", {"app": "a", "argv": ["b"]}),
        ("desktop_launch", {"argv": []}),
        ("desktop_launch", {"argv": [""]}),
        ("desktop_launch", {"argv": ["x"], "files": ["y"]}),
        ("desktop_window_set", {"window": "app.2"}),
        ("desktop_window_set", {"window": "app.2", "rect": [1, 2, 0, 4]}),
        ("desktop_window_set", {"window": "app.2", "rect": [1, 2, 3]}),
        ("desktop_arrange", {"layout": "spiral"}),
        ("desktop_close", {}),
    ],
)
async def test_what_makes_no_sense_is_said_and_nothing_is_sent(
    tool: str, arguments: dict[str, object]
) -> None:
    made = bench(desktop(window(2)))
    with pytest.raises(BadRequest) as caught:
        await called(made, tool, **arguments)
    assert caught.value.next_step
    assert made.adapters == []


async def test_closing_tells_that_the_window_is_still_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(settle, "CLOSE_S", 0.05)
    made = bench(desktop(window(2)))
    answer = await called(made, "desktop_close", window="app.2")
    assert "verified: no, the window is still there" in answer.text
    made.windows.on_change = [made.windows.put]
    answer = await called(made, "desktop_close", window="w1")
    assert "verified: yes, the window is gone" in answer.text


async def test_focus_and_shape_answer_with_the_window_as_it_became() -> None:
    made = bench(desktop(on_screen(1), window(2)))
    focused = await called(made, "desktop_focus", window="app.2")
    assert focused.text.splitlines()[0].startswith("your keyboard is on w1; verified: yes")
    made.windows.put(on_screen(1), window(2, floating=True))
    shaped = await called(made, "desktop_window_set", window="w1", floating=True)
    assert shaped.text.splitlines()[1].endswith("floating")


async def test_arranging_takes_all_background_windows_or_those_named() -> None:
    made = bench(desktop(on_screen(1), window(2), window(3)))
    await called(made, "desktop_arrange", layout="grid")
    await called(made, "desktop_arrange", layout="tabbed", windows=["app.3"])
    assert made.windows.log == ["arrange [2, 3] grid", "arrange [3] tabbed"]
    made.windows.put(on_screen(1))
    with pytest.raises(BadRequest):
        await called(made, "desktop_arrange", layout="grid")
    with pytest.raises(Stale):
        await called(made, "desktop_arrange", layout="grid", windows=["w1"])


async def test_showing_and_hiding_are_verified_by_where_the_window_is() -> None:
    made = bench(desktop(on_screen(1), window(2)))
    answer = await called(made, "desktop_show", window="app.2")
    assert answer.text.startswith("showed w1 to the person; verified: no, it is in the background")
    made.windows.put(on_screen(1), on_screen(2))
    answer = await called(made, "desktop_show", window="w1")
    assert answer.text.startswith("showed w1 to the person; verified: yes")
    answer = await called(made, "desktop_hide", window="w1")
    assert (
        "took w1 back to the background; verified: no, it is on the person's screen" in answer.text
    )
    assert made.windows.log[0] == "reshape 2 None None None screen"
    assert made.windows.log[-1] == "reshape 2 None None None background"


async def test_without_a_name_the_newest_is_shown_and_the_one_the_person_is_in_is_hidden() -> None:
    made = bench(desktop(on_screen(1), window(3), window(2)))
    await called(made, "desktop_show")
    await called(made, "desktop_hide")
    assert made.windows.log == [
        "reshape 3 None None None screen",
        "reshape 1 None None None background",
    ]
    made.windows.now = desktop(person=7)
    for tool in ("desktop_show", "desktop_hide"):
        with pytest.raises(BadRequest) as caught:
            await called(made, tool)
        assert caught.value.code == "bad_request.no_window"
