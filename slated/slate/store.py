"""The slates of one project on disk: open, write a Seed, close, and closing what was left behind.

Blocking; the daemon calls it on a worker thread. Holds no list and no way from one id to another id's slate
except for the person's catch-up, which is no tool.
"""

from __future__ import annotations

import json
import os
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Protocol

from slated import files
from slated.errors import BadRequest, SlateError, Unavailable
from slated.rewriting import Rewriting
from slated.slate import seeds as words
from slated.slate.cache import Cache, Known
from slated.slate.seeds import Seed, Slate

PLACE = (".keryx", "external-slates")
ARCHIVE = "slate-archive"
IDLE = timedelta(hours=24)
_CLOSING = timedelta(minutes=1)
_SECOND_LOOK = timedelta(minutes=1)
_READS = 20
LOCK_DEADLINE_S = 1.5
_RECLAIM_S = 0.25
"""How long a call may spend on what others left behind; the next one goes on."""
_RECLAIMING = ".reclaiming"
"""A lock that no slate can have: one looks at a time, whoever comes meanwhile need not."""
_LOCKS = ".locks"
_LARGEST_FILE = 16 * 1024 * 1024
_OLD_TEMPORARY_S = 3600.0


class Workspaces(Protocol):
    """Where Seeds go when a slate closes."""

    def bindable(self, workspace_id: str) -> bool:
        """Whether it exists, is active and visible to this user."""
        ...

    def resolve(self, topic: str) -> str | None:
        """The workspace for a topic, made if the project has none; None when that would be a guess."""
        ...

    def propose(self, slate: Slate, workspace_id: str) -> list[dict[str, str]]:
        """One proposal for each kind; the outcome of each. Doing it again changes nothing."""
        ...


@dataclass(frozen=True, slots=True)
class Event:
    """Something the audit log should hold about a slate: opened, opened_by_another_peer, seed, closed."""

    name: str
    slate_id: str
    facts: Mapping[str, object]


class SlateStore:
    """The slates below one project directory.

    `now` gives aware UTC times. `tell` gets the events for the audit log, each after its effect and with no lock
    held. Each call either has its effect on disk when it returns, or raises one of the five kinds of SlateError.
    """

    def __init__(
        self,
        project: Path,
        workspaces: Workspaces,
        *,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        tell: Callable[[Event], None] = lambda _event: None,
        idle: timedelta = IDLE,
    ) -> None:
        self.project = project
        self._workspaces = workspaces
        self._now = now
        self._tell = tell
        self._idle = idle
        self._cache = Cache()
        self._writes: dict[str, Rewriting] = {}
        self._next_look: datetime | None = None

    def open(
        self,
        slate_id: str,
        workspace_id: str | None = None,
        anchors: object = None,
        *,
        peer: str = "",
    ) -> Slate:
        """The slate of this id, made if there is none; one that exists comes back as it is."""
        words.checked_id("slate.open", slate_id)
        kept = words.checked_anchors(anchors)
        with self._place() as place:
            self._reclaim(place, slate_id)
            slate = self._read(place, slate_id)
            made = None
            if slate is None:
                bound = self._bound(workspace_id, kept, slate_id)
                made = Slate(slate_id, bound, kept, (), self._time(), opened_by=peer)
                slate = self._made(place, made)
        facts = {"peer": peer, "workspace": slate.workspace_id or "", "opened_by": slate.opened_by}
        if slate is made:
            self._tell(Event("opened", slate_id, facts))
        elif peer != slate.opened_by:
            self._tell(Event("opened_by_another_peer", slate_id, facts))
        return slate

    def _made(self, place: int, slate: Slate) -> Slate:
        """This slate, on disk; or the one that another call made meanwhile."""
        with self._locked(place, slate.id):
            existing = self._read(place, slate.id)
            if existing is not None:
                return existing
            _ignored_by_git(place)
            self._write(place, slate)
            return slate

    def write_seed(
        self, slate_id: str, text: object, kind: object = None, *, harness: str = ""
    ) -> Seed:
        """Append one Seed and return it as stored."""
        words.checked_id("slate.writeSeed", slate_id)
        stored = words.checked_text(text)
        checked = words.checked_kind(kind)
        with self._place() as place:
            self._reclaim(place, slate_id)
            seed = self._append(place, slate_id, stored, checked, harness)
        self._tell(Event("seed", slate_id, {"seed": seed.id, "seed_kind": checked or ""}))
        return seed

    def _append(
        self, place: int, slate_id: str, stored: str, checked: str | None, harness: str
    ) -> Seed:
        with self._locked(place, slate_id):
            slate = self._read(place, slate_id)
            if slate is None:
                raise BadRequest(
                    "no_slate",
                    f"slate.writeSeed: there is no slate {slate_id}.",
                    next_step="Call slate.open with this externalSessionId first.",
                )
            seed = Seed(
                f"seed-{uuid.uuid4()}",
                stored,
                self._time(),
                checked,
                harness or words.UNNAMED_HARNESS,
            )
            self._write(place, slate.with_seed(seed), before=slate)
        return seed

    def close(self, slate_id: str) -> dict[str, object]:
        """Close it and send its Seeds on; closing again only retries what failed before."""
        words.checked_id("slate.close", slate_id)
        with self._place() as place:
            self._reclaim(place, slate_id)
        self.finish(slate_id, trigger="external-slate-close")
        return {"externalSessionId": slate_id, "closed": True}

    def finish(self, slate_id: str, *, trigger: str, only_idle: bool = False) -> None:
        """Mark as closing under the lock, propose outside it, then mark as closed.

        Two at once, or a crash in between, do no harm: what is proposed has ids made from its content.
        """
        with self._place() as place:
            with self._locked(place, slate_id, wait=not only_idle):
                slate = self._read(place, slate_id)
                if slate is None or (only_idle and not self._is_left(slate)):
                    return
                if slate.closing_at is None:
                    slate = replace(slate, closing_at=self._time())
                    self._write(place, slate)
            outcomes = self._send_on(slate, trigger)
            if slate.closed_at is None:
                with self._locked(place, slate_id):
                    current = self._read(place, slate_id)
                    if current is not None and current.closed_at is None:
                        self._write(place, replace(current, closed_at=self._time()))
        name = "closed" if slate.closed_at is None else "closed_again"
        self._tell(Event(name, slate_id, {"trigger": trigger, "outcomes": outcomes}))

    def _reclaim(self, place: int, sparing: str) -> None:
        """Close every other slate that was left untouched for too long or whose closing was cut off.

        Looks again only when one it knows may be due, and at the latest after a minute.
        """
        now = self._now()
        if self._next_look is not None and self._next_look - _SECOND_LOOK <= now <= self._next_look:
            return
        with suppress(Unavailable), self._locked(place, _RECLAIMING, wait=False):
            files.sweep_temporaries(place, older_than_s=_OLD_TEMPORARY_S)
            self._next_look = self._looked(place, sparing, now)

    def _looked(self, place: int, sparing: str, now: datetime) -> datetime | None:
        """Close what is due; when to look again, None for with the next call."""
        next_look: datetime | None = now + _SECOND_LOOK
        end = time.monotonic() + _RECLAIM_S
        for slate_id in self.ids(place):
            try:
                slate = self._read(place, slate_id)
                if slate is None or slate.closed_at:
                    continue
                due = self._due(slate)
                if due < now and slate_id != sparing:
                    self.finish(slate_id, trigger="external-slate-idle-reclaim", only_idle=True)
                elif next_look is not None:
                    # The caller's own, overdue, is for the next caller to close.
                    next_look = None if due < now else min(next_look, due)
            except SlateError:
                # Another hand's damaged file or busy lock must not stop this one; catch-up shows it.
                continue
            if time.monotonic() > end:
                return None
        return next_look

    def each(self) -> Iterator[tuple[str, Slate | SlateError]]:
        """For the person's catch-up only: every id with its slate, or why it cannot be read."""
        with self._place() as place:
            for slate_id in self.ids(place):
                try:
                    slate = self._read(place, slate_id)
                except SlateError as error:
                    yield slate_id, error
                else:
                    if slate is not None:
                        yield slate_id, slate

    def ids(self, place: int) -> list[str]:
        """The ids that have a file, well-named ones only."""
        stems = (name[:-5] for name in files.names(place) if name.endswith(".json"))
        return [stem for stem in stems if words.is_id(stem)]

    def set_aside(self, slate_id: str) -> str:
        """Move a damaged slate into its archive, so that its id is free; the new path below the project."""
        words.checked_id("catch-up", slate_id)
        with self._place() as place, self._locked(place, slate_id):
            name = f"{_stamp(self._time())}-damaged.json"
            with self._archive(slate_id) as archive:
                files.move_file(place, f"{slate_id}.json", archive, name)
            self._cache.forget(slate_id)
        return "/".join((*PLACE, slate_id, ARCHIVE, name))

    # -- on disk ---------------------------------------------------------------------------------

    @contextmanager
    def _place(self) -> Iterator[int]:
        with files.opened(self.project, *PLACE, create=True) as place:
            yield place

    @contextmanager
    def _locked(self, place: int, name: str, *, wait: bool = True) -> Iterator[None]:
        locks = files.child(place, _LOCKS)
        try:
            with files.locked(locks, name, deadline_s=LOCK_DEADLINE_S if wait else 0):
                yield
        finally:
            os.close(locks)

    def _archive(self, slate_id: str) -> AbstractContextManager[int]:
        return files.opened(self.project, *PLACE, slate_id, ARCHIVE, create=True)

    def _read(self, place: int, slate_id: str) -> Slate | None:
        name = f"{slate_id}.json"
        for _ in range(_READS):
            seen = files.signature(place, name)
            if seen is None:
                return None
            known = self._cache.of(slate_id)
            if known and known.seen == seen:
                return known.slate
            data = files.read_file(place, name, limit=_LARGEST_FILE)
            # Without the lock a writer may have come back to these very blocks.
            if data is not None and files.signature(place, name) == seen:
                break
        else:
            raise Unavailable("busy", f"{name} is being written.", next_step="Call again.")
        try:
            slate = words.decoded(data)
            if slate.id != slate_id:
                raise ValueError(f"it belongs to another externalSessionId than {slate_id}")
        except ValueError as error:
            raise _damaged(slate_id, str(error)) from error
        self._cache.keep(Known(seen, slate, words.lines(slate.seeds)))
        return slate

    def _write(self, place: int, slate: Slate, before: Slate | None = None) -> None:
        """Write it; with `before` its last Seed is new and the others stand in the file already."""
        known = self._cache.of(slate.id) if before is not None else None
        if known and known.slate is before:
            lines = words.SEPARATOR.join(filter(None, [known.lines, words.lines(slate.seeds[-1:])]))
        else:
            lines = words.lines(slate.seeds)
        writes = self._writes.setdefault(slate.id, Rewriting(f"{slate.id}.json"))
        seen = writes.write(place, words.encoded(slate, lines))
        if slate.closed_at:
            self._writes.pop(slate.id).drop(place)
        self._cache.keep(Known(seen, slate, lines))

    # -- closing ---------------------------------------------------------------------------------

    def _bound(self, asked: str | None, anchors: dict[str, object], slate_id: str) -> str | None:
        if asked is not None:
            if not self._workspaces.bindable(asked):
                raise BadRequest(
                    "workspace",
                    "slate.open: there is no active workspace of that id here.",
                    next_step="Leave workspaceId out, or ask the person for 'slate workspace list'.",
                )
            return asked
        try:
            return self._workspaces.resolve(words.topic(anchors, slate_id))
        except SlateError:
            # A slate must open even when no workspace can be made; it then stays unbound.
            return None

    def _is_left(self, slate: Slate) -> bool:
        return not slate.closed_at and self._due(slate) < self._now()

    def _due(self, slate: Slate) -> datetime:
        limit = _CLOSING if slate.closing_at else self._idle
        return _moment(slate.closing_at or slate.last_write_at) + limit

    def _send_on(self, slate: Slate, trigger: str) -> list[str]:
        """Propose or keep its Seeds; what became of each kind, in a few words."""
        groups = words.grouped(slate.seeds)
        if not groups:
            return []
        stamp = _stamp(slate.closing_at or slate.last_write_at)
        head: dict[str, object] = {"trigger": trigger, "generatedAt": slate.closing_at}
        if slate.workspace_id is None:
            self._artifact(
                slate.id, f"{stamp}-unbound-candidate.json", words.unbound_record(slate, head)
            )
            return [f"{kind}: unbound-candidate" for kind in groups]
        outcomes = self._workspaces.propose(slate, slate.workspace_id)
        record = {"recordType": "wrap-up-outcome", **head, "groups": outcomes}
        self._artifact(slate.id, f"{stamp}-wrap-up-outcome.json", record)
        return [
            f"{one['kind']}: {one['outcome']} {one.get('proposalId', '')}".strip()
            for one in outcomes
        ]

    def _artifact(self, slate_id: str, name: str, record: dict[str, object]) -> None:
        data = json.dumps(record, ensure_ascii=False, indent=2).encode() + b"\n"
        with self._archive(slate_id) as archive:
            files.replace_file(archive, name, data)

    def _time(self) -> str:
        return self._now().astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _ignored_by_git(place: int) -> None:
    """Looked at for each new slate: cleaning the work tree takes the whole directory away."""
    if files.signature(place, ".gitignore") is None:
        files.create_file(place, ".gitignore", b"*\n", mode=0o644)


def _damaged(slate_id: str, why: str) -> Unavailable:
    return files.damaged(
        f"The slate file {'/'.join(PLACE)}/{slate_id}.json",
        why,
        next_step="Use a new externalSessionId; the person can move the file aside with 'slate catch-up set-aside'.",
    )


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _stamp(text: str) -> str:
    return text.replace(":", "-").replace(".", "-")
