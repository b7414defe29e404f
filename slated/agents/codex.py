"""Codex: how its hooks want to be answered, which of its servers are ours, how far a session is guarded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from slated.agents import codex_config
from slated.agents.codex_config import Place
from slated.agents.event import Event
from slated.agents.own import Own
from slated.model import Verdict

NAME: Final = "codex"
PROMPTS_AT_ASK: Final = False
"""A hook that says "ask" counts as failed, and the call runs."""
UNATTENDED: Final = frozenset(("exec", "e", "app-server"))


def answer(event: Event, verdict: Verdict, reason: str) -> Mapping[str, object] | None:
    """What the hook prints. A yes before a call is silence: an "allow" would count as failed, and let it run unseen."""
    if event.moment == "PermissionRequest":
        if verdict is Verdict.ASK:
            return None
        decision: dict[str, object] = {"behavior": str(verdict)}
        if verdict is Verdict.DENY:
            decision["message"] = reason
        return {"hookSpecificOutput": {"hookEventName": event.moment, "decision": decision}}
    if verdict is Verdict.ALLOW:
        return None
    return {
        "hookSpecificOutput": {
            "hookEventName": event.moment,
            "permissionDecision": str(Verdict.DENY),
            "permissionDecisionReason": reason,
        }
    }


def after_grant(event: Event, *, answered: bool) -> Mapping[str, object] | None:
    """The answer when a prompt is due for what the hook has let through: the same yes."""
    return answer(event, Verdict.ALLOW, "")


def place(event: Event, words: Sequence[str], environ: Mapping[str, str], home: Path) -> Place:
    """Where the configuration of the session of an event is."""
    transcript = Path(event.transcript)
    told = environ.get("CODEX_HOME", "")
    config = Path(told) if told.startswith("/") else home / ".codex"
    if "sessions" in transcript.parts:
        at = len(transcript.parts) - 1 - transcript.parts[::-1].index("sessions")
        config = Path(*transcript.parts[:at])
    return Place(config, Path(event.cwd), tuple(words))


def files(where: Place) -> list[Path]:
    """The files to watch for a session."""
    return where.files()


def why_advisory(where: Place, mine: Own) -> str:
    """Why a session is not guarded; "" if it is."""
    return codex_config.why_advisory(where)


def server_is_ours(where: Place, event: Event, mine: Own) -> bool:
    """Whether the tool of an event is served by Slate itself."""
    return codex_config.server_is_ours(where, event.server, mine)
