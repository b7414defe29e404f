"""Keyboard tools: type text, press chords."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, Field

from slate_desktop.intent import Action, PressKeys, TypeText
from slate_desktop.keys import parse_chord, text_bursts
from slate_desktop.lease import Lease
from slate_desktop.render import Reply
from slate_desktop.tools.acting import acted
from slate_desktop.tools.arguments import FieldName, ObserveName, aim
from slated.model import Grant, Tier
from slated.toolspec import Args, ToolSpec, unstring


class TypeArgs(Args):
    """Arguments of desktop_type."""

    text: Annotated[
        str,
        Field(
            description="typed literally; a line end is Return", min_length=1, max_length=100_000
        ),
    ]
    target: FieldName = None
    submit: Annotated[bool, Field(description="Return at the end")] = False
    observe: ObserveName = "auto"


class KeyArgs(Args):
    """Arguments of desktop_key."""

    keys: Annotated[
        list[str],
        BeforeValidator(unstring),
        Field(description='chords in order: ["ctrl+a","Delete"]', min_length=1, max_length=100),
    ]
    target: FieldName = None
    hold_s: Annotated[float, Field(ge=0, le=10, description="keep the last one down")] = 0
    observe: ObserveName = "auto"


async def type_text(lease: Lease, args: TypeArgs, under: Grant | None = None) -> Reply:
    """Type text into a window."""
    text_bursts(args.text)  # what cannot be typed is said before anything is asked or sent
    return await _keys(lease, "desktop_type", args, TypeText(args.text, args.submit), under)


async def key(lease: Lease, args: KeyArgs, under: Grant | None = None) -> Reply:
    """Press chords in a window."""
    bursts = tuple(parse_chord(chord) for chord in args.keys)
    return await _keys(
        lease, "desktop_key", args, PressKeys(tuple(args.keys), bursts, args.hold_s), under
    )


async def _keys(
    lease: Lease, tool: str, args: TypeArgs | KeyArgs, action: Action, under: Grant | None
) -> Reply:
    aimed = await aim(lease, args.target)
    return await acted(lease, tool, args, aimed, action, under)


TOOLS = (
    ToolSpec(
        "desktop_type",
        Tier.REVERSIBLE,
        TypeArgs,
        "Type any characters into a window, also a hidden one, without touching the person's keyboard.",
        type_text,
        core=True,
    ),
    ToolSpec(
        "desktop_key", Tier.REVERSIBLE, KeyArgs, "Press keys or chords in a window.", key, core=True
    ),
)
