"""The waiting tool: until windows, titles, elements, texts and stillness are as they should be."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated

import anyio
from pydantic import Field

from slate_desktop.elementlines import lines_of
from slate_desktop.elements import Element, Key, Tree
from slate_desktop.errors import BadRequest, Stale, Unavailable
from slate_desktop.intent import Aim, ElementSighting, Intent, Look, WindowSighting
from slate_desktop.lease import Lease
from slate_desktop.model import Desktop, Window
from slate_desktop.outcome import Outcome, Verified
from slate_desktop.outline import Query, chosen, labels_of
from slate_desktop.quote import quote
from slate_desktop.render import Reply, listed, reply
from slate_desktop.resolve import Target
from slate_desktop.tools.arguments import aim
from slate_desktop.turn import observe
from slate_desktop.windowlines import lines
from slate_desktop.written import words_of_all
from slated.model import Grant, Tier
from slated.toolspec import Args, ToolSpec

# A program is asked for its elements at most so much of the time, and never more often than this.
SHARE = 4
LOOK_S = 0.1
FOUND_LINES = 10


class WaitArgs(Args):
    """Arguments of desktop_wait."""

    window: Annotated[
        str | None, Field(description="app id or part of a title of a window to come")
    ] = None
    title: Annotated[
        str | None, Field(description="part of the title that target (w3) is to get")
    ] = None
    element: Annotated[
        str | None, Field(description="part of the name of an element of target to come")
    ] = None
    role: Annotated[str | None, Field(description="its role, or part of it")] = None
    state: Annotated[
        str | None,
        Field(description="state that it, or target e41, is to get: enabled, checked, …"),
    ] = None
    text: Annotated[str | None, Field(description="text that target is to show")] = None
    gone: Annotated[str | None, Field(description="w3 or e41 to go, or a text of target")] = None
    still_s: Annotated[
        float | None, Field(ge=0.05, le=10, description="target not repainting for so long")
    ] = None
    target: Annotated[
        str | None, Field(description="w3 or e41; default: the window you last used")
    ] = None
    timeout_s: Annotated[float, Field(gt=0, le=45)] = 10


Words = Mapping[Key, str]


@dataclass(frozen=True, slots=True)
class Condition:
    """One thing waited for: its words, and how it is told from the desktop or from the elements of the target."""

    said: str
    of_desktop: Callable[[Desktop], bool] | None = None
    of_tree: Callable[[Tree, Words], bool] | None = None


@dataclass(frozen=True, slots=True)
class Last:
    """The last look: what was seen, what of it does not hold, and why elements could not be read."""

    desktop: Desktop
    tree: Tree | None
    unmet: tuple[str, ...]
    why: str = ""


async def wait(lease: Lease, args: WaitArgs, under: Grant | None = None) -> Reply:
    """Wait until all given conditions hold."""
    aimed = await _aim(lease, args)
    gone = await _gone(lease, args.gone)

    async def look(target: Target) -> Outcome:
        started = anyio.current_time()
        conditions = _conditions(args, target, gone)
        last = await _hold(lease, conditions, target.window, args)
        return await _outcome(lease, args, target, last, anyio.current_time() - started)

    intent = Intent("desktop_wait", Tier.OBSERVE, Look("wait"), aimed, arguments=args.model_dump())
    return reply(await observe(lease, intent, look, under=under))


async def _aim(lease: Lease, args: WaitArgs) -> Aim | None:
    inside = args.element or args.role or args.state or args.text or _in_tree(args.gone)
    if not (args.window or args.title or args.gone or args.still_s or inside):
        raise BadRequest(
            "arguments",
            "nothing to wait for",
            next_step="give window, title, element, state, text, gone or still_s",
        )
    if not (args.title or args.still_s or inside):
        return None
    # An element that is to go stands for its window; it may be gone already.
    name = args.target or (args.gone if args.gone and args.gone[:1] == "e" else None)
    if name is not None and name == args.gone and not _is_text(name):
        sighting = lease.sightings.element(name)
        return await aim(lease, lease.sightings.see(sighting.window))
    aimed = await aim(lease, args.target)
    if not isinstance(aimed.sighting, WindowSighting | ElementSighting):
        raise BadRequest(
            "arguments", "target must be a window or an element", next_step="name w3 or e41"
        )
    return aimed


Gone = WindowSighting | ElementSighting | None


def _in_tree(name: str | None) -> bool:
    return _is_text(name) or (name is not None and name[:1] == "e")


def _is_text(name: str | None) -> bool:
    return name is not None and not (name[:1] in ("w", "e") and name[1:].isdecimal())


async def _gone(lease: Lease, name: str | None) -> Gone:
    if name is None or _is_text(name):
        return None
    if name[:1] == "e":
        return lease.sightings.element(name)
    return lease.sightings.window(name, await lease.desk.windows.desktop())


def _conditions(args: WaitArgs, target: Target, gone: Gone) -> list[Condition]:
    found: list[Condition] = []
    window = target.window
    if args.window:
        name = args.window
        found.append(
            Condition(
                f"a window {quote(name)}", lambda d: any(_is_called(w, name) for w in d.windows)
            )
        )
    if args.title and window is not None:
        part, id_ = args.title.casefold(), window.id
        found.append(Condition(f"the title {quote(args.title)}", lambda d: part in _title(d, id_)))
    if isinstance(gone, WindowSighting):
        left = gone.window.id
        found.append(Condition(f"{gone.ref} gone", lambda d: d.window(left) is None))
    if isinstance(gone, ElementSighting):
        key, name = gone.seen.element.key, gone.seen.element.name
        found.append(
            Condition(
                f"{gone.ref} gone",
                of_tree=lambda t, _: (
                    not any(
                        e.key == key and e.name == name and "showing" in e.states
                        for e in t.elements
                    )
                ),
            )
        )
    return found + _inside(args, target)


def _inside(args: WaitArgs, target: Target) -> list[Condition]:
    """Conditions that the elements of the target tell."""
    under = target.element.element.key if target.element is not None else None
    found: list[Condition] = []
    if args.element or args.role:
        query = Query(args.element or "", args.role or "", args.state or "", under=under)
        words = " ".join(
            word
            for word in (
                args.role or "an element",
                quote(args.element) if args.element else "",
                args.state or "",
            )
            if word
        )
        found.append(Condition(words, of_tree=lambda t, w: bool(_matching(t, w, query))))
    elif args.state:
        state = args.state
        query = Query(state=state, under=under)
        if under is None:
            found.append(
                Condition(f"an element {state}", of_tree=lambda t, w: bool(_matching(t, w, query)))
            )
        else:
            found.append(
                Condition(
                    f"{target.ref} {state}",
                    of_tree=lambda t, w: any(e.key == under for e in _matching(t, w, query)),
                )
            )
    if args.text:
        shown = Query(args.text, under=under)
        found.append(
            Condition(
                f"the text {quote(args.text)}", of_tree=lambda t, w: bool(_matching(t, w, shown))
            )
        )
    if args.gone and _is_text(args.gone):
        left = Query(args.gone, under=under)
        found.append(
            Condition(f"{quote(args.gone)} gone", of_tree=lambda t, w: not _matching(t, w, left))
        )
    return found


def _matching(tree: Tree, words: Words, query: Query) -> list[Element]:
    """What is on screen and matches."""
    offscreen = query.state == "offscreen"
    return [e for e in chosen(tree, query, words) if offscreen or "showing" in e.states]


async def _hold(
    lease: Lease, conditions: list[Condition], window: Window | None, args: WaitArgs
) -> Last:
    """The last look, and which conditions it does not meet."""
    windows = lease.desk.windows
    deadline = anyio.current_time() + args.timeout_s
    needs_tree = any(c.of_tree for c in conditions)
    while True:
        desktop = await windows.desktop()
        left_s = deadline - anyio.current_time()
        tree, why = await _tree(lease, window, left_s) if needs_tree else (None, "")
        words = await _words(lease, args, window, tree)
        unmet = tuple(c.said for c in conditions if not _holds(c, desktop, tree, words))
        left_s = deadline - anyio.current_time()
        if not unmet and args.still_s and window is not None:
            still = await lease.desk.eyes.still(
                window.handle, quiet_s=args.still_s, deadline_s=max(left_s, args.still_s)
            )
            unmet = () if still else (f"no repaint for {args.still_s:g} s",)
            return Last(await windows.desktop(), tree, unmet, why)
        if not unmet or left_s <= 0:
            return Last(desktop, tree, unmet, why)
        pause_s = max(LOOK_S, (tree.took_ms if tree else 0) * SHARE / 1e3) if needs_tree else left_s
        await windows.changed(deadline_s=min(pause_s, left_s))


async def _tree(lease: Lease, window: Window | None, left_s: float) -> tuple[Tree | None, str]:
    if window is None:
        return None, ""
    try:
        return await lease.desk.widgets.tree(window, budget_s=min(max(left_s, 0.2), 2.0)), ""
    except Unavailable as error:
        if error.code in ("unavailable.no_tree", "unavailable.no_bus", "unavailable.not_enabled"):
            raise
        return None, error.message
    except Stale:
        return None, "its window is gone"


async def _words(lease: Lease, args: WaitArgs, window: Window | None, tree: Tree | None) -> Words:
    """What is written in the elements; looked up only where a text is waited for."""
    if tree is None or window is None:
        return {}
    if args.text or _is_text(args.gone):
        return await words_of_all(lease.desk.widgets, window, tree)
    return labels_of(tree)


def _holds(condition: Condition, desktop: Desktop, tree: Tree | None, words: Words) -> bool:
    if condition.of_desktop is not None:
        return condition.of_desktop(desktop)
    return tree is not None and condition.of_tree is not None and condition.of_tree(tree, words)


async def _outcome(
    lease: Lease, args: WaitArgs, target: Target, last: Last, waited_s: float
) -> Outcome:
    waited = f"waited {waited_s:.1f} s"
    if last.unmet:
        why = f" ({last.why})" if last.why else ""
        cut = f"; {last.tree.cut}" if last.tree is not None and last.tree.cut else ""
        return Outcome(
            f"{waited}, in vain",
            Verified.NO,
            f"not yet: {listed(last.unmet)}{why}{cut}",
            next_step="look at what there is",
        )
    came = [w for w in last.desktop.windows if args.window and _is_called(w, args.window)]
    return Outcome(
        waited,
        Verified.YES,
        "all you waited for is so",
        windows=lines(lease, last.desktop, came),
        lines=await _found(lease, args, target, last.tree),
    )


async def _found(
    lease: Lease, args: WaitArgs, target: Target, tree: Tree | None
) -> tuple[str, ...]:
    """The lines of the elements that came, with their refs."""
    window = target.window
    if tree is None or window is None or not (args.element or args.role or args.text):
        return ()
    query = Query(args.element or args.text or "", args.role or "", args.state or "")
    words = await _words(lease, args, window, tree)
    found = _matching(tree, words, query)[:FOUND_LINES]
    details = await lease.desk.widgets.details(window, found)
    return tuple(lines_of(lease, window, tree, found, details))


def _is_called(window: Window, name: str) -> bool:
    return window.app_id == name or name.casefold() in window.title.casefold()


def _title(desktop: Desktop, id_: int) -> str:
    return next((w.title.casefold() for w in desktop.windows if w.id == id_), "")


TOOLS = (
    ToolSpec(
        "desktop_wait",
        Tier.OBSERVE,
        WaitArgs,
        "Wait until all the given conditions hold; answers at once if they do. Use this, not repeated looks.",
        wait,
        core=True,
    ),
)
