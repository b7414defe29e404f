"""The tools slate.open, slate.writeSeed and slate.close."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Literal, Protocol

from anyio import to_thread
from pydantic import BeforeValidator, Field, model_validator

from slated.model import Tier
from slated.redact import redact
from slated.slate.seeds import KINDS, UNNAMED_HARNESS
from slated.slate.store import SlateStore
from slated.toolspec import Args, ToolSpec, unstring

Answer = dict[str, object]
DENIED: dict[str, object] = {"code": "slate_transport_denied"}


class SlateContext(Protocol):
    """What a connection gives these tools: how it came, who it says it is, and its project's store."""

    @property
    def transport(self) -> Literal["stdio", "in-process", "http"]: ...

    @property
    def client_name(self) -> str:
        """The name the MCP client declared; empty when it declared none."""
        ...

    @property
    def peer(self) -> str:
        """Tells one agent process from another, for the audit log."""
        ...

    @property
    def slates(self) -> SlateStore:
        """The store of the project the client runs in."""
        ...


Id = Annotated[
    str, Field(description="Your id for this slate, 1-128 of A-Z a-z 0-9 _ -; make it unguessable.")
]


class Open(Args):
    """Arguments of slate.open."""

    externalSessionId: Id  # noqa: N815 (the seed document's name)
    workspaceId: str | None = Field(  # noqa: N815 (the seed document's name)
        None, description="Workspace the Seeds go to; left out, it is resolved or made."
    )
    anchors: Annotated[dict[str, object] | None, BeforeValidator(unstring)] = Field(
        None, description='Where the work is, kept as sent: {"root", "touched", "note"}.'
    )


class WriteSeed(Args):
    """Arguments of slate.writeSeed; `origin` and `trust` are the server's to say and dropped unread."""

    externalSessionId: Id  # noqa: N815 (the seed document's name)
    text: str = Field(description="One finding, at most 4,000 characters; secrets are masked.")
    # Checked by the store, whose error names the six.
    kind: Annotated[object, Field(json_schema_extra={"type": "string", "enum": list(KINDS)})] = None

    @model_validator(mode="before")
    @classmethod
    def _without_claims(cls, given: object) -> object:
        if isinstance(given, Mapping):
            return {key: value for key, value in given.items() if key not in ("origin", "trust")}
        return given


class Close(Args):
    """Arguments of slate.close."""

    externalSessionId: Id  # noqa: N815 (the seed document's name)


async def open_slate(context: SlateContext, args: Open) -> Answer:
    """The slate, as stored."""
    return await _local(
        context,
        lambda: context.slates.open(
            args.externalSessionId, args.workspaceId, args.anchors, peer=context.peer
        ).shown(),
    )


async def write_seed(context: SlateContext, args: WriteSeed) -> Answer:
    """The Seed, as stored."""
    name = harness(context.client_name)
    return await _local(
        context,
        lambda: context.slates.write_seed(
            args.externalSessionId, args.text, args.kind, harness=name
        ).shown(),
    )


async def close_slate(context: SlateContext, args: Close) -> Answer:
    """That it is closed."""
    return await _local(context, lambda: context.slates.close(args.externalSessionId))


async def _local(context: SlateContext, work: Callable[[], Answer]) -> Answer:
    if context.transport == "http":
        return dict(DENIED)
    # Shielded by default: a cancelled call still ends with the slate whole.
    return await to_thread.run_sync(work)


def harness(declared: str) -> str:
    """The client's declared name as an origin: one printable line of at most 64 characters, no secret."""
    plain = "".join(one if one.isprintable() else " " for one in redact(declared))
    return " ".join(plain.split())[:64] or UNNAMED_HARNESS


TOOLS: tuple[ToolSpec, ...] = (
    ToolSpec(
        "slate.open",
        Tier.REVERSIBLE,
        Open,
        "Open your private slate for draft findings (Seeds), or get the one you opened before.",
        open_slate,
    ),
    ToolSpec(
        "slate.writeSeed",
        Tier.REVERSIBLE,
        WriteSeed,
        "Write one draft finding into your slate. A person reviews it before it becomes knowledge.",
        write_seed,
    ),
    ToolSpec(
        "slate.close",
        Tier.REVERSIBLE,
        Close,
        "Close your slate; its Seeds go to a person's review.",
        close_slate,
    ),
)
