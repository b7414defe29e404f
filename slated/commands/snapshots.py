"""`slate snapshots`: the tasks that can be undone, the marks of one, and pruning by hand."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from slated.commands.connection import connected
from slated.questions import escaped

PRUNE_S: Final = 600.0


def run(environ: Mapping[str, str], what: str, task: str, *, as_json: bool) -> int:
    """`list`, `show` TASK or `prune`; 1 when something could not be pruned."""
    with connected(environ) as slated:
        told = slated.ask("snapshots", {"what": what, "task": task}, deadline_s=PRUNE_S)
    lines = {"list": listed, "show": marks, "prune": pruned}[what]
    print(json.dumps(told) if as_json else "\n".join(lines(told)))
    return 1 if told.get("failed") else 0


def listed(told: Mapping[str, Any]) -> list[str]:
    """What is kept, for a person."""
    shown = [f"{root['path']}: by {root['by']}" for root in told["roots"]]
    shown = shown or ["undo covers no directory (see `[paths] protected` in policy.toml)"]
    shown.append(f"copies take {told['bytes'] / 1e6:,.1f} MB")
    if told["pending"]:
        shown.append("an undo was cut off: `slate undo --resume` finishes it")
    for task in told["tasks"]:
        part = "" if task["whole"] else ", its beginning is not kept any more"
        shown.append(
            f"{escaped(task['task'])}  {task['calls']} calls in {task['prompts']} prompts, marks {task['first']} to "
            f"{task['last']}, {task['since']} to {task['until']}{part}"
        )
    return shown if told["tasks"] else [*shown, "no task has changed anything yet"]


def marks(told: Mapping[str, Any]) -> list[str]:
    """The marks of a task, for a person."""
    shown = []
    for call in told["calls"]:
        running = ", under way" if call["running"] else ""
        kept = call["time"] or "not kept any more"
        tool = escaped(call["call"].rpartition(".")[0] or call["call"])
        shown.append(f"mark {call['mark']}  {kept}  prompt {call['prompt']}  {tool}{running}")
        shown += [f"    {path}" for path in call["targets"]]
        shown += [f"    and {call['more']} more"] if call["more"] else []
    return shown


def pruned(told: Mapping[str, Any]) -> list[str]:
    """What pruning did, for a person."""
    failed = [f"could not be dropped: {escaped(why)}" for why in told["failed"]]
    return [f"{told['marks']} marks dropped, copies take {told['bytes'] / 1e6:,.1f} MB", *failed]
