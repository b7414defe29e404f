"""Compares our tree with pyatspi's in five toolkits: count, roles, names, states. `python -m tests.oracle [TOOLKIT…]`

A difference has a reason, which is printed, or the run fails.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

import anyio

from slate_desktop.atspi.bus import BusPlace
from slate_desktop.atspi.widgets import AtspiWidgets
from slate_desktop.atspi.words import of_gtk4
from slate_desktop.elements import Element
from tests.live.bed.finding import find
from tests.live.bed.stage import Stage, staged
from tests.live.bed.toolkits import TOOLKITS, opened
from tests.oracle.client import Witness, witness

# A program may still be filling its window: both clients look again until they see the same, so often.
LOOKS = 5


@dataclass(frozen=True, slots=True)
class Reason:
    """Why two clients may differ, and in what."""

    words: str
    explains: Callable[[Element, frozenset[str]], bool]


REASONS = (
    Reason(
        "GTK 4.8 tells of no widget but its window that it is showing; we take visible for it",
        lambda ours, differing: (
            differing == {"showing"} and "visible" in ours.states and of_gtk4(ours.key.path)
        ),
    ),
)


async def compared(
    ours: Sequence[Element], theirs: Sequence[Any]
) -> tuple[dict[str, int], list[str]]:
    """Reasons with how many differences they explain, and the differences without a reason."""
    explained: dict[str, int] = {}
    left: list[str] = []
    mine = [(e.role, e.name) for e in ours]
    other = [(role, name) for role, name, _ in theirs]
    for tag, i, j, k, m in SequenceMatcher(None, mine, other, autojunk=False).get_opcodes():
        if tag != "equal":
            left.append(f"{tag}: ours {mine[i:j][:3]}, theirs {other[k:m][:3]}")
            continue
        for element, row in zip(ours[i:j], theirs[k:m], strict=True):
            differing = element.states ^ frozenset(state.replace("-", " ") for state in row[2])
            if not differing:
                continue
            reason = next((r for r in REASONS if r.explains(element, differing)), None)
            if reason is None:
                left.append(f"states of {element.role} {element.name!r}: {sorted(differing)}")
            else:
                explained[reason.words] = explained.get(reason.words, 0) + 1
    return explained, left


async def judge(stage: Stage, kind: str, other: Witness) -> bool:
    """One toolkit; prints what was compared."""
    widgets = AtspiWidgets(BusPlace(stage.session.a11y_address))
    try:
        async with opened(stage, kind) as window:
            for look in range(LOOKS):
                tree = await widgets.tree(window)
                theirs = (await other.look(window))["rows"]
                explained, left = await compared(tree.elements, theirs)
                if not left:
                    break
                await anyio.sleep(0.5 * (look + 1))
    finally:
        widgets.close()
    print(f"{kind}: ours {len(tree.elements)}, theirs {len(theirs)}, {len(left)} differences")
    for words, count in explained.items():
        print(f"  {count} explained: {words}")
    for line in left[:20]:
        print(f"  without a reason: {line}")
    return not left and not tree.cut


async def main(kinds: Sequence[str]) -> bool:
    """All toolkits asked for."""
    sway = find()
    if isinstance(sway, str):
        print(sway, file=sys.stderr)
        sys.exit(2)
    async with staged(sway) as stage, witness(stage) as other:
        return all([await judge(stage, kind, other) for kind in kinds])


if __name__ == "__main__":
    sys.exit(0 if anyio.run(main, sys.argv[1:] or TOOLKITS) else 1)
