"""`slate memory`: what agents remember, for their person to read, add to and forget."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from typing import Any

from slated.commands.connection import connected, project, rows
from slated.questions import escaped


def run(environ: Mapping[str, str], words: Sequence[str]) -> int:
    """Do what the words after `slate memory` say; the exit code."""
    given = _parser().parse_args(words)
    scope = project(given.project) if given.project else given.scope
    with connected(environ) as slated:
        if given.deed == "remember":
            found = [slated.ask("remember", {"text": given.text, "scope": scope})]
        elif given.deed == "forget":
            facts = {"ids": given.ids} if given.ids else {"scope": scope}
            return _forgotten(slated.ask("forget", facts), as_json=given.json)
        else:
            query = " ".join(given.words) if given.deed == "find" else ""
            found = rows(slated, "memories", query=query, scope=scope)
    if given.json:
        print("\n".join(json.dumps(one) for one in found))
    else:
        print("\n".join(line(one) for one in found) or "nothing is remembered")
    return 0


def _forgotten(told: Mapping[str, Any], *, as_json: bool) -> int:
    print(json.dumps(told) if as_json else "\n".join(forgotten(told)))
    return 0


def forgotten(told: Mapping[str, Any]) -> list[str]:
    """What forgetting did, and what it could not reach."""
    shown = [f"{told['forgotten']} forgotten: no row, index entry or file of the memory holds them"]
    return shown + [f"still in an undo copy: {escaped(copy)}" for copy in told["copies"]]


def line(one: Mapping[str, Any]) -> str:
    """A memory on one line: its number, when, for what, where from, and its text."""
    origins = ", ".join(one["origin"])
    return (
        f"{one['id']}  {one['createdAt']}  {escaped(one['scope'], 200)}  ({escaped(origins, 200)})  "
        f"{escaped(one['text'], 4_000)}"
    )


def _parser() -> argparse.ArgumentParser:
    shared = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
    which = shared.add_mutually_exclusive_group()
    which.add_argument("--project", metavar="DIR", help="what is of a project")
    which.add_argument("--scope", metavar="SCOPE", help="what is of a scope: user or a directory")
    shared.add_argument("--json", action="store_true", help="one object a line")
    parser = argparse.ArgumentParser(
        prog="slate memory", description="What agents remember.", parents=[shared]
    )
    parser.set_defaults(project="", scope="", json=False, deed="list")
    deeds = parser.add_subparsers(dest="deed", metavar="DEED")
    deeds.add_parser("list", help="all of it, oldest first", parents=[shared])
    find = deeds.add_parser("find", help="the best matches", parents=[shared])
    find.add_argument("words", nargs="+", metavar="WORD")
    remember = deeds.add_parser("remember", help="add one", parents=[shared])
    remember.add_argument("text", metavar="TEXT")
    forget = deeds.add_parser("forget", help="remove some for good", parents=[shared])
    forget.add_argument("ids", nargs="*", type=int, metavar="ID", help="or a whole --scope")
    return parser
