"""`slate status`, `slate tasks` and `slate auto`: what slated knows of itself and of the tasks."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from slated.commands.connection import connected
from slated.questions import escaped


def status(environ: Mapping[str, str], *, as_json: bool) -> int:
    """Print how slated is; 1 when something is wrong with the log or the rules."""
    with connected(environ) as slated:
        told = slated.ask("status", {})
    if as_json:
        print(json.dumps(told))
    else:
        print("\n".join(lines(told)))
    return 1 if told["audit"]["error"] or told["rules"] else 0


def lines(told: Mapping[str, Any]) -> list[str]:
    """The status for a person."""
    audit = told["audit"]
    shown = [
        f"slated {told['version']} (pid {told['pid']})",
        f"audit log: {audit['lines']} lines in {told['state']}",
        f"questions: {told['questions']} open, {told['approvers']} approvals terminals",
    ]
    roots = ", ".join(escaped(root) for root in told["undo"]["roots"])
    shown.append(f"undo covers {roots or 'nothing'}")
    if told["undo"]["problem"]:
        shown.append(f"undo FAILS: {escaped(told['undo']['problem'])}")
    if audit["error"]:
        shown.append(f"audit log FAILS: {audit['error']}")
    shown += [f"policy.toml is not in force: {error}" for error in told["rules"]]
    running = [task for task in told["tasks"] if not task["ended"]]
    shown.append(f"tasks: {len(running)} running")
    return shown + [f"  {task_line(task)}" for task in running]


def task_line(task: Mapping[str, Any]) -> str:
    """One task on one line."""
    why = f" ({escaped(task['why'])})" if task["why"] else ""
    over = f", ended {task['ended']}" if task["ended"] else ""
    who = escaped(task["program"] or "?")
    return (
        f"{task['id']}  {who} (pid {task['pid']})  {task['mode']}{why}, {task['calls']} calls since "
        f"{task['began']}{over}  {escaped(task['cwd'])}"
    )


def tasks(environ: Mapping[str, str], *, as_json: bool) -> int:
    """Print the tasks that are remembered."""
    with connected(environ) as slated:
        told: Sequence[Mapping[str, Any]] = slated.ask("status", {})["tasks"]
    if as_json:
        print(json.dumps(told))
    else:
        print("\n".join(task_line(task) for task in told) or "no tasks yet")
    return 0


def auto(environ: Mapping[str, str], task: str, *, on: bool) -> int:
    """Let a task run unasked for an hour, or end that."""
    with connected(environ) as slated:
        slated.ask("auto", {"task": task, "on": on})
    print(f"{task} runs on auto for 60 minutes" if on else f"{task} is asked about again")
    return 0
