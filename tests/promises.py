"""The safety promises: what each says, and whether what it speaks of exists yet."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Promise:
    """`says` is the promise; `needs` names the part that must exist before it can be broken ("":
    it exists).
    """

    says: str
    needs: str = ""


PROMISES: dict[str, Promise] = {
    "person-untouched": Promise(
        "The person's pointer, focus, keyboard layout and clipboard are untouched by any action on an agent's seat."
    ),
    "refused-reaches-no-adapter": Promise("A refused call reaches no adapter."),
    "released-after-cancel": Promise(
        "Keys and buttons are released after cancel, crash and disconnect."
    ),
    "no-typing-elsewhere": Promise("Nothing is typed when the focus is elsewhere."),
    "stale-ref-never-acts": Promise("A stale ref never acts."),
    "every-call-has-a-deadline": Promise("No call outlives its deadline."),
    "audit-before-stroke": Promise("The audit line is on disk before the first stroke."),
    "no-self-answer": Promise("An agent cannot answer its own question."),
    "undo-stays-inside": Promise(
        "Undo never leaves its root and never overwrites newer or shared work unasked."
    ),
    "slate-needs-exact-id": Promise("No tool returns a slate without its exact id."),
    "no-secret-stored": Promise(
        "A secret-shaped string is never stored in log, memory, notes, trail or Seeds."
    ),
    "gate-down-no-action": Promise("Gate down means no action."),
    "no-record-lost": Promise("Killing any process at any point loses no acknowledged record."),
}
