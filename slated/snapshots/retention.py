"""Which marks are kept: by tasks, age, size and free space; older ones are dropped call by call. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from slated.snapshots.timeline import UNDO, Call, Mark

_DAY_NS = 86_400_000_000_000


@dataclass(frozen=True, slots=True)
class Keep:
    """What is kept: the last so many tasks, not older than `age_ns`, as long as all of it is below `bytes` and the disk
    has `floor` bytes free.
    """

    tasks: int = 30
    age_ns: int = 14 * _DAY_NS
    bytes: int = 20_000_000_000
    floor: int = 1_000_000_000


def wanted(marks: Sequence[Mark], calls: Sequence[Call], keep: Keep, now_ns: int) -> int:
    """The first mark to keep by tasks and age; a call that runs is always kept."""
    started = {mark.number: mark.started_ns for mark in marks}
    tasks: dict[str, int] = {}
    for call in calls:
        if not call.task.startswith(UNDO):
            tasks[call.task] = max(tasks.get(call.task, 0), call.before)
    kept = set(sorted(tasks, key=lambda task: tasks[task])[-keep.tasks :] if keep.tasks else ())
    young = [
        call.before
        for call in calls
        if call.after is None
        or (
            (call.task in kept or call.task.startswith(UNDO))
            and now_ns - started.get(call.before, 0) <= keep.age_ns
        )
    ]
    last = max((mark.number for mark in marks), default=0)
    return min(young, default=last + 1)


def further(calls: Sequence[Call], cut: int) -> Iterator[int]:
    """The next cuts, oldest call first, for when there is still too much; never past a call that runs."""
    running = min((call.before for call in calls if call.after is None), default=None)
    for call in sorted(calls, key=lambda call: call.before):
        if call.after is None or (running is not None and call.before >= running):
            return
        if call.before >= cut:
            yield call.after + 1 if running is None else min(call.after + 1, running)
