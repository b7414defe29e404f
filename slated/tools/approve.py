"""The tool approve: Claude Code's `--permission-prompt-tool`, answered by slated."""

from __future__ import annotations

from typing import Annotated, Protocol

from pydantic import BeforeValidator, Field

from slated.errors import SlateError
from slated.model import Tier
from slated.toolspec import Args, ToolSpec, unstring

Answer = dict[str, object]


class ApproveContext(Protocol):
    """What a connection gives this tool."""

    async def permit(self, tool: str, arguments: dict[str, object], use: str) -> None:
        """Leave for a tool of the agent program. Raises what refuses it."""
        ...


class Approve(Args):
    """Arguments of approve, as Claude Code sends them."""

    tool_name: str = Field(description="The tool that is to run.")
    input: Annotated[dict[str, object], BeforeValidator(unstring)] = Field(
        description="Its arguments."
    )
    tool_use_id: str = Field("", description="Its tool-use id.")


async def approve(context: ApproveContext, args: Approve) -> Answer:
    """Claude Code's own answer: allow with the arguments as they were, or deny with a message for the model."""
    try:
        await context.permit(args.tool_name, args.input, args.tool_use_id)
    except SlateError as error:
        return {"behavior": "deny", "message": f"{error.message} {error.next_step}".strip()}
    return {"behavior": "allow", "updatedInput": args.input}


TOOLS: tuple[ToolSpec, ...] = (
    ToolSpec(
        "approve",
        Tier.OBSERVE,
        Approve,
        "For the agent program itself (--permission-prompt-tool): asks Slate whether a tool may run.",
        approve,
    ),
)
