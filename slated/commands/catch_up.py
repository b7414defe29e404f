"""`slate catch-up`: all of a project that no person has looked at yet, and what can be done short of a review."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from typing import Any

from slated.commands.connection import connected, project, rows
from slated.questions import escaped

SECTIONS: Mapping[str, str] = {
    "proposal": "Proposals that wait for `slate review`",
    "candidate": "Slates whose Seeds are in no workspace",
    "closing": "Slates that are closing now",
    "page": "Knowledge pages that nobody reviewed",
    "damaged": "Damaged",
}
Row = Mapping[str, Any]


def run(environ: Mapping[str, str], words: Sequence[str]) -> int:
    """Do what the words after `slate catch-up` say; the exit code."""
    given = _parser().parse_args(words)
    where = project(given.project)
    with connected(environ) as slated:
        if given.deed is None:
            return _show(rows(slated, "catch_up", project=where, workspace=given.workspace), given)
        named = {n: v for n, v in vars(given).items() if n not in ("project", "json") and v}
        made = slated.ask("candidate", {"project": where, **named})["made"]
    if given.json:
        print(json.dumps(made))
    else:
        print("\n".join(done(given.deed, made)))
    failed = isinstance(made, list) and any(one["outcome"] != "proposed" for one in made)
    return 1 if failed else 0


def done(deed: str, made: Any) -> list[str]:
    """What became of a slate, for a person."""
    if isinstance(made, list):
        return [
            f"{one['kind']}: {one['outcome']} {one.get('proposalId') or escaped(one.get('message', ''))}"
            for one in made
        ]
    return [
        {"retry": "tried again; see `slate catch-up`"}.get(
            deed, f"{deed}: done {escaped(made or '')}".strip()
        )
    ]


def _show(found: Sequence[Row], given: argparse.Namespace) -> int:
    if given.json:
        for row in found:
            print(json.dumps(row))
    else:
        print("\n".join(lines(found)) or "Nothing waits: everything was reviewed.")
    return 0


def lines(found: Sequence[Row]) -> list[str]:
    """The report for a person, a heading for each section that has something."""
    shown: list[str] = []
    for section, title in SECTIONS.items():
        members = [line(row) for row in found if row["section"] == section]
        if members:
            shown += [f"{title}:", *(f"  {member}" for member in members)]
    return shown


def line(row: Row) -> str:
    """One thing that waits, on one line."""
    match row["section"]:
        case "proposal":
            return (
                f"{row['id']}  {row['kind']}: {row['seeds']} Seed(s) of slate {row['slate']} "
                f"in {row['workspace']}{standing(row)}"
            )
        case "candidate":
            kinds = ", ".join(f"{count} {kind}" for kind, count in row["kinds"].items())
            why = (
                f"proposing into {row['workspace']} failed (retry, propose, bind or dismiss)"
                if row["why"] == "failed"
                else "bound to no workspace (bind, propose or dismiss)"
            )
            return f"{row['slate']}  {kinds}: {why}"
        case "closing":
            return str(row["slate"])
        case "page":
            return f"{escaped(row['path'])}: {row['why']}"
        case _:
            return f"{escaped(row['what'])}: {escaped(row['why'])} {escaped(row['next'])}".strip()


def standing(row: Row) -> str:
    """What is special about a proposal that waits; "" if nothing is."""
    if not row["fresh"]:
        return "; ITS FILE IS NOT WHAT WAS PROPOSED"
    if row["status"] == "stale":
        return f"; tried before: {escaped(row['reason'], 200)}"
    if row["writing"]:
        return "; accepting it was cut off and can be repeated"
    return ""


def _parser() -> argparse.ArgumentParser:
    shared = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
    shared.add_argument("--project", metavar="DIR", help="default: this directory")
    shared.add_argument("--json", action="store_true", help="for programs")
    parser = argparse.ArgumentParser(
        prog="slate catch-up", description="What no person has looked at yet.", parents=[shared]
    )
    parser.set_defaults(project=".", json=False)
    parser.add_argument("--workspace", default="", metavar="ID", help="proposals of one only")
    deeds = parser.add_subparsers(dest="deed", metavar="DEED")

    def deed(name: str, text: str) -> argparse.ArgumentParser:
        made = deeds.add_parser(name, help=text, description=text, parents=[shared])
        made.add_argument("slate", metavar="SLATE")
        return made

    bind = deed("bind", "propose its Seeds into a workspace")
    bind.add_argument("workspace", metavar="WORKSPACE")
    deed("propose", "the same into a new workspace").add_argument("--title", metavar="TEXT")
    deed("dismiss", "leave its Seeds unproposed").add_argument("--reason", metavar="TEXT")
    deed("retry", "propose again what failed when it closed")
    deed("set-aside", "move a damaged slate file out of the way")
    return parser
