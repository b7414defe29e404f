"""Workspaces of one project: what they are, who may do what in them, and their files in the data directory."""

from __future__ import annotations

import hashlib
import json
import re
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from slated import files
from slated.errors import BadRequest, Refused, SlateError, Unavailable
from slated.redact import redact

RANKS = {"viewer": 0, "editor": 1, "owner": 2}
RESOURCE_KINDS = (
    "component",
    "repository",
    "flow",
    "wiki",
    "memory",
    "skill",
    "evidence",
    "worktree",
    "session",
)
LOCK_DEADLINE_S = 1.5
_ID = re.compile(r"[a-z][a-z0-9-]{2,63}\Z", re.ASCII)
_SUBJECT = re.compile(r"[a-z]+:[A-Za-z0-9._@-]{1,128}\Z", re.ASCII)
_URI = re.compile(r"\./[A-Za-z0-9._-]+(?:/[A-Za-z0-9._-]+)*\Z", re.ASCII)
_FILE = "workspace.json"
_LARGEST = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Resource:
    """A file or directory of the project that belongs to a workspace; `uri` starts with `./`."""

    kind: str
    uri: str


@dataclass(frozen=True, slots=True)
class Workspace:
    """A shared context: members by subject with a role, resources, active or archived."""

    id: str
    title: str
    status: str
    members: tuple[tuple[str, str], ...]
    resources: tuple[Resource, ...]
    created_at: str
    updated_at: str

    def shown(self) -> dict[str, object]:
        """The form a caller reads and the disk holds."""
        return {
            "schemaVersion": "1.0",
            "id": self.id,
            "title": self.title,
            "status": self.status,
            "members": [{"subject": subject, "role": role} for subject, role in self.members],
            "resources": [{"kind": one.kind, "uri": one.uri} for one in self.resources],
            "createdAt": self.created_at,
            "updatedAt": self.updated_at,
        }

    def role(self, subject: str) -> str | None:
        """The subject's role, or None for a stranger."""
        return dict(self.members).get(subject)


class WorkspaceBook:
    """The workspaces of the project at `project`, kept below `data`, as `subject` may see them.

    They live outside the project: no repository can plant one and no undo takes one back.
    """

    def __init__(
        self,
        data: Path,
        project: Path,
        subject: str,
        *,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.data = data
        self.project = project.resolve()
        self.subject = subject
        self._now = now
        key = hashlib.sha256(str(self.project).encode("utf-8", "surrogateescape")).hexdigest()[:16]
        self.place = ("sac", key)

    def time(self) -> str:
        """Now, as records hold it."""
        stamp = self._now().astimezone(UTC).isoformat(timespec="milliseconds")
        return stamp.replace("+00:00", "Z")

    def create(self, title: str) -> Workspace:
        """A new workspace with this subject as its owner."""
        with self.project_lock():
            return self._create(title)

    def resolve(self, topic: str) -> str | None:
        """The active workspace titled exactly so; a new one when there is none at all; else None.

        Anything more would be a guess, and Seeds are never proposed against a guessed id.
        """
        title = _title(topic)
        with self.project_lock():
            active = self.visible()
            if not active:
                return self._create(title).id
            same = [one.id for one in active if one.title == title]
            return same[0] if len(same) == 1 else None

    def get(self, workspace_id: str, *, least: str = "viewer") -> Workspace:
        """The workspace, if this subject has at least that role in it.

        Raises BadRequest (`workspace`) when there is none by that id or it is not the subject's to see.
        """
        workspace = self._load(workspace_id)
        role = workspace.role(self.subject) if workspace else None
        if workspace is None or role is None:
            raise _unknown()
        if RANKS[role] < RANKS[least]:
            raise Refused(
                "role",
                f"This needs the role {least}; yours is {role}.",
                next_step="Ask the workspace's owner.",
            )
        return workspace

    def visible(self, *, archived: bool = False) -> list[Workspace]:
        """The workspaces this subject may see, by id; damaged ones are left to catch-up."""
        found = []
        for workspace_id in self.ids():
            try:
                workspace = self.get(workspace_id)
            except SlateError:
                continue
            if archived or workspace.status == "active":
                found.append(workspace)
        return found

    def ids(self) -> list[str]:
        """Every well-formed id there is a directory for."""
        with files.opened(self.data, *self.place, "workspaces", create=True) as place:
            return [name for name in files.names(place) if _ID.match(name)]

    def archive(self, workspace_id: str) -> Workspace:
        """Take no more proposals or resources; once archived it stays so."""
        return self._change(workspace_id, "owner", lambda one: replace(one, status="archived"))

    def rename(self, workspace_id: str, title: str) -> Workspace:
        """Give it another title."""
        return self._change(workspace_id, "owner", lambda one: replace(one, title=_title(title)))

    def set_member(self, workspace_id: str, subject: str, role: str | None) -> Workspace:
        """Add a member, change a role, or with None remove one; the owner stays the owner."""
        if not _SUBJECT.match(subject) or role not in (None, "viewer", "editor"):
            raise BadRequest(
                "member", "A member is a subject such as user:local-1000 with viewer or editor."
            )

        def change(one: Workspace) -> Workspace:
            if one.role(subject) == "owner":
                raise Refused(
                    "owner", "The owner cannot be changed.", next_step="Make a new workspace."
                )
            others = tuple(pair for pair in one.members if pair[0] != subject)
            return replace(one, members=(*others, (subject, role)) if role else others)

        return self._change(workspace_id, "owner", change)

    def add_resource(self, workspace_id: str, kind: str, uri: str) -> Workspace:
        """Add a file or directory that exists inside the project."""
        if kind not in RESOURCE_KINDS or not _URI.match(uri) or ".." in PurePosixPath(uri).parts:
            raise BadRequest(
                "resource",
                "A resource is one of the known kinds and a path such as ./docs/a.md.",
                next_step=f"Kinds: {', '.join(RESOURCE_KINDS)}.",
            )
        real = (self.project / uri).resolve()
        if not real.exists() or not real.is_relative_to(self.project):
            raise BadRequest(
                "resource", f"{uri} is not inside the project.", next_step="Give an existing path."
            )

        def change(one: Workspace) -> Workspace:
            if one.status == "archived":
                raise archived_refusal()
            others = tuple(held for held in one.resources if held.uri != uri)
            return replace(one, resources=(*others, Resource(kind, uri)))

        return self._change(workspace_id, "editor", change)

    def remove_resource(self, workspace_id: str, uri: str) -> Workspace:
        """Take a resource out of the workspace; the file itself stays."""
        return self._change(
            workspace_id,
            "owner",
            lambda one: replace(
                one, resources=tuple(held for held in one.resources if held.uri != uri)
            ),
        )

    @contextmanager
    def directory(self, workspace_id: str, *inner: str) -> Iterator[int]:
        """The open directory of a workspace, or one inside it. The id is checked before any path is made."""
        if not _ID.match(workspace_id):
            raise _unknown()
        where = (*self.place, "workspaces", workspace_id, *inner)
        with files.opened(self.data, *where, create=True) as place:
            yield place

    @contextmanager
    def locked(self, workspace_id: str) -> Iterator[int]:
        """The directory of an existing workspace, with its lock held."""
        with (
            self.directory(workspace_id) as place,
            files.locked(place, ".lock", deadline_s=LOCK_DEADLINE_S),
        ):
            yield place

    @contextmanager
    def project_lock(self) -> Iterator[int]:
        """The directory of the whole project's records, with its lock held."""
        with (
            files.opened(self.data, *self.place, create=True) as place,
            files.locked(place, ".lock", deadline_s=LOCK_DEADLINE_S),
        ):
            yield place

    def _create(self, title: str) -> Workspace:
        now = self.time()
        name = f"workspace-{secrets.token_hex(8)}"
        made = Workspace(name, _title(title), "active", ((self.subject, "owner"),), (), now, now)
        with self.directory(name) as place:
            files.create_file(place, _FILE, _encoded(made))
        return made

    def _change(
        self, workspace_id: str, least: str, change: Callable[[Workspace], Workspace]
    ) -> Workspace:
        self.get(workspace_id, least=least)
        with self.locked(workspace_id) as place:
            # Asked again under the lock: a role may have been taken away meanwhile.
            before = self.get(workspace_id, least=least)
            after = change(before)
            if after != before:
                after = replace(after, updated_at=self.time())
                files.replace_file(place, _FILE, _encoded(after))
            return after

    def _load(self, workspace_id: str) -> Workspace | None:
        if not _ID.match(workspace_id) or workspace_id not in self.ids():
            return None
        with self.directory(workspace_id) as place:
            data = files.read_file(place, _FILE, limit=_LARGEST)
        if data is None:
            return None
        try:
            return _decoded(data)
        except (ValueError, LookupError, TypeError, RecursionError) as error:
            raise _damaged(workspace_id) from error


def archived_refusal() -> Refused:
    """What an archived workspace answers to anything new."""
    return Refused("archived", "The workspace is archived.", next_step="Use an active workspace.")


def _unknown() -> BadRequest:
    return BadRequest(
        "workspace", "There is no such workspace here.", next_step="See 'slate workspace list'."
    )


def _damaged(workspace_id: str) -> Unavailable:
    return files.damaged(
        f"The manifest of {workspace_id}",
        "it is not what Slate wrote",
        next_step="Restore it from a backup.",
    )


def _title(text: str) -> str:
    return redact(" ".join(text.split()), pii=True)[:160].strip() or "Untitled"


def _encoded(workspace: Workspace) -> bytes:
    return json.dumps(workspace.shown(), indent=2, ensure_ascii=False).encode() + b"\n"


def _decoded(data: bytes) -> Workspace:
    raw = json.loads(data)
    members = tuple((str(one["subject"]), str(one["role"])) for one in raw["members"])
    if raw["status"] not in ("active", "archived") or any(role not in RANKS for _, role in members):
        raise ValueError("unknown status or role")
    return Workspace(
        str(raw["id"]),
        str(raw["title"]),
        raw["status"],
        members,
        tuple(Resource(str(one["kind"]), str(one["uri"])) for one in raw["resources"]),
        str(raw["createdAt"]),
        str(raw["updatedAt"]),
    )
