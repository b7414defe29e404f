"""The plan of one undo: which paths go back to what, which are left alone and why. Pure: previewed or applied as it is.

Built in two steps, because looking into files is the dear part: `choose` says from the history of each path whose its
changes are; `build` turns the chosen ones, with their content known, into steps that can all be done.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from slated.snapshots.entries import Entry, Kind, ancestors, parent, same, same_content, shown
from slated.snapshots.timeline import Call, Point, Timeline, Whose, changes


class Action(StrEnum):
    """What undo does at a path."""

    RESTORE = "restored"
    RECREATE = "recreated"
    DELETE = "deleted"
    ATTRIBUTES = "attributes restored"


class Reason(StrEnum):
    """Why a path with changes of the task is left as it is."""

    SHARED = "shared"
    LATER = "changed later"
    NO_COPY = "no copy"
    BLOCKED = "in the way"
    IN_USE = "in use"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A path that the chosen calls changed, or may have: `before` is what it was at `mark`, `now` what it is."""

    path: str
    mark: int
    before: Entry | None
    now: Entry | None
    reason: Reason | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """One path that goes back from `now` to `before`, as it was at `mark`.

    `links` is the set of paths that were one file: all of them become one staged file. `link_to` is a path that still
    is this file. `quiet` steps only set the times of a directory.
    """

    path: str
    action: Action
    mark: int
    before: Entry | None
    now: Entry | None
    links: tuple[str, ...] = ()
    link_to: str = ""
    quiet: bool = False


@dataclass(frozen=True, slots=True)
class Left:
    """A path that undo does not touch."""

    path: str
    reason: Reason
    why: str
    before: Entry | None = None
    now: Entry | None = None
    mark: int = 0


@dataclass(frozen=True, slots=True)
class Plan:
    """What one undo does below one root. `steps` are in order of paths."""

    steps: tuple[Step, ...]
    left: tuple[Left, ...]

    @property
    def loud(self) -> tuple[Step, ...]:
        """The steps a person wants to hear about."""
        return tuple(step for step in self.steps if not step.quiet)


Identity = tuple[int, int, int]


def identity(entry: Entry) -> Identity:
    """What a file keeps when it is moved: inode, size and time of its bytes; an inode alone is soon used again."""
    return entry.ino, entry.size, entry.mtime_ns


@dataclass(frozen=True, slots=True)
class Around:
    """What a plan must know of other paths than its candidates: `present` ones keep their directories, at `missing`
    ones is no directory, and `touched` tells by which mark the last thing had happened to one; `now` is the last
    mark. `stood` has the files that stood at a path since the first mark, as by `identity`.
    """

    present: frozenset[str] = frozenset()
    missing: frozenset[str] = frozenset()
    touched: Mapping[str, int] | None = None
    now: int = 0
    stood: Mapping[str, Collection[Identity]] = field(default_factory=dict)


Links = Callable[[int, Entry], tuple[str, ...]]
"""The paths that were the file of an entry at a mark."""


def choose(
    root: str,
    histories: Mapping[str, Sequence[Point]],
    timeline: Timeline,
    task: str,
    chosen: Collection[Call],
) -> list[Candidate]:
    """The paths below `root` that the chosen calls of the task changed; with `reason` where others did too."""
    found = []
    for path in sorted(histories):
        if candidate := _candidate(root, path, histories[path], timeline, (task, chosen)):
            found.append(candidate)
    return found


def _candidate(
    root: str,
    path: str,
    points: Sequence[Point],
    timeline: Timeline,
    who: tuple[str, Collection[Call]],
) -> Candidate | None:
    task, chosen = who
    start: Point | None = None
    timed: Point | None = None
    reason: Reason | None = None
    why, times_lost = "", False
    for one, two in changes(points):
        whole = f"{root.rstrip('/')}/{path}" if path else root
        whose, with_whom = timeline.whose(whole, one.mark, two.mark, task, chosen)
        if _times_only(one.entry, two.entry):
            if whose is Whose.OWN:
                timed = timed or start or one
            else:
                times_lost = times_lost or bool(start or timed)
        elif whose is Whose.OTHER:
            if start and reason is None:
                reason, why = Reason.LATER, "it was changed after this task's call"
        else:
            start = start or timed or one
            if whose is Whose.SHARED:
                reason, why = Reason.SHARED, why or with_whom
    now = points[-1].entry if points else None
    first = start or timed
    if first is None or (start is None and times_lost):
        return None
    before = first.entry
    if before and now and times_lost and before.kind is now.kind is Kind.DIRECTORY:
        before = replace(before, mtime_ns=now.mtime_ns)
    return Candidate(path, first.mark, before, now, reason, why)


def _times_only(before: Entry | None, after: Entry | None) -> bool:
    """Whether a directory differs in its times alone: names in it came or went, which is told of these."""
    if before is None or after is None or before.kind is not Kind.DIRECTORY:
        return False
    return before.ino == after.ino and same(before, after)


def build(
    candidates: Iterable[Candidate],
    include: Collection[str],
    links: Links,
    around: Around | None = None,
) -> Plan:
    """Steps for the candidates that are the task's alone or named in `include`; entries hold their content.

    `around` is what is known of other paths.
    """
    draft = _Draft(links, around or Around())
    for candidate in _of_one_mind(list(candidates), links, around.now if around else 0):
        draft.add(candidate, candidate.path in include)
    draft.join_links(include)
    draft.settle()
    steps = tuple(draft.steps[path] for path in sorted(draft.steps))
    return Plan(steps, tuple(draft.left[path] for path in sorted(draft.left)))


def _of_one_mind(candidates: list[Candidate], links: Links, now: int) -> list[Candidate]:
    """Names of one file that was changed in place go back together or not at all."""
    own = {it.path for it in candidates if not it.reason}
    reasons = {it.path: it for it in candidates if it.reason}
    found = []
    for it in candidates:
        in_place = it.before and it.now and it.before.ino == it.now.ino
        linked = it.now and it.now.kind is Kind.FILE and it.now.nlink > 1
        if it.now and in_place and linked and not it.reason and not same(it.before, it.now):
            for other in links(now, it.now):
                if other not in own:
                    known = reasons.get(other)
                    why = known.why if known else "it was moved or linked by somebody else"
                    reason = known.reason if known else Reason.LATER
                    it = replace(it, reason=reason, why=f"{shown(other)} is the same file: {why}")
                    break
        found.append(it)
    return found


class _Draft:
    """A plan in the making."""

    def __init__(self, links: Links, around: Around) -> None:
        self._around = around
        self.steps: dict[str, Step] = {}
        self.left: dict[str, Left] = {}
        self._links = links
        self._now: dict[str, Entry | None] = {}
        self._mine: dict[str, Candidate] = {}
        self._named: set[str] = set()
        self._others: set[str] = set()

    def add(self, candidate: Candidate, named: bool) -> None:
        path, before, now = candidate.path, candidate.before, candidate.now
        self._now[path] = now
        if named:
            self._named.add(path)
        if candidate.reason and not named:
            self._others.add(path)
            if not same(before, now):
                self._leave(candidate, candidate.reason, candidate.why)
            return
        self._mine[path] = candidate
        if flaw := _flaw(before, now):
            self._leave(candidate, Reason.NO_COPY, flaw)
        elif action := _action(before, now):
            self.steps[path] = Step(path, action, candidate.mark, before, now)
        elif before and now and now.kind is Kind.DIRECTORY:
            self.steps[path] = Step(
                path, Action.ATTRIBUTES, candidate.mark, before, now, quiet=True
            )

    def _leave(self, it: Candidate | Step, reason: Reason, why: str) -> None:
        self.left[it.path] = Left(it.path, reason, why, it.before, it.now, it.mark)

    def join_links(self, include: Collection[str]) -> None:
        """Bring sets of hard links back as sets."""
        sets: dict[tuple[int, int], list[Candidate]] = {}
        for path, it in self._mine.items():
            before = it.before
            if before and before.kind is Kind.FILE and before.nlink > 1 and path not in self.left:
                sets.setdefault((it.mark, before.ino), []).append(it)
        for (mark, _), members in sets.items():
            self._join(mark, members, include)

    def _join(self, mark: int, members: list[Candidate], include: Collection[str]) -> None:
        first = members[0].before
        if first is None:
            return
        copied = [m for m in members if m.path in self.steps and self._copies(self.steps[m.path])]
        inodes = {m.now.ino if m.now else 0 for m in members}
        if not copied and len(inodes) == 1:
            return
        known = self._links(mark, first)
        if copied and len(known) < first.nlink and not all(m.path in include for m in copied):
            for member in members:
                if self.steps.pop(member.path, None):
                    self._leave(member, Reason.NO_COPY, "it has hard links undo does not cover")
            return
        survivors = [m for m in members if m.path not in self.steps and same(m.before, m.now)]
        keeper = next((m for m in survivors if m.now and m.now.ino == first.ino), None)
        rest = [m for m in members if m is not keeper and not (keeper and _one(m, keeper))]
        to = keeper.path if keeper else self._untouched(mark, known, members)
        names = tuple(sorted(m.path for m in rest))
        for it in rest:
            action = Action.RESTORE if it.now else Action.RECREATE
            step = Step(it.path, action, mark, it.before, it.now, links=names)
            self.steps[it.path] = replace(step, link_to=to) if to else step

    def _untouched(self, mark: int, known: Collection[str], members: Collection[Candidate]) -> str:
        """A name of the file to which nothing happened since: it went with no directory that was moved."""
        if (touched := self._around.touched) is None:
            return ""
        others = sorted({*known} - {member.path for member in members})
        return next((path for path in others if touched.get(path, 0) <= mark), "")

    def _copies(self, step: Step) -> bool:
        return step.action in {Action.RESTORE, Action.RECREATE}

    def settle(self) -> None:
        """Give up steps that could not be done without touching what is left; until nothing changes."""
        while blocked := self._blocked():
            for step, why in blocked:
                del self.steps[step.path]
                if not step.quiet:
                    self._leave(step, Reason.BLOCKED, why)

    def _blocked(self) -> list[tuple[Step, str]]:
        if moved := self._moved():
            return moved
        # Directories first: what is in one that stays has its place.
        kept = self._holding()
        held = [(step, why) for step in self.steps.values() if (why := _held(step, kept))]
        return held or [(s, why) for s in self.steps.values() if (why := self._homeless(s))]

    def _moved(self) -> list[tuple[Step, str]]:
        """The steps that would drop a file that had stood at a path which does not get it back: nobody else has it."""
        homes: dict[Identity, str] = {}
        for path in sorted({*self.left, *self._others}):
            now = self._now.get(path)
            for file in self._around.stood.get(path, ()):
                if not (now and now.ino == file[0]):
                    homes.setdefault(file, path)
        found = []
        for step in self.steps.values():
            home = homes.get(identity(step.now)) if step.now else None
            if home is not None and _drops(step) and step.path not in self._named:
                found.append((step, f"it is the file that stood at {shown(home)}, which is left"))
        return found

    def _homeless(self, step: Step) -> str:
        if step.path and step.action in {Action.RECREATE, Action.RESTORE}:
            above = parent(step.path)
            over = self.steps.get(above)
            becomes = over.before if over else self._now.get(above)
            known = over or above in self._now or above in self._around.missing
            if known and (becomes is None or becomes.kind is not Kind.DIRECTORY):
                return "its directory is gone, and not this task's to bring back"
        return ""

    def _holding(self) -> set[str]:
        """The directories in which something stays."""
        found: set[str] = set()
        for path in {*self._around.present, *(path for path, now in self._now.items() if now)}:
            step = self.steps.get(path)
            if step is None or step.action is not Action.DELETE:
                found.update(ancestors(path))
        return found


def _drops(step: Step) -> bool:
    """Whether a step leaves nothing of the bytes that stand there now, and they are no older ones written over."""
    before, now = step.before, step.now
    if now is None or now.kind is not Kind.FILE:
        return False
    return before is None or not (before.ino == now.ino or same_content(before, now))


def _held(step: Step, holding: Collection[str]) -> str:
    vanishes = step.before is None or step.before.kind is not Kind.DIRECTORY
    if step.path in holding and vanishes and step.now and step.now.kind is Kind.DIRECTORY:
        return "it holds something that is not this task's to delete"
    return ""


def _one(it: Candidate, keeper: Candidate) -> bool:
    """Whether a path is as it was and one file with a keeper."""
    together = it.now and keeper.now and it.now.ino == keeper.now.ino
    return bool(together) and same(it.before, it.now)


def _flaw(before: Entry | None, now: Entry | None) -> str:
    """Why there is no way back from `now` to `before` and forth again; "" when there is."""
    if same(before, now):
        return ""
    if before and before.flaw and not (now and same_content(before, now)):
        return before.flaw
    if now and now.flaw and not (before and same_content(before, now)):
        return now.flaw
    return ""


def _action(before: Entry | None, now: Entry | None) -> Action | None:
    if before is None:
        return Action.DELETE if now else None
    if now is None:
        return Action.RECREATE
    linked_since = before.nlink == 1 and now.nlink > 1 and before.ino != now.ino
    if before.kind is Kind.FILE and linked_since:
        return Action.RESTORE
    if same(before, now):
        return None
    if not same_content(before, now):
        return Action.RESTORE
    alone = before.nlink == now.nlink == 1 or before.kind is Kind.DIRECTORY
    in_place = alone or (before.ino == now.ino and before.nlink == now.nlink)
    fit = before.kind in {Kind.FILE, Kind.DIRECTORY}
    return Action.ATTRIBUTES if in_place and fit else Action.RESTORE
