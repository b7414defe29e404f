"""An undo in words for a person, and as plain data: deleted, restored, recreated, left and why. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from slated.snapshots.entries import shown
from slated.snapshots.pictures import Uncovered
from slated.snapshots.plan import Action, Left, Plan, Reason, Step

_WORDS = {
    Action.RESTORE: "restore",
    Action.RECREATE: "recreate",
    Action.DELETE: "delete",
    Action.ATTRIBUTES: "restore mode, owner, times or attributes of",
}
_ORDER = [Action.RESTORE, Action.RECREATE, Action.ATTRIBUTES, Action.DELETE]
LIMITS = (
    "Undo does not reach other machines, programs' memory, or databases that are being written.",
)
"""What no plan can show."""


def preview(
    plans: Mapping[str, Plan], unseen: Iterable[Uncovered] = (), *, most: int = 200
) -> list[str]:
    """Lines for a terminal; of each kind at most `most` paths, the rest counted."""
    lines: list[str] = []
    steps = [(root, step) for root, plan in plans.items() for step in plan.loud]
    for action in _ORDER:
        paths = [_path(root, step) for root, step in steps if step.action is action]
        lines += _listed(_WORDS[action], paths, most)
    left = [(root, item) for root, plan in plans.items() for item in plan.left]
    for reason in Reason:
        paths = [f"{_path(root, item)}: {item.why}" for root, item in left if item.reason is reason]
        lines += _listed(f"leave ({reason})", paths, most)
    lines += _listed("not seen", [f"{shown(u.path)}: {u.why}" for u in unseen], most)
    if not steps:
        lines.insert(0, "There is nothing to undo.")
    return [*lines, *LIMITS]


def _listed(head: str, paths: Sequence[str], most: int) -> list[str]:
    if not paths:
        return []
    rest = [f"  … and {len(paths) - most:,} more"] if len(paths) > most else []
    return [f"{head} ({len(paths):,}):", *(f"  {path}" for path in paths[:most]), *rest]


def _path(root: str, item: Step | Left) -> str:
    return shown(f"{root.rstrip('/')}/{item.path}" if item.path else root)


def data(plans: Mapping[str, Plan], unseen: Iterable[Uncovered] = ()) -> dict[str, object]:
    """The same for a program; names are escaped, `raw` has the bytes in hex where that changed them."""
    return {
        "steps": [
            {"action": step.action.value, **_named(root, step)}
            for root, plan in plans.items()
            for step in plan.loud
        ],
        "left": [
            {"reason": item.reason.value, "why": item.why, **_named(root, item)}
            for root, plan in plans.items()
            for item in plan.left
        ],
        "unseen": [{"path": shown(item.path), "why": item.why} for item in unseen],
    }


def _named(root: str, item: Step | Left) -> dict[str, str]:
    whole = f"{root.rstrip('/')}/{item.path}" if item.path else root
    text = shown(whole)
    raw = {} if text == whole else {"raw": whole.encode("utf-8", "surrogateescape").hex()}
    return {"path": text, **raw}
