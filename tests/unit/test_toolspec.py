"""The tool record: its lean schema, its hints, and argument errors a model can act on."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

import pytest
from pydantic import BeforeValidator, Field, field_validator

from slated.errors import BadRequest
from slated.model import Tier
from slated.toolspec import Args, ToolSpec, hints, parse, schema, unknown, unstring


class Step(Args):
    """One step."""

    tool: str
    args: dict[str, Any] = Field(default_factory=dict)


class Click(Args):
    """Docstrings are for us."""

    target: Annotated[str | None, Field(description="e41, f7 or w3")] = None
    x: float | None = None
    y: float | None = None
    title: str | None = None
    button: Literal["left", "right", "middle"] = "left"
    count: Annotated[int, Field(ge=1, le=3)] = 1
    modifiers: Annotated[list[Literal["ctrl", "shift"]] | None, BeforeValidator(unstring)] = None
    steps: Annotated[list[Step], BeforeValidator(unstring), Field(max_length=2)] = Field(
        default_factory=list
    )
    deep: bool = False


class Text(Args):
    text: str

    @field_validator("text")
    @classmethod
    def _no_bell(cls, text: str) -> str:
        if "\a" in text:
            raise ValueError("a bell cannot be typed")
        return text


async def _done(context: object, args: Args) -> None:
    return None


CLICK = ToolSpec("desktop_click", Tier.REVERSIBLE, Click, "Click.", _done)
TEXT = ToolSpec("desktop_type", Tier.REVERSIBLE, Text, "Type.", _done)
NONE = ToolSpec("desktop_status", Tier.OBSERVE, Args, "Status.", _done)


def _refusal(spec: ToolSpec, **arguments: object) -> BadRequest:
    with pytest.raises(BadRequest) as caught:
        parse(spec, arguments)
    assert caught.value.code == "bad_request.arguments"
    return caught.value


def test_the_schema_has_no_titles_references_or_nulls() -> None:
    text = json.dumps(schema(CLICK))
    for word in ("$ref", "$defs", "anyOf", "null", "Docstrings", "One step"):
        assert word not in text
    assert '"title": "' not in text
    made = schema(CLICK)
    assert made["additionalProperties"] is False
    assert made["properties"]["title"] == {"type": "string"}
    assert made["properties"]["target"] == {"type": "string", "description": "e41, f7 or w3"}
    assert made["properties"]["button"]["enum"] == ["left", "right", "middle"]
    assert made["properties"]["steps"]["items"]["properties"]["tool"] == {"type": "string"}


def test_a_tool_without_arguments_still_has_an_object_schema() -> None:
    assert schema(NONE) == {"type": "object", "properties": {}, "additionalProperties": False}
    assert "takes no arguments" in _refusal(NONE, x=1).next_step


def test_a_schema_is_the_callers_own_copy() -> None:
    schema(CLICK)["properties"].clear()
    assert schema(CLICK)["properties"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"targt": "e4"}, '"targt" is not an argument of desktop_click (did you mean "target"?)'),
        ({"zzz": 1}, '"zzz" is not an argument of desktop_click.'),
        ({"button": "rigth"}, '"button" must be one of "left", "right" or "middle", not "rigth"'),
        ({"count": "two"}, '"count" must be a whole number, not "two"'),
        ({"count": 1.5}, '"count" must be a whole number, not 1.5'),
        ({"count": 9}, '"count" must be at most 3, not 9'),
        ({"x": "left"}, '"x" must be a number, not "left"'),
        ({"x": float("inf")}, '"x" must be a finite number'),
        ({"target": 4}, '"target" must be text, not 4'),
        ({"deep": "maybe"}, '"deep" must be true or false, not "maybe"'),
        ({"modifiers": "ctrl"}, '"modifiers" must be a list, not "ctrl"'),
        ({"steps": [{}]}, '"steps[0].tool" is missing'),
        ({"steps": [{"tool": "a", "x": 1}]}, '"steps[0].x" is not an argument'),
        ({"steps": [{"tool": "a"}] * 3}, '"steps" takes at most 2 items'),
    ],
)
def test_a_wrong_argument_is_named_with_what_would_be_right(
    arguments: dict[str, object], words: str
) -> None:
    assert words in _refusal(CLICK, **arguments).message


def test_all_problems_come_at_once_but_no_more_than_five() -> None:
    error = _refusal(CLICK, a=1, b=2, c=3, d=4, e=5, f=6, count=9)
    assert error.message.count("is not an argument") + error.message.count("must be") == 5
    assert "and 2 more" in error.message
    assert "button (left|right|middle)" in error.next_step


def test_r177_a_tier_or_an_approval_in_the_arguments_is_refused_like_any_unknown_one() -> None:
    error = _refusal(CLICK, requires_approval=False, tier="observe")
    assert '"requires_approval" is not an argument' in error.message
    assert '"tier" is not an argument' in error.message


def test_a_rule_of_our_own_speaks_in_its_own_words() -> None:
    assert '"text": a bell cannot be typed' in _refusal(TEXT, text="\a").message


def test_a_long_or_hostile_value_is_cut_and_quoted() -> None:
    error = _refusal(CLICK, count="x" * 500 + "\nnext: trust me")
    assert "\n" not in error.message
    assert len(error.message) < 200


def test_a_required_argument_is_marked() -> None:
    assert _refusal(TEXT).next_step == "desktop_type takes text (required)"


def test_lists_and_objects_sent_as_text_are_understood_and_text_is_left_alone() -> None:
    made = parse(CLICK, {"modifiers": '["ctrl"]', "steps": '[{"tool": "a"}]', "count": "2"})
    assert isinstance(made, Click)
    assert made.modifiers == ["ctrl"]
    assert made.steps[0].tool == "a"
    assert made.count == 2
    typed = parse(TEXT, {"text": ' ["a"] '})
    assert isinstance(typed, Text)
    assert typed.text == ' ["a"] '
    assert unstring("[1") == "[1"


def test_r178_every_tier_says_both_hints() -> None:
    assert hints(Tier.OBSERVE) == {"readOnlyHint": True, "destructiveHint": False}
    assert hints(Tier.REVERSIBLE) == {"readOnlyHint": False, "destructiveHint": False}
    assert hints(Tier.CONFIRM) == {"readOnlyHint": False, "destructiveHint": True}


def test_an_unknown_tool_is_answered_with_the_nearest_ones() -> None:
    known = ["desktop_click", "desktop_type", "desktop_key"]
    assert "desktop_click" in unknown("click", known).next_step
    assert "desktop_click" in unknown("desktop_clik", known).next_step
    assert unknown("zzzz\n", known).next_step.startswith("the tools are desktop_click")
    assert "\n" not in unknown("zzzz\n", known).message
