"""Which output each window of the background belongs on, decided on made-up trees."""

from __future__ import annotations

from typing import Any

import pytest

from slate_desktop.geometry import Rect, Size
from slate_desktop.model import PARKING_APP_ID
from slate_desktop.swayipc.berths import (
    BETWEEN_PX,
    GAP_PX,
    MOST,
    Step,
    is_ours,
    left_behind,
    next_step,
    own_name,
    place_for,
    placed,
    unshifted,
)
from tests.fakes.sway_tree import Node, output, root, window, workspace

HOME = "HEADLESS-2"


def berth(number: int, *windows: Node, name: str = "") -> Node:
    """An output of ours that shows its own workspace, or the one of that name."""
    tiles = [w for w in windows if w["type"] != "floating_con"]
    floats = tuple(w for w in windows if w["type"] == "floating_con")
    space = workspace(100 + number, name or f"agent-{number}", *tiles, floats=floats)
    return output(200 + number, f"HEADLESS-{number}", space)


def step(
    *berths: Node, person: tuple[Node, ...] = (), seats: Any = None, most: int = MOST
) -> Step | None:
    """What is next, with a screen of the person's beside these."""
    screen = output(3, "DP-1", workspace(4, "1"), *person)
    ours = {node["name"] for node in berths}
    return next_step(root(screen, *berths), seats or [], ours, HOME, most)


def dialog(id_: int, **fields: Any) -> Node:
    return window(id_, type="floating_con", **fields)


def move(id_: int, name: str) -> str:
    return f"[con_id={id_}] move container to workspace {name}"


PARKING = dialog(90, app_id=PARKING_APP_ID)
LANDING = berth(9, name="agent")


def test_an_empty_home_needs_nothing() -> None:
    assert step(berth(2, PARKING, name="agent")) is None


def test_a_first_window_keeps_its_place_and_new_ones_come_elsewhere_from_now_on() -> None:
    home = berth(2, window(10), PARKING, name="agent")
    assert step(home) == Step(more=True)
    named = "rename workspace agent to agent-2", "rename workspace agent-9 to agent"
    assert step(home, berth(9)) == Step(named)
    assert step(berth(2, window(10)), LANDING) == Step(more=True)
    assert step(berth(2, window(10)), LANDING, berth(4)) is None


def test_of_windows_that_came_at_once_the_first_stays_and_the_others_are_moved() -> None:
    home = berth(2, window(11), window(10), window(12), name="agent")
    assert step(home) == Step(more=True, urgent=True)
    assert step(home, berth(5), berth(4)) == Step((move(11, "agent-4"),), urgent=True)


def test_at_the_limit_windows_share_and_take_the_first_place_that_is_free() -> None:
    full = berth(2, window(10)), berth(3, window(11), window(12), name="agent")
    assert step(*full, most=2) is None
    free = berth(2), full[1]
    assert step(*free, most=2) == Step((move(12, "agent-2"),), urgent=True)


def test_windows_that_were_arranged_together_stay_together() -> None:
    assert step(berth(2, window(10), window(11)), LANDING, berth(4)) is None


def test_a_home_that_is_empty_again_is_where_new_windows_come() -> None:
    names = "rename workspace agent to agent-9", "rename workspace agent-2 to agent"
    assert step(berth(2, PARKING), berth(3, window(10)), LANDING) == Step(names)


def test_of_empty_outputs_one_is_kept_ready_and_the_highest_goes() -> None:
    home = berth(2, window(10))
    assert step(home, LANDING, berth(4)) is None
    assert step(home, LANDING, berth(4), berth(5)) == Step(away="HEADLESS-5")
    assert step(home, LANDING, berth(4), berth(5, PARKING)) is None


@pytest.mark.parametrize("same", ["sandbox_instance_id", "pid"])
def test_a_dialog_goes_to_the_window_of_its_program(same: str) -> None:
    mine: dict[str, Any] = {"app_id": "a", same: 7 if same == "pid" else "L7"}
    other: dict[str, Any] = {"app_id": "a", same: 8 if same == "pid" else "L8"}
    lone = berth(9, dialog(20, **mine), name="agent")
    assert step(berth(2, window(10, **other)), berth(3, window(11, **mine)), lone) == Step(
        (move(20, "agent-3"),), urgent=True
    )


def test_a_dialog_goes_to_the_window_that_was_acted_on_else_to_the_newest() -> None:
    same = {"app_id": "a", "sandbox_instance_id": "L"}
    tree = berth(2, window(10, **same)), berth(3, window(11, **same))
    lone = berth(9, dialog(20, **same), name="agent")
    assert step(*tree, lone) == Step((move(20, "agent-3"),), urgent=True)
    seats = [{"name": "seat0", "focus": 4}, {"name": "transient-0", "focus": 10}]
    assert step(*tree, lone, seats=seats) == Step((move(20, "agent-2"),), urgent=True)


def test_a_dialog_beside_its_window_is_no_second_window() -> None:
    same = {"app_id": "a", "sandbox_instance_id": "L"}
    both = berth(9, window(10, **same), dialog(11, **same), dialog(12, **same), name="agent")
    assert step(berth(2, window(5)), both) == Step(more=True)


def test_a_floating_window_of_nobody_is_a_window_like_others() -> None:
    alone = dialog(20, app_id="b", sandbox_instance_id="L")
    tree = berth(2, window(10, app_id="a", sandbox_instance_id="L")), berth(9, alone, name="agent")
    assert step(*tree) == Step(more=True)


@pytest.mark.parametrize("behind", ["DP-1", HOME])
def test_windows_of_a_lost_output_are_put_on_another_together(behind: str) -> None:
    lost = workspace(50, "agent-7", window(10), PARKING, window(11))
    home, free = berth(2, window(5)), berth(4)
    if behind == HOME:
        home["nodes"].append(lost)
    found = step(home, LANDING, free, person=(lost,) if behind == "DP-1" else ())
    assert found is not None
    assert found.urgent
    assert set(found.commands) == {move(10, "agent-4"), move(11, "agent-4"), move(90, "agent-2")}


def test_what_the_person_put_in_front_of_ours_is_waited_for() -> None:
    home, free = berth(2, window(5)), berth(4)
    home["nodes"].insert(0, workspace(60, "5", window(6)))
    home["current_workspace"] = "5"
    assert step(home, LANDING, free) is None


def test_nothing_is_done_while_the_person_has_the_workspace_of_new_windows_on_a_screen() -> None:
    mine = output(3, "DP-1", workspace(4, "agent"))
    tree = root(mine, berth(2), berth(3))
    assert next_step(tree, [], {HOME, "HEADLESS-3"}, HOME) is None


def test_where_no_output_bears_the_name_the_home_gets_it() -> None:
    assert step(berth(3), berth(2)) == Step(("rename workspace agent-2 to agent",))
    assert step(berth(2, window(5))) == Step(more=True, urgent=True)


@pytest.mark.parametrize("broken", [None, [], 7])
def test_what_is_no_tree_needs_nothing(broken: Any) -> None:
    assert next_step(broken, [], {HOME}, HOME) is None


def test_names_of_ours_are_told_from_others() -> None:
    assert [
        is_ours(name) for name in ("agent", "agent-12", "agenda", "agent-x", "agent-moving", "1")
    ] == [
        True,
        True,
        False,
        False,
        False,
        False,
    ]
    assert own_name("HEADLESS-12") == "agent-12"


SCREEN = Rect(0, 0, 1920, 1080)
SIZE = Size(1280, 800)


def test_places_are_below_all_screens_and_the_first_free_one_is_taken() -> None:
    ours: list[Rect] = []
    for _ in range(MOST):
        ours.append(place_for([SCREEN], ours, SIZE))
    tops = [1080 + GAP_PX + n * (800 + BETWEEN_PX) for n in range(MOST)]
    assert ours == [Rect(0, top, 1280, 800) for top in tops]
    assert place_for([SCREEN], ours[:3] + ours[4:], SIZE) == ours[3]
    assert place_for([], [], SIZE) == Rect(0, GAP_PX, 1280, 800)


def test_as_many_as_there_may_be_end_where_the_numbers_of_x11_still_reach() -> None:
    ours: list[Rect] = []
    for _ in range(MOST):
        ours.append(place_for([SCREEN], ours, Size(1920, 1080)))
    assert ours[-1].y + ours[-1].height < 1 << 15


def test_outputs_of_an_earlier_daemon_are_known_by_what_they_show() -> None:
    shown = {"DP-1": "1", "HEADLESS-2": "agent-2", "HEADLESS-9": "agent", "HEADLESS-3": "agent-4"}
    outputs = dict.fromkeys(shown, SCREEN)
    assert left_behind(outputs, shown) == ["HEADLESS-2", "HEADLESS-9"]


def test_a_headless_screen_of_the_persons_that_shows_our_workspace_is_not_ours() -> None:
    shown = {"HEADLESS-1": "agent", "HEADLESS-2": "1"}
    beside = {"HEADLESS-1": SCREEN, "HEADLESS-2": Rect(1920, 0, 1920, 1080)}
    assert left_behind(beside, shown) == []
    far = beside | {"HEADLESS-2": Rect(1920 + GAP_PX, 0, 1920, 1080)}
    assert left_behind(far, shown) == ["HEADLESS-1"]
    assert left_behind({"HEADLESS-1": SCREEN}, shown) == []


def test_outputs_that_a_reload_has_put_beside_a_screen_get_places_and_others_keep_theirs() -> None:
    far, beside = Rect(0, 6080, 1280, 800), Rect(1920, 0, 1280, 800)
    outputs = {"DP-1": SCREEN, "HEADLESS-2": far, "HEADLESS-3": beside}
    places = placed(outputs, ["HEADLESS-2", "HEADLESS-3"])
    assert places == {"HEADLESS-2": far, "HEADLESS-3": Rect(0, 6880 + BETWEEN_PX, 1280, 800)}


def test_screens_in_a_row_with_ours_are_taken_for_where_they_would_be_without() -> None:
    ours = {"HEADLESS-2": Rect(0, 6080, 1280, 800), "HEADLESS-3": Rect(0, 8880, 1280, 800)}
    row = {
        "DP-1": SCREEN,
        "HEADLESS-2": Rect(1920, 0, 1280, 800),
        "HEADLESS-3": Rect(3200, 0, 1280, 800),
        "DP-2": Rect(4480, 0, 1920, 1080),
    }
    assert unshifted(row, ours) == {"DP-1": SCREEN, "DP-2": Rect(1920, 0, 1920, 1080)}
    assert unshifted(row | ours, ours)["DP-2"] == row["DP-2"]
