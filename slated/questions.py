"""What a person is shown of a wish: labelled facts and the risky parts, each on one escaped line."""

from __future__ import annotations

import json
import unicodedata

from slated.model import Tier
from slated.policy.decide import Decision
from slated.requests import Wanted

FACT_CHARACTERS = 1_200
MOST_PATHS = 20


def escaped(text: str, limit: int = FACT_CHARACTERS) -> str:
    """A text on one line in which nothing is invisible: controls, format and bidi marks, odd spaces are spelled out."""
    shown = "".join(
        character if _visible(character) else _spelled(character) for character in text[:limit]
    )
    return shown if len(text) <= limit else f"{shown}… (+{len(text) - limit} characters)"


def _visible(character: str) -> bool:
    if character == " ":
        return True
    return (
        unicodedata.category(character)[0] not in "CZ"
        and character != "\N{COMBINING GRAPHEME JOINER}"
    )


def _spelled(character: str) -> str:
    names = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}
    code = ord(character)
    return names.get(character, f"\\u{{{code:04X}}}")


def hidden(text: str) -> int:
    """How many characters of a text cannot be seen, line ends and tabs not counted."""
    return sum(not _visible(character) and character not in "\n\t\r" for character in text)


def facts_of(wanted: Wanted, decision: Decision, undo: str = "") -> list[tuple[str, str]]:
    """The facts: what would run as it was resolved, where, on what; never the agent's own description.

    `undo` says how far it could be taken back.
    """
    facts = [("tool", wanted.call.name)]
    for number, command in enumerate(decision.commands[:MOST_PATHS], 1):
        words = " ".join("?" if word is None else _quoted(word) for word in command.argv)
        facts.append((f"command {number}", words or command.shown))
        if command.program:
            facts.append((f"program {number}", command.program))
        facts += [("path", path) for path in command.paths[:MOST_PATHS]]
    for text in decision.texts:
        facts.append(("as written", text))
    if not decision.commands:
        facts += [(name, _plain(value)) for name, value in wanted.call.arguments.items()]
    scene = wanted.call.scene
    window = [("window", f"{scene.app_id} {_quoted(scene.title)}")] if scene.app_id else []
    element = [("element", f"{scene.role} {_quoted(scene.name)}")] if scene.role else []
    facts += [*window, *element, *wanted.facts, ("directory", wanted.cwd)]
    facts += [("undo", undo)] if undo else []
    return [(escaped(name, 40), escaped(value)) for name, value in facts]


def risky_of(decision: Decision) -> list[str]:
    """Each reason for asking, the deciding one first."""
    reasons = [f"{decision.reason} [{decision.rule}]"]
    for command in decision.commands:
        if command.tier is Tier.CONFIRM:
            reasons.append(f"{command.shown}: {command.reason} [{command.rule}]")
            reasons += [f"{command.shown}: {other}" for other in command.others]
    count = sum(hidden(text) for text in decision.texts)
    if count:
        reasons.insert(0, f"it holds {count} characters that cannot be seen")
    return [escaped(reason) for reason in dict.fromkeys(reasons)]


def _plain(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, default=str, ensure_ascii=False)


def _quoted(word: str) -> str:
    plain = word.isascii() and word.replace("_", "").replace("-", "").replace(".", "")
    simple = bool(plain) and all(c.isalnum() or c in "/=:,@%+._-" for c in word)
    return word if simple else json.dumps(word, ensure_ascii=False)
