"""A made-up machine for the grader: every name is a program of the system unless said otherwise."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

from slated.policy.facts import Kind, Place, Program, ProtectedRoots, Repository, Setting
from slated.policy.grade import Graded, Grader
from slated.policy.paths import normal
from slated.policy.rules import Rulebook, Rules

HOME = "/home/dev"
PROJECT = "/home/dev/project"
SCRATCH = "/home/dev/.cache/scratch/t1"
SCRATCH_LINK = "/".join([SCRATCH, "work", "link-to-home"])
CORPUS = Path(__file__).resolve().parents[1] / "corpus"


class Row(NamedTuple):
    """One line of a corpus."""

    cmd: str
    note: str
    """The wanted tier, or the nature of the command."""
    label: str
    """The case, or the group."""


def corpus(name: str) -> list[Row]:
    """The lines of a corpus file."""
    rows = [json.loads(line) for line in (CORPUS / name).read_text(encoding="utf-8").splitlines()]
    return [Row(r["cmd"], r.get("tier") or r["nature"], r.get("id") or r["group"]) for r in rows]


@dataclass
class MadeUpFacts:
    """Facts from tables. `links` maps a path to what it leads to; `files` maps a path to its link count."""

    links: dict[str, str] = field(default_factory=dict)
    files: dict[str, int] = field(default_factory=dict)
    others: set[str] = field(default_factory=set)
    directories: set[str] = field(default_factory=set)
    programs: dict[str, Program] = field(default_factory=dict)
    repositories: dict[str, Repository] = field(default_factory=dict)

    def program(self, name: str, directory: str | None) -> Program:
        if name in self.programs:
            return self.programs[name]
        if "/" not in name:
            return Program(f"/usr/bin/{name}", system=True)
        path = normal(name if name.startswith("/") else f"{directory or '/nowhere'}/{name}")
        return Program(path, system=path.startswith(("/usr/bin/", "/bin/")))

    def _follow(self, path: str, last: bool) -> str:
        real = ""
        parts = [part for part in path.split("/") if part not in {"", "."}]
        for index, part in enumerate(parts):
            if part == "..":
                real = real.rpartition("/")[0]
                continue
            real = f"{real}/{part}"
            if real in self.links and (last or index < len(parts) - 1 or path.endswith("/")):
                real = self._follow(self.links[real], last=True)
        return real or "/"

    def place(self, path: str) -> Place:
        real, name = self._follow(path, last=True), self._follow(path, last=False)
        if name in self.links and not path.endswith("/"):
            kind = Kind.LINK
        elif real in self.others:
            kind = Kind.OTHER
        elif real in self.directories:
            kind = Kind.DIRECTORY
        else:
            kind = Kind.FILE if real in self.files else Kind.MISSING
        return Place(real, name, kind, self.files.get(real, 1))

    def expand(self, pattern: str) -> tuple[str, ...] | None:
        wanted = [part for part in normal(pattern).split("/") if part]
        found = []
        for path in (*self.files, *self.directories, *self.links):
            have = [part for part in path.split("/") if part]
            if len(have) == len(wanted) and all(
                fnmatchcase(h, w) and not (h.startswith(".") and w[0] in "*?[")
                for h, w in zip(have, wanted, strict=True)
            ):
                found.append(path)
        return tuple(found) if len(found) < 200 else None

    def repository(self, directory: str) -> Repository:
        path = normal(directory)
        for top, repository in self.repositories.items():
            if path == top or path.startswith(f"{top}/"):
                return repository
        return Repository(PROJECT if path.startswith(PROJECT) else None)


def rules(text: str = "") -> Rules:
    """Rules of a policy file that is known to be good."""
    book = Rulebook(HOME)
    problems = book.take(text)
    assert not problems, problems
    return book.rules


def setting(directory: str = PROJECT, shell: str = "bash") -> Setting:
    return Setting(directory, HOME, {"SCRATCH": SCRATCH}, shell)


def facts() -> MadeUpFacts:
    """The usual machine: a project with a few files, and a scratch directory with a link to home."""
    return MadeUpFacts(
        links={SCRATCH_LINK: HOME},
        files=dict.fromkeys(
            [
                f"{PROJECT}/{name}"
                for name in ("a.py", "README.md", "CLAUDE.md", "x.log", "notes.txt")
            ],
            1,
        ),
        directories={PROJECT, f"{PROJECT}/src", HOME, "/home/other"},
    )


def grade(
    text: str,
    policy: str = "",
    *,
    machine: MadeUpFacts | None = None,
    roots: tuple[str, ...] = (PROJECT, SCRATCH),
    directory: str = PROJECT,
    person_shell: str = "bash",
) -> Graded:
    """Grades a line on the made-up machine; undo covers the project and the scratch directory."""
    grader = Grader(machine or facts(), ProtectedRoots(roots), rules(policy))
    return grader.grade(text, setting(directory, person_shell))
