"""The batch tool: several steps in order, checked before the first, stopped at the first that fails."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import anyio
from pydantic import BeforeValidator, Field

from slate_desktop.errors import BadRequest, SlateError
from slate_desktop.intent import Intent, Steps
from slate_desktop.lease import Lease
from slate_desktop.outcome import Outcome, Verified
from slate_desktop.render import Reply, failure, reply
from slate_desktop.tools import (
    clipboard,
    elements,
    keyboard,
    look,
    pointer,
    status,
    wait,
    windows,
)
from slate_desktop.turn import receipt
from slated.model import Grant, Tier
from slated.toolspec import Args, ToolSpec, parse, unknown, unstring

STEPPED: dict[str, ToolSpec] = {
    spec.name: spec
    for tools in (
        windows.TOOLS,
        elements.TOOLS,
        look.TOOLS,
        wait.TOOLS,
        pointer.TOOLS,
        keyboard.TOOLS,
        clipboard.TOOLS,
        status.TOOLS,
    )
    for spec in tools
}
"""What a step may be: every tool but the batch itself."""


class Step(Args):
    """One step: a tool and its arguments."""

    tool: str
    args: Annotated[dict[str, Any], BeforeValidator(unstring)] = Field(default={})


class BatchArgs(Args):
    """Arguments of desktop_batch."""

    steps: Annotated[
        list[Step],
        BeforeValidator(unstring),
        Field(
            description='[{"tool":"desktop_type","args":{"target":"$1","text":"hi"}}]; '
            '"$1" is the window or picture that step 1 returned',
            min_length=1,
            max_length=30,
        ),
    ]
    timeout_s: Annotated[float, Field(gt=0, le=50, description="for all steps together")] = 45


async def batch(lease: Lease, args: BatchArgs, under: Grant | None = None) -> Reply:
    """Run steps in order."""
    specs = [_checked(number, step) for number, step in enumerate(args.steps, 1)]
    tier = max(spec.tier for spec in specs)
    intent = Intent(
        "desktop_batch", tier, Steps(tuple(s.name for s in specs)), arguments=args.model_dump()
    )
    grant = await lease.desk.gate.admit(intent, under=under)
    async with receipt(lease, grant) as kept:
        kept.outcome, picture = await _run(lease, args, specs, grant)
    made = reply(kept.outcome)
    return Reply(made.text, picture.picture if picture else None, made.facts, made.is_error)


def _checked(number: int, step: Step) -> ToolSpec:
    """The tool of a step, its arguments checked; a `$1` stands for a ref of any kind."""
    spec = STEPPED.get(step.tool)
    if spec is None:
        error = unknown(step.tool, list(STEPPED))
        raise BadRequest(
            "arguments",
            f"nothing was done: step {number}: {error.message}",
            next_step=error.next_step,
        )
    for name in _placeholders(step.args):
        if not 1 <= int(name[1:]) < number:
            raise BadRequest(
                "arguments",
                f"nothing was done: step {number}: {name} is no earlier step",
                next_step="$1 stands for what step 1 returned",
            )
    try:
        parse(spec, step.args)
    except BadRequest as error:
        raise BadRequest(
            "arguments", f"step {number}: {error.message}", next_step=error.next_step
        ) from None
    return spec


def _placeholders(args: Mapping[str, Any]) -> list[str]:
    return [v for v in args.values() if isinstance(v, str) and v[:1] == "$" and v[1:].isdecimal()]


async def _run(
    lease: Lease, args: BatchArgs, specs: Sequence[ToolSpec], grant: Grant
) -> tuple[Outcome, Reply | None]:
    said: list[str] = []
    returned: list[str] = []
    last: Reply | None = None
    stop = ""
    deadline = anyio.current_time() + args.timeout_s
    for number, (step, spec) in enumerate(zip(args.steps, specs, strict=True), 1):
        answer = await _step(lease, spec, _filled(step.args, returned), grant, deadline)
        said.append(f"{number} {step.tool}: {answer.text.splitlines()[0]}")
        returned.append(_returned(answer))
        last = answer if answer.picture is not None else last
        stop = _reason_to_stop(answer, step.tool)
        if stop:
            break
    done = len(said)
    if stop and (done < len(specs) or stop != "a window opened"):
        headline = f"stopped after step {done} of {len(specs)}: {stop}"
        return Outcome(
            headline,
            Verified.NO,
            "see its line",
            lines=tuple(said),
            next_step="look, then go on from there",
        ), last
    return Outcome(f"all {len(specs)} steps ran", lines=tuple(said)), last


async def _step(
    lease: Lease, spec: ToolSpec, args: dict[str, Any], grant: Grant, deadline: float
) -> Reply:
    left_s = deadline - anyio.current_time()
    try:
        with anyio.fail_after(max(left_s, 0)):
            answer: Reply = await spec.handler(lease, parse(spec, args), grant)
            return answer
    except SlateError as error:
        return failure(error)
    except TimeoutError:
        return Reply(
            "unavailable.deadline: the time for the batch was used up before this step ended",
            is_error=True,
        )


def _filled(args: Mapping[str, Any], returned: Sequence[str]) -> dict[str, Any]:
    names = set(_placeholders(args))
    return {
        key: returned[int(v[1:]) - 1] if isinstance(v, str) and v in names else v
        for key, v in args.items()
    }


def _returned(answer: Reply) -> str:
    """The ref a step gives to later ones: the window it opened, else its picture, else the window it lists alone."""
    for key in ("opened", "windows"):
        found = answer.facts.get(key)
        if isinstance(found, list) and found:
            return str(found[0]["ref"])
    frame = answer.facts.get("frame")
    return str(frame["ref"]) if isinstance(frame, dict) else "$none"


def _reason_to_stop(answer: Reply, tool: str) -> str:
    if answer.is_error:
        return "it failed"
    if answer.facts.get("verified") == Verified.NO.value:
        return "it was not verified"
    delivered = answer.facts.get("delivered")
    if isinstance(delivered, dict) and not delivered.get("focus_held", True):
        return "the window lost your keyboard"
    if answer.facts.get("opened") and tool != "desktop_launch":
        return "a window opened"
    return ""


TOOLS = (
    ToolSpec(
        "desktop_batch",
        Tier.REVERSIBLE,
        BatchArgs,
        "Run steps in order; all are checked before the first, and the run stops at the first that fails, "
        "is not verified, loses the focus or opens a window. One line a step, the last picture at the end.",
        batch,
    ),
)
