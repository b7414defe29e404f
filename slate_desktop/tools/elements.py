"""Element tools: list them, read them, press them, set them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Literal

import anyio
from pydantic import Field

from slate_desktop.elementlines import lines_of, row_words, sightings
from slate_desktop.elements import (
    DOCUMENTS,
    Detail,
    Difference,
    Element,
    Glimpse,
    Key,
    Tree,
    hidden,
)
from slate_desktop.errors import BadRequest
from slate_desktop.intent import (
    Aim,
    ElementSighting,
    Intent,
    Look,
    Observe,
    Press,
    SetText,
    WindowSighting,
)
from slate_desktop.lease import Lease
from slate_desktop.model import Window
from slate_desktop.outcome import Outcome
from slate_desktop.outline import Query, chosen, difference_line, drawn, labels_of
from slate_desktop.render import Reply, reply
from slate_desktop.resolve import Target
from slate_desktop.tools.arguments import FieldName, ObserveName, aim
from slate_desktop.tools.grading import tier
from slate_desktop.tools.reading import read
from slate_desktop.treediff import differences
from slate_desktop.turn import observe, run
from slate_desktop.written import words_of_all
from slated.model import Grant, Tier
from slated.toolspec import Args, ToolSpec

MOST_LINES = 100
SPARE = 20
# A window that has just opened has controls and no places for them yet.
LAYOUT_LOOKS, LAYOUT_S = 4, 0.1
BOX_ONLY = frozenset(["Component"])


class ElementsArgs(Args):
    """Arguments of desktop_elements."""

    target: FieldName = None
    query: Annotated[str, Field(description="part of name, label or row")] = ""
    role: Annotated[str, Field(description='part of the role: "button"')] = ""
    state: Annotated[str, Field(description="checked, focused, offscreen, …")] = ""
    all: Annotated[bool, Field(description="also what is no control or off screen")] = False
    depth: Annotated[int | None, Field(ge=0, description="levels below target")] = None
    since: Annotated[
        Literal["latest"] | None, Field(description="only what changed since your last listing")
    ] = None
    max: Annotated[int, Field(ge=1, le=1000)] = MOST_LINES


class ReadArgs(Args):
    """Arguments of desktop_read."""

    target: FieldName = None
    page: Annotated[int, Field(ge=1)] = 1


class ElementClickArgs(Args):
    """Arguments of desktop_element_click."""

    element: Annotated[str, Field(description="e41")]
    action: Annotated[
        str | None, Field(description="one of those listed after do:; default: the best")
    ] = None
    observe: ObserveName = "auto"


class SetTextArgs(Args):
    """Arguments of desktop_element_set_text."""

    element: Annotated[str, Field(description="e41")]
    text: Annotated[
        str,
        Field(
            description='all it is to hold; "42" for a number, "on" for a check', max_length=100_000
        ),
    ]
    submit: Annotated[bool, Field(description="Return afterwards")] = False
    observe: ObserveName = "auto"


async def elements(lease: Lease, args: ElementsArgs, under: Grant | None = None) -> Reply:
    """List elements."""
    aimed = await window_or_element(lease, args.target)

    async def look(target: Target) -> Outcome:
        window = target.needs_window()
        tree = await lease.desk.widgets.tree(window)
        if args.since is not None:
            return await _since(lease, window, tree)
        return await _list(lease, window, tree, _query(args, target))

    intent = Intent(
        "desktop_elements", Tier.OBSERVE, Look("elements"), aimed, arguments=args.model_dump()
    )
    return reply(await observe(lease, intent, look, under=under))


async def window_or_element(lease: Lease, name: str | None) -> Aim:
    """The aim at a window or one of its elements. Errors: `bad_request.arguments` for anything else."""
    aimed = await aim(lease, name)
    if not isinstance(aimed.sighting, WindowSighting | ElementSighting):
        raise BadRequest(
            "arguments", "target must be a window or an element", next_step="name w3 or e41"
        )
    return aimed


class Asked:
    """A query and how many lines it may have."""

    def __init__(self, query: Query, args: ElementsArgs) -> None:
        self.query, self.args = query, args


def _query(args: ElementsArgs, target: Target) -> Asked:
    seen = target.element
    depth = args.depth
    if seen is not None and depth is not None:
        depth += seen.element.depth
    query = Query(
        args.query, args.role, args.state, args.all, depth, seen.element.key if seen else None
    )
    return Asked(query, args)


async def _list(lease: Lease, window: Window, tree: Tree, asked: Asked) -> Outcome:
    args = asked.args
    found, details = await _found(lease, window, tree, asked)
    for _ in range(LAYOUT_LOOKS):
        if _laid_out(tree, found, details, asked):
            break
        await anyio.sleep(LAYOUT_S)
        tree = await lease.desk.widgets.tree(window)
        found, details = await _found(lease, window, tree, asked)
    shown = found[: args.max]
    lease.sightings.glimpses[window.id] = Glimpse(tree, details)
    said = [_count(len(found), tree, asked)]
    if len(found) > len(shown):
        said.append(f"cut: the first {len(shown)} are listed")
    if tree.cut:
        said.append(f"cut: {tree.cut}")
    ref = lease.sightings.see(window)
    lines = tuple(lines_of(lease, window, tree, shown, details, indent=args.all))
    lease.sightings.showed("elements", window, "\n".join(lines).encode())
    return Outcome(
        said=f"{'; '.join(said)}; boxes are in {ref}.",
        lines=lines,
        next_step=_next(len(found), len(shown), tree),
        facts={"elements": {"found": len(found), "listed": len(shown), "read": len(tree.elements)}},
    )


def _laid_out(
    tree: Tree, found: list[Element], details: Mapping[Key, Detail], asked: Asked
) -> bool:
    """Whether anything that is said to show has a place."""
    if not asked.query.words:
        return bool(found) or not any(e.interactive for e in tree.elements)
    shown = [e.key for e in found if e.key in details and not hidden(e)]
    return not shown or any(details[key].box is not None for key in shown)


async def _found(
    lease: Lease, window: Window, tree: Tree, asked: Asked
) -> tuple[list[Element], dict[Key, Detail]]:
    """What of a tree is asked for, with its details."""
    words = labels_of(tree)
    if asked.query.text:
        words = await words_of_all(lease.desk.widgets, window, tree)
    return await _placed(lease, window, tree, chosen(tree, asked.query, words), asked)


async def _placed(
    lease: Lease, window: Window, tree: Tree, found: list[Element], asked: Asked
) -> tuple[list[Element], dict[Key, Detail]]:
    """What is to be listed, with its details.

    Some toolkits say of what they do not draw that it is showing (GTK 4.8 of hidden buttons, GTK 3 of rows that were
    scrolled away): only that it has no place gives it away.
    """
    wanted, details = asked.args.max, dict[Key, Detail]()
    if asked.query.words:
        return found, dict(await lease.desk.widgets.details(window, found[:wanted]))
    kept: list[Element] = []
    for start in range(0, len(found), wanted + SPARE):
        part = found[start : start + wanted + SPARE]
        details |= await lease.desk.widgets.details(window, part)
        around = await _panes(lease, window, tree, part)
        kept += [
            e
            for e in part
            if e.key not in details or drawn(tree, e, around | details, window.rect.size)
        ]
        if len(kept) > wanted:
            return kept + found[start + len(part) :], details
    return kept, details


async def _panes(
    lease: Lease, window: Window, tree: Tree, part: list[Element]
) -> dict[Key, Detail]:
    """The boxes of what is around elements; in a page, whose elements tell rightly whether they show, of none."""
    index = tree.index()
    keys = {key: index[key] for e in part for key in e.place[:-1] if key in index}
    pages = {key for key, e in keys.items() if e.role in DOCUMENTS}
    above = [e for e in keys.values() if not pages.intersection((e.key, *e.place))]
    bare = [replace(e, role="", states=frozenset(), interfaces=BOX_ONLY) for e in above]
    return dict(await lease.desk.widgets.details(window, bare))


def _count(found: int, tree: Tree, asked: Asked) -> str:
    query = asked.query
    what = "controls on screen"
    if query.words:
        what = "elements" if query.all else "matches"
    return f"{found} {what} of {len(tree.elements)} elements"


def _next(found: int, shown: int, tree: Tree) -> str:
    if found > shown:
        return "narrow it with query, role or target, or raise max"
    if tree.cut:
        return "what is on screen is always read: desktop_scroll to what you need, then ask again"
    return "" if found else "all: true lists what is no control, desktop_read the text"


async def _since(lease: Lease, window: Window, tree: Tree) -> Outcome:
    then = lease.sightings.glimpses.get(window.id)
    if then is None:
        raise BadRequest(
            "arguments",
            "there is no earlier listing of this window",
            next_step="desktop_elements without since",
        )
    compared = [e for e in tree.elements if e.key in then.details]
    # Of what was there but not listed nothing is known to compare with.
    known = {e.key for e in then.tree.elements if not hidden(e)}
    fresh = [e for e in tree.elements if e.interactive and not hidden(e) and e.key not in known]
    details = await lease.desk.widgets.details(window, [*compared, *fresh[:MOST_LINES]])
    now = Glimpse(tree, details)
    found = differences(then, now)
    lease.sightings.glimpses[window.id] = now
    shown = found[:MOST_LINES]
    more = f"; cut: {len(found) - len(shown)} more" if len(found) > len(shown) else ""
    return Outcome(
        said=f"{len(found)} changes since your last listing{more}.",
        lines=tuple(_difference_lines(lease, window, now, shown)),
    )


def _difference_lines(
    lease: Lease, window: Window, now: Glimpse, found: tuple[Difference, ...]
) -> list[str]:
    there = [d.element for d in found if d.sign != "-"]
    seen, labels = sightings(now.tree, there, now.details), labels_of(now.tree)
    return [
        difference_line(
            "" if d.sign == "-" else lease.sightings.see_element(window, seen[d.element.key]),
            d,
            labels.get(d.element.key, ""),
            row_words(seen[d.element.key]) if d.sign != "-" else "",
        )
        for d in found
    ]


async def read_text(lease: Lease, args: ReadArgs, under: Grant | None = None) -> Reply:
    """Read the text of a window or an element."""
    aimed = await window_or_element(lease, args.target)

    async def look(target: Target) -> Outcome:
        return await read(lease, target, args.page)

    intent = Intent("desktop_read", Tier.OBSERVE, Look("text"), aimed, arguments=args.model_dump())
    return reply(await observe(lease, intent, look, under=under))


async def click(lease: Lease, args: ElementClickArgs, under: Grant | None = None) -> Reply:
    """Press an element."""
    return await _on_element(lease, "desktop_element_click", args, Press(args.action), under)


async def set_text(lease: Lease, args: SetTextArgs, under: Grant | None = None) -> Reply:
    """Make an element hold a text, a number, a choice, or be on or off."""
    action = SetText(args.text, args.submit)
    return await _on_element(lease, "desktop_element_set_text", args, action, under)


async def _on_element(
    lease: Lease,
    tool: str,
    args: ElementClickArgs | SetTextArgs,
    action: Press | SetText,
    under: Grant | None,
) -> Reply:
    aimed = await aim(lease, args.element)
    if not isinstance(aimed.sighting, ElementSighting):
        raise BadRequest(
            "arguments",
            "element must be the ref of an element",
            next_step="desktop_elements gives refs: e41",
        )
    graded = await tier(lease, aimed, action)
    console = await lease.desk.consoles.plan(aimed, action)
    shown = lease.sightings.shown(aimed.sighting)
    asked = (aimed, Observe(args.observe), args.model_dump())
    intent = Intent(tool, graded, action, *asked, console, shown)
    return reply(await run(lease, intent, under=under))


TOOLS = (
    ToolSpec(
        "desktop_elements",
        Tier.OBSERVE,
        ElementsArgs,
        "List the controls of a window by its accessibility tree: ref, role, name, value, states, box. "
        "Cheaper and surer than pictures. A name in brackets is its label or the text inside.",
        elements,
        core=True,
    ),
    ToolSpec(
        "desktop_read",
        Tier.OBSERVE,
        ReadArgs,
        "Text of a window or element in reading order, by pages.",
        read_text,
    ),
    ToolSpec(
        "desktop_element_click",
        Tier.REVERSIBLE,
        ElementClickArgs,
        "Press an element: by its own action, else by a pointer click that is checked to hit it.",
        click,
        core=True,
    ),
    ToolSpec(
        "desktop_element_set_text",
        Tier.REVERSIBLE,
        SetTextArgs,
        "Make an element hold a text, number or choice, or be on or off; read back.",
        set_text,
    ),
)
