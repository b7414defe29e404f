"""`slate workspace`: the shared contexts of a project, made and changed by its person."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from typing import Any

from slated.commands.connection import connected, project, rows
from slated.questions import escaped


def run(environ: Mapping[str, str], words: Sequence[str]) -> int:
    """Do what the words after `slate workspace` say; the exit code."""
    given = _parser().parse_args(words)
    facts = {
        name: value
        for name, value in vars(given).items()
        if name not in ("deed", "json", "archived", "project")
    }
    if facts.get("role") == "none":
        facts["role"] = ""
    where = project(given.project)
    with connected(environ) as slated:
        if given.deed == "list":
            found = rows(slated, "workspaces", project=where, archived=given.archived)
        else:
            found = [slated.ask("workspace", {"project": where, "deed": given.deed, **facts})]
    if given.json:
        print("\n".join(json.dumps(one) for one in found))
    else:
        print("\n".join(line for one in found for line in lines(one)) or "no workspace yet")
    return 0


def lines(one: Mapping[str, Any]) -> list[str]:
    """A workspace for a person: one line, and one for each member and resource."""
    members = [f"  {row['role']}  {escaped(row['subject'])}" for row in one["members"]]
    resources = [f"  {row['kind']}  {escaped(row['uri'])}" for row in one["resources"]]
    head = f"{one['id']}  {one['status']}  {escaped(one['title'])}  since {one['createdAt']}"
    return [head, *members, *resources]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="slate workspace", description="The project's workspaces."
    )
    # Options may stand before or after the deed.
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--project", default=".", metavar="DIR", help="default: this directory")
    shared.add_argument("--json", action="store_true", help="one object a line")
    deeds = parser.add_subparsers(dest="deed", required=True, metavar="DEED")

    def deed(name: str, text: str, *words: str) -> argparse.ArgumentParser:
        made = deeds.add_parser(name, help=text, description=text, parents=[shared])
        for word in words:
            made.add_argument(word, metavar=word.upper())
        return made

    deed("list", "all of them").add_argument("--archived", action="store_true", help="also those")
    deed("show", "one of them", "workspace")
    deed("create", "make one", "title")
    deed("rename", "give one another title", "workspace", "title")
    deed("archive", "let one take nothing new any more, for good", "workspace")
    deed("add", "add a file or directory of the project (./…)", "workspace", "kind", "uri")
    deed("remove", "take one out of the workspace", "workspace", "uri")
    member = deed("member", "say who may read or write", "workspace", "subject")
    member.add_argument("role", choices=("viewer", "editor", "none"))
    return parser
