"""What a person does with slates, workspaces and memories over the control socket. No call of it is for a task."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol, TypeVar

from anyio import to_thread

from slated.errors import BadRequest, SlateError
from slated.records import Records
from slated.requests import Reader
from slated.sac.catch_up import Report
from slated.sac.workspace import Workspace, WorkspaceBook
from slated.stores import Project, Stores

PAGE_BYTES: Final = 200_000
"""How much of a list goes into one answer; a single row is always whole."""
USER_SCOPE: Final = "user"
Told = Mapping[str, object]
Made = TypeVar("Made")


class Caller(Protocol):
    """The connection a call came over."""

    @property
    def stores(self) -> Stores:
        """What is kept."""
        ...

    @property
    def records(self) -> Records:
        """The audit log."""
        ...

    async def person(self, what: str) -> None:
        """Raise `refused.not_a_person` unless a person is at the other end."""
        ...

    def shows_questions(self) -> None:
        """From now on no agent may act on the terminal this connection comes from."""
        ...


@dataclass(frozen=True, slots=True)
class _Present:
    """A person whose presence was shown a moment ago."""

    subject: str

    def present(self, deed: str) -> str:
        return self.subject


def paged(rows: Sequence[Told], given: Reader) -> Told:
    """The rows from number `from` on that fit an answer, and the number to go on with (None at the end)."""
    start = max(0, given.number("from") or 0)
    kept: list[Told] = []
    size = 0
    for row in rows[start:]:
        size += len(json.dumps(row))
        if kept and size > PAGE_BYTES:
            break
        kept.append(row)
    end = start + len(kept)
    return {"rows": kept, "next": end if end < len(rows) else None}


async def _project(caller: Caller, given: Reader, what: str) -> tuple[Project, _Present]:
    """The project of a call by a person. Raises `refused.not_a_person`, `bad_request.field`."""
    await caller.person(what[:120])
    directory = given.text("project")
    if not directory.startswith("/"):
        raise BadRequest("field", "project must be an absolute directory.")
    project = await to_thread.run_sync(caller.stores.project, Path(directory))
    return project, _Present(caller.stores.subject)


async def _recorded(caller: Caller, facts: Told, work: Callable[[], Made]) -> Made:
    """Do it with a line in the audit log before, and one after if it fails."""
    await caller.records.review(facts)
    try:
        return await to_thread.run_sync(work)
    except SlateError as error:
        await caller.records.review(facts, failed=error.code)
        raise


# -- what waits ----------------------------------------------------------------------------------


async def catch_up(caller: Caller, given: Reader) -> Told:
    """Everything no person has looked at yet, as rows with a `section` each; `screen` if it is shown for review."""
    project, _ = await _project(caller, given, "catch-up")
    if given.flag("screen", default=False):
        caller.shows_questions()
    only = given.text("workspace") or None
    report = await to_thread.run_sync(lambda: project.catch_up.report(workspace_id=only))
    return paged(report_rows(report), given)


def report_rows(report: Report) -> list[Told]:
    """The sections one after the other; Seeds are counted here and told by `seeds`."""
    rows: list[Told] = []
    for waiting in report.proposals:
        one, standing = waiting.proposal, waiting.standing
        rows.append(
            {
                "section": "proposal",
                "id": one.id,
                "workspace": one.workspace_id,
                "kind": one.kind,
                "slate": one.slate_id,
                "author": one.author,
                "created": one.created_at,
                "digest": one.digest,
                "status": standing.status,
                "fresh": standing.fresh,
                "reason": standing.reason,
                "writing": standing.writing or "",
                "seeds": len(one.seeds),
            }
        )
    for left in report.candidates:
        rows.append(
            {
                "section": "candidate",
                "slate": left.slate.id,
                "why": left.why,
                "kinds": dict(left.kinds),
                "workspace": left.slate.workspace_id or "",
                "anchors": dict(left.slate.anchors),
                "closed": left.slate.closed_at or "",
            }
        )
    rows += [{"section": "closing", "slate": slate} for slate in report.closing]
    rows += [{"section": "page", "path": path, "why": why} for path, why in report.unreviewed_pages]
    rows += [
        {"section": "damaged", "what": what, "why": why, "next": step}
        for what, why, step in report.damaged
    ]
    return rows


async def seeds(caller: Caller, given: Reader) -> Told:
    """The Seeds of a proposal, or of a closed slate that is in no workspace, as rows."""
    project, _ = await _project(caller, given, "read Seeds")
    slate, workspace, name = (given.text(key) for key in ("slate", "workspace", "proposal"))

    def found() -> list[Told]:
        if slate:
            left = project.catch_up.candidate(slate)
            return [seed.shown() for kind in left.kinds for seed in left.seeds(kind)]
        return [seed.shown() for seed in project.proposals.load(workspace, name).seeds]

    return paged(await to_thread.run_sync(found), given)


async def candidate(caller: Caller, given: Reader) -> Told:
    """Bind, propose, dismiss, retry or set aside a slate; the outcome of each kind, or where the file went."""
    deed, slate = given.text("deed"), given.text("slate")
    project, person = await _project(caller, given, f"{deed} slate {slate}")
    room = project.catch_up
    workspace, title, reason = (given.text(key) for key in ("workspace", "title", "reason"))
    works: Mapping[str, Callable[[], object]] = {
        "bind": lambda: room.bind(slate, workspace, person=person),
        "propose": lambda: room.propose(slate, title=title or None, person=person),
        "dismiss": lambda: room.dismiss(slate, reason, person=person),
        "retry": lambda: room.retry(slate),
        "set-aside": lambda: room.set_aside(slate, person=person),
    }
    if deed not in works:
        raise BadRequest("field", f"deed must be one of {', '.join(works)}.")
    facts = {"deed": deed, "slate": slate, "workspace": workspace, "by": person.subject}
    return {"made": await _recorded(caller, facts, works[deed])}


async def confirm(caller: Caller, given: Reader) -> Told:
    """A token to accept exactly the proposal whose `digest` was shown."""
    workspace, name = given.text("workspace"), given.text("proposal")
    project, person = await _project(caller, given, f"accept {name}")
    caller.shows_questions()
    digest = given.text("digest")
    if not digest:
        raise BadRequest("field", "digest must be that of the proposal as it was shown.")
    token = await to_thread.run_sync(
        lambda: project.review.confirm(workspace, name, person=person, digest=digest)
    )
    return {"token": token}


async def decide(caller: Caller, given: Reader) -> Told:
    """Accept (with the token), reject or dismiss a proposal; its new standing."""
    decision, name = given.text("decision"), given.text("proposal")
    project, person = await _project(caller, given, f"{decision} {name}")
    workspace, reason = given.text("workspace"), given.text("reason")
    token = given.text("token") or None
    facts = {"decision": decision, "proposal": name, "workspace": workspace, "by": person.subject}
    standing = await _recorded(
        caller,
        facts,
        lambda: project.review.decide(
            workspace, name, decision, person=person, reason=reason, token=token
        ),
    )
    return {"status": standing.status, "path": standing.path}


# -- workspaces ----------------------------------------------------------------------------------


async def workspaces(caller: Caller, given: Reader) -> Told:
    """The project's workspaces as rows; archived ones where they are asked for."""
    project, _ = await _project(caller, given, "list workspaces")
    archived = given.flag("archived", default=False)
    found = await to_thread.run_sync(lambda: project.book.visible(archived=archived))
    return paged([one.shown() for one in found], given)


async def workspace(caller: Caller, given: Reader) -> Told:
    """Make a workspace, show it or change it; what it is then."""
    deed = given.text("deed")
    project, person = await _project(caller, given, f"{deed} workspace")
    work = _WORKSPACE.get(deed)
    if work is None:
        raise BadRequest("field", f"deed must be one of {', '.join(_WORKSPACE)}.")
    id_ = given.text("workspace")

    def done() -> Workspace:
        return work(project.book, id_, given)

    if deed == "show":
        return (await to_thread.run_sync(done)).shown()
    facts = {"deed": f"{deed} workspace", "workspace": id_, "by": person.subject}
    return (await _recorded(caller, facts, done)).shown()


_WORKSPACE: Final[Mapping[str, Callable[[WorkspaceBook, str, Reader], Workspace]]] = {
    "show": lambda book, id_, given: book.get(id_),
    "create": lambda book, id_, given: book.create(given.text("title")),
    "rename": lambda book, id_, given: book.rename(id_, given.text("title")),
    "archive": lambda book, id_, given: book.archive(id_),
    "add": lambda book, id_, given: book.add_resource(id_, given.text("kind"), given.text("uri")),
    "remove": lambda book, id_, given: book.remove_resource(id_, given.text("uri")),
    "member": lambda book, id_, given: book.set_member(
        id_, given.text("subject"), given.text("role") or None
    ),
}


# -- memory --------------------------------------------------------------------------------------


async def memories(caller: Caller, given: Reader) -> Told:
    """What is remembered, oldest first, or the best matches of `query`, as rows; of one `scope` if it is given."""
    await caller.person("read the memory")
    query, scope = given.text("query"), given.text("scope")
    scopes = [scope] if scope else None

    def found() -> list[Told]:
        memory = caller.stores.memory()
        some = (
            memory.recall(query, scopes=scopes, limit=50) if query else memory.each(scopes=scopes)
        )
        return [one.shown() for one in some]

    return paged(await to_thread.run_sync(found), given)


async def remember(caller: Caller, given: Reader) -> Told:
    """Keep what the person says."""
    await caller.person("remember")
    text, scope = given.text("text"), given.text("scope") or USER_SCOPE
    facts = {"deed": "remember", "by": caller.stores.subject}
    kept = await _recorded(
        caller, facts, lambda: caller.stores.remember(text, scope=scope, origin="person")
    )
    return kept.shown()


async def forget(caller: Caller, given: Reader) -> Told:
    """Remove memories by `ids`, or all of one `scope`; how many, and which undo copies still hold them."""
    await caller.person("forget")
    ids, scope = given.of.get("ids", []), given.text("scope")
    if (
        not isinstance(ids, list)
        or any(type(one) is not int for one in ids)
        or bool(ids) == bool(scope)
    ):
        raise BadRequest("field", "give ids, a list of whole numbers, or a scope.")
    facts = {"deed": "forget", "memories": ids or scope, "by": caller.stores.subject}

    def work() -> Told:
        memory = caller.stores.memory()
        gone = memory.forget(ids=ids) if ids else memory.reset(scope)
        return {"forgotten": gone.count, "copies": list(gone.copies)}

    return await _recorded(caller, facts, work)


METHODS: Final[Mapping[str, Callable[[Caller, Reader], Awaitable[object]]]] = {
    "catch_up": catch_up,
    "seeds": seeds,
    "candidate": candidate,
    "review_confirm": confirm,
    "review": decide,
    "workspaces": workspaces,
    "workspace": workspace,
    "memories": memories,
    "remember": remember,
    "forget": forget,
}
"""The person's calls, by the name they have on the control socket."""
