"""One fault of the sources for each promise, and the tests that must find it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Break:
    """In `path`, the text `was`, which stands there once, becomes `becomes`; then each of `tests` must fail."""

    promise: str
    path: str
    was: str
    becomes: str
    tests: tuple[str, ...]


LIVE = "tests/live/test_promises.py::"

BREAKS: tuple[Break, ...] = (
    Break(
        "person-untouched",
        "slate_desktop/swayipc/windows.py",
        'await self._ipc.command(on(id_, f"move container to workspace {BACKGROUND_WORKSPACE}"))',
        'await self._ipc.command(on(id_, f"move container to workspace {BACKGROUND_WORKSPACE}, focus"))',
        (LIVE + "test_an_agent_at_work_leaves_everything_of_the_persons_alone",),
    ),
    Break(
        "person-untouched",
        "slate_desktop/swayipc/keeper.py",
        "        if outputs or _News.VISIT in news:",
        "        if outputs:",
        (
            "tests/live/test_berths.py::test_a_person_who_goes_through_all_workspaces_does_not_end_up_at_the_agents",
        ),
    ),
    Break(
        "refused-reaches-no-adapter",
        "slate_desktop/turn.py",
        """    grant = await desk.gate.admit(intent, under=under)
    async with receipt(lease, grant) as kept:
        async with lease.seat():
            target""",
        """    try:
        grant = await desk.gate.admit(intent, under=under)
    except SlateError:
        grant = Grant(intent.digest, intent.tier, 1)
    async with receipt(lease, grant) as kept:
        async with lease.seat():
            target""",
        ("tests/unit/test_turn.py::test_a_refused_call_reaches_no_adapter",),
    ),
    Break(
        "released-after-cancel",
        "slate_desktop/lease.py",
        """            await self.hands.rest()
            if self.clipboard.types:""",
        """            if self.clipboard.types:""",
        ("tests/unit/test_lease.py::test_closing_releases_everything_also_when_cancelled",),
    ),
    Break(
        "released-after-cancel",
        "slate_desktop/wayland/hands.py",
        "            if self._keyboard.down:\n",
        "            if self._keyboard.down is None:\n",
        (LIVE + "test_r14_what_is_held_is_released_when_a_call_ends_early[cancel]",),
    ),
    Break(
        "no-typing-elsewhere",
        "slate_desktop/act.py",
        "        await _ready(window, limbs, sent=so_far)\n",
        "        await limbs.hands.focus(window.handle)\n",
        (
            "tests/unit/test_act.py::test_r24_nothing_is_typed_while_a_prompt_has_the_persons_keyboard",
            "tests/unit/test_act.py::test_a_window_that_does_not_take_our_keyboard_gets_no_key",
        ),
    ),
    Break(
        "stale-ref-never-acts",
        "slate_desktop/resolve.py",
        "    if (now.handle, now.app_id) != (then.handle, then.app_id):",
        "    if now.rect != then.rect and now.app_id != then.app_id:",
        ("tests/unit/test_resolve.py::test_an_id_that_another_window_has_now_is_stale",),
    ),
    Break(
        "stale-ref-never-acts",
        "slate_desktop/pin.py",
        "    if (now.element.role, now.element.name) != (then.element.role, then.element.name):",
        "    if now.element.role != then.element.role:",
        (
            "tests/unit/test_pin.py::test_r63_r65_another_widget_is_stale_and_says_what_was_and_what_is",
        ),
    ),
    Break(
        "every-call-has-a-deadline",
        "slate_desktop/settle.py",
        "    with anyio.move_on_after(deadline_s):\n        while not done(desktop):",
        "    with anyio.move_on_after(None):\n        while not done(desktop):",
        ("tests/unit/test_settle.py::test_a_launch_without_a_window_ends_at_its_deadline",),
    ),
    Break(
        "audit-before-stroke",
        "slated/records.py",
        "flush=decision.tier > Tier.OBSERVE)",
        "flush=False)",
        (
            "tests/adapters/test_switchboard.py::test_the_line_of_an_action_is_on_disk_before_its_grant_is_given",
        ),
    ),
    Break(
        "no-self-answer",
        "slated/person.py",
        "    if inside := in_task(chain, tasks):\n        return inside\n",
        "",
        (
            "tests/unit/test_person.py::test_a_terminal_below_a_known_agent_program_is_not_a_persons",
        ),
    ),
    Break(
        "no-self-answer",
        "slated/switchboard.py",
        "    await line.person(f\"answer {given.text('question')}\")\n",
        "",
        (
            "tests/adapters/test_self_approval.py::test_a_task_cannot_answer_its_own_question_in_any_way_it_tries",
        ),
    ),
    Break(
        "no-self-answer",
        "slated/reviews.py",
        "    await caller.person(what[:120])\n",
        "",
        (
            "tests/adapters/test_reviews.py::test_from_inside_a_task_every_call_is_refused_and_logged",
        ),
    ),
    Break(
        "no-self-answer",
        "slate_desktop/launch.py",
        ', "SLATE_TASK": launch}',
        "}",
        ("tests/live/test_self_approval.py::test_a_terminal_that_an_agent_opens_is_no_persons",),
    ),
    Break(
        "undo-stays-inside",
        "slated/snapshots/timeline.py",
        '        return (Whose.OWN, "") if alone else (Whose.SHARED, beside)',
        '        return (Whose.OWN, "")',
        (
            "tests/adapters/snapshots/test_planning.py::test_what_two_tasks_may_have_done_is_shared_and_left",
        ),
    ),
    Break(
        "slate-needs-exact-id",
        "slated/slate/store.py",
        '        name = f"{slate_id}.json"\n        for _',
        '        name = sorted(n for n in files.names(place) if n.endswith(".json"))[-1]\n        for _',
        ("tests/adapters/slate/test_document.py::test_one_id_never_reaches_another",),
    ),
    Break(
        "no-secret-stored",
        "slated/redact/text.py",
        "    return masked(text, spans) if spans else text\n",
        "    return text\n",
        (
            "tests/adapters/test_records.py::test_no_secret_gets_into_any_line",
            "tests/adapters/test_kept.py::test_no_secret_is_kept",
        ),
    ),
    Break(
        "gate-down-no-action",
        "slate_desktop/gate.py",
        '            if intent.tier is Tier.OBSERVE and error.code != "unavailable.audit":',
        '            if error.code != "unavailable.audit":',
        ("tests/unit/test_gate.py::test_without_slated_nothing_but_looking_is_granted",),
    ),
    Break(
        "no-record-lost",
        "slated/audit/segment.py",
        "            while done < len(data):\n                done += os.write(self._handle, data[done:])\n",
        "",
        (
            "tests/adapters/test_slated_daemon.py::test_what_was_granted_is_in_the_log_whatever_ends_it",
        ),
    ),
)
