"""The text of a window or an element in reading order, by pages."""

from __future__ import annotations

from collections.abc import Mapping

from slate_desktop.elements import TEXT_ROLES, Detail, Element, Key, Tree, hidden
from slate_desktop.errors import BadRequest
from slate_desktop.lease import Lease
from slate_desktop.outcome import Outcome
from slate_desktop.outline import WITHHELD, name_of
from slate_desktop.quote import quote
from slate_desktop.resolve import Target

PAGE_CHARACTERS = 6_000
TEXT_CHARACTERS = 200_000
LINE = 2_000


async def read(lease: Lease, target: Target, page: int) -> Outcome:
    """One page of the text. Errors: `bad_request.arguments` for a page that is not there."""
    window = target.needs_window()
    widgets = lease.desk.widgets
    tree = await widgets.tree(window)
    under = target.element.element.key if target.element else None
    shown = [
        e for e in tree.elements if not hidden(e) and (under is None or under in (e.key, *e.place))
    ]
    written = [e for e in shown if e.role in TEXT_ROLES or "editable" in e.states]
    details = await widgets.details(window, written, characters=TEXT_CHARACTERS)
    pages = paged(spoken(shown, tree, details))
    if page > len(pages):
        raise BadRequest(
            "arguments", f"there are {len(pages)} pages", next_step=f'{{"page":{len(pages)}}}'
        )
    name = target.ref if under is not None else lease.sightings.see(window)
    more = f"; cut: {tree.cut}" if tree.cut else ""
    return Outcome(
        said=f"text of {name}, page {page} of {len(pages)}{more}.",
        lines=tuple(pages[page - 1]),
        next_step=f"page {page + 1} goes on" if page < len(pages) else "",
    )


def spoken(shown: list[Element], tree: Tree, details: Mapping[Key, Detail]) -> list[str]:
    """One line for each paragraph, control or field, its words as they are on screen."""
    parents = {e.place[0] for e in shown if e.place}
    lines: list[str] = []
    covered: set[Key] = set()
    for element in shown:
        if covered.intersection(element.place):
            continue
        words = _words(element, details.get(element.key), leaf=element.key not in parents)
        if words:
            lines += words
            if element.interactive or element.role in TEXT_ROLES:
                covered.add(element.key)
    return lines


def _words(element: Element, detail: Detail | None, *, leaf: bool) -> list[str]:
    name = name_of(element)
    if element.secret:
        return [f"{element.role} {quote(name)} [{WITHHELD}]"]
    value = detail.value if detail is not None else None
    if element.interactive:
        if not name and not value:
            return []
        said = [f"{element.role} {quote(name)}"] if name else [element.role]
        return said + [quote(line, LINE) for line in (value or "").splitlines() if value != name]
    if value and element.role in TEXT_ROLES and value.strip():
        return [quote(line, LINE) for line in value.splitlines() if line.strip()]
    return [quote(name, LINE)] if leaf and name else []


def paged(lines: list[str]) -> list[list[str]]:
    """Lines in pages of at most 6,000 characters; at least one page."""
    pages: list[list[str]] = [[]]
    size = 0
    for line in lines:
        if size + len(line) > PAGE_CHARACTERS and pages[-1]:
            pages.append([])
            size = 0
        pages[-1].append(line)
        size += len(line) + 1
    return pages
