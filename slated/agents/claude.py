"""Claude Code: how its hooks want to be answered, which of its servers are ours, how far a session is guarded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from slated.agents import claude_settings
from slated.agents.claude_settings import Place
from slated.agents.event import Event
from slated.agents.own import Own
from slated.model import Verdict

NAME: Final = "claude"
PROMPTS_AT_ASK: Final = True
"""A hook may hand the question to the program's own prompt."""
UNATTENDED: Final = frozenset(
    "-p --print --permission-prompt-tool --input-format --sdk-url".split()
)
"""Words of a command line after which nobody sits at the prompt."""


def answer(event: Event, verdict: Verdict, reason: str) -> Mapping[str, object] | None:
    """What the hook prints. None leaves the program to its own rules."""
    if event.moment == "PermissionRequest":
        if verdict is Verdict.ASK:
            return None
        decision: dict[str, object] = {"behavior": str(verdict)}
        if verdict is Verdict.DENY:
            decision["message"] = reason
        return _said(event, decision=decision)
    if verdict is Verdict.ALLOW and event.mode == "plan":
        return None  # what only plans is held back by the program itself
    return _said(event, permissionDecision=str(verdict), permissionDecisionReason=reason)


def _said(event: Event, **members: object) -> Mapping[str, object]:
    return {"hookSpecificOutput": {"hookEventName": event.moment, **members}}


def after_grant(event: Event, *, answered: bool) -> Mapping[str, object] | None:
    """The answer when a prompt is due for what the hook has let through.

    A person who said yes to exactly this is not asked again; else a rule of their own or a check of the program's
    wants the prompt.
    """
    return answer(event, Verdict.ALLOW, "") if answered else None


def place(event: Event, words: Sequence[str], environ: Mapping[str, str], home: Path) -> Place:
    """Where the settings of the session of an event are."""
    transcript = Path(event.transcript)
    known = len(transcript.parents) > 3 and transcript.parts[-3] == "projects"
    config = transcript.parents[2] if known else home / ".claude"
    project = environ.get("CLAUDE_PROJECT_DIR", "")
    return Place(config, Path(project if project.startswith("/") else event.cwd), tuple(words))


def files(where: Place) -> list[Path]:
    """The files to watch for a session."""
    return where.files()


def why_advisory(where: Place, mine: Own) -> str:
    """Why a session is not guarded; "" if it is."""
    return claude_settings.why_advisory(where, mine)


def server_is_ours(where: Place, event: Event, mine: Own) -> bool:
    """Whether the tool of an event is served by Slate itself."""
    return claude_settings.server_is_ours(where, event.server, event.source, mine)
