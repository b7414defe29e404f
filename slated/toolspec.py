"""What a tool is: name, tier, arguments, handler; and its schema, hints and argument errors."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode, JsonSchemaValue
from pydantic_core import ErrorDetails, core_schema

from slated.errors import BadRequest
from slated.model import Tier

PROBLEMS: Final = 5
SHOWN_CHARACTERS: Final = 40


class Args(BaseModel):
    """A tool's arguments. What it does not name is refused, text stays as it was sent."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, str_strip_whitespace=False, allow_inf_nan=False
    )


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """One tool. `handler(context, args)` gets the connection's context and an instance of `args`.

    `text` is what a model reads of it; `core` tools are always in the model's prompt.
    """

    name: str
    tier: Tier
    args: type[Args]
    text: str
    handler: Callable[..., Awaitable[Any]]
    core: bool = False


def unstring(value: object) -> object:
    """A list or an object that came as its own JSON text, as agent programs send it now and then.

    Use it as a `BeforeValidator` on arguments that are lists or objects; never on text.
    """
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value


def hints(tier: Tier) -> dict[str, bool]:
    """The MCP annotations a tier stands for. Both are always given: clients guess a missing one."""
    if tier is Tier.OBSERVE:
        return {"readOnlyHint": True, "destructiveHint": False}
    return {"readOnlyHint": False, "destructiveHint": tier is Tier.CONFIRM}


@cache
def _schema_text(args: type[Args]) -> str:
    return json.dumps(args.model_json_schema(schema_generator=_Lean))


def schema(spec: ToolSpec) -> dict[str, Any]:
    """The JSON schema of a tool's arguments: no titles, references or nulls."""
    made: dict[str, Any] = json.loads(_schema_text(spec.args))
    return made


def parse(spec: ToolSpec, arguments: Mapping[str, object] | None) -> Args:
    """The arguments, checked.

    Raises `bad_request.arguments`: every problem (at most five), and what the tool takes.
    """
    try:
        return spec.args.model_validate(dict(arguments or {}))
    except ValidationError as error:
        found = error.errors(include_url=False)
    problems = [_problem(spec, detail) for detail in found[:PROBLEMS]]
    if len(found) > PROBLEMS:
        problems.append(f"and {len(found) - PROBLEMS} more")
    raise BadRequest(
        "arguments",
        f"nothing was done: {'; '.join(problems)}.",
        next_step=_usage(spec),
    )


def unknown(name: str, known: Sequence[str]) -> BadRequest:
    """The failure for a tool that is not there, with the nearest ones that are."""
    near = get_close_matches(name, known, n=3, cutoff=0.5)
    near += [tool for tool in known if name and name in tool and tool not in near][: 3 - len(near)]
    return BadRequest(
        "unknown_tool",
        f"there is no tool {_shown(name)}.",
        next_step=f"{_either(near)}?" if near else f"the tools are {', '.join(known)}",
    )


# -- what is wrong, in words ---------------------------------------------------------------------


def _problem(spec: ToolSpec, detail: ErrorDetails) -> str:
    path = _path(detail["loc"])
    kind = detail["type"]
    context = detail.get("ctx") or {}
    if kind == "extra_forbidden":
        return _unknown_argument(spec, detail, path)
    if kind == "missing":
        return f'"{path}" is missing'
    if kind == "value_error":  # raised by a validator of ours, in our own words
        return f'"{path}": {context["error"]}' if path else str(context["error"])
    return f'"{path}" {_must(kind, context)}, not {_shown(detail["input"])}'


def _unknown_argument(spec: ToolSpec, detail: ErrorDetails, path: str) -> str:
    # Names are known for the top level only; inside a list of objects `next` has to do.
    known = list(spec.args.model_fields) if len(detail["loc"]) == 1 else []
    near = get_close_matches(str(detail["loc"][-1]), known, n=1, cutoff=0.5)
    mean = f' (did you mean "{near[0]}"?)' if near else ""
    return f"{_shown(path)} is not an argument of {spec.name}{mean}"


_PLAIN: Final = {
    "string_type": "must be text",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "list_type": "must be a list",
    "tuple_type": "must be a list",
    "dict_type": "must be an object",
    "model_type": "must be an object",
    "finite_number": "must be a finite number",
}
_NUMBERS: Final = {"int": "must be a whole number", "float": "must be a number"}
_BOUNDS: Final = {
    "greater_than": ("gt", "must be more than"),
    "greater_than_equal": ("ge", "must be at least"),
    "less_than": ("lt", "must be less than"),
    "less_than_equal": ("le", "must be at most"),
}
_LENGTHS: Final = {
    "too_short": ("min_length", "needs at least", "items"),
    "too_long": ("max_length", "takes at most", "items"),
    "string_too_short": ("min_length", "needs at least", "characters"),
    "string_too_long": ("max_length", "takes at most", "characters"),
}


def _must(kind: str, context: Mapping[str, Any]) -> str:
    if kind in ("literal_error", "enum"):
        return f"must be one of {str(context['expected']).replace(chr(39), chr(34))}"
    if kind in _PLAIN:
        return _PLAIN[kind]
    if kind in _BOUNDS:
        key, words = _BOUNDS[kind]
        return f"{words} {context[key]}"
    if kind in _LENGTHS:
        key, words, unit = _LENGTHS[kind]
        return f"{words} {context[key]} {unit}"
    return _NUMBERS.get(kind.split("_")[0], "cannot be used")


def _path(place: Sequence[int | str]) -> str:
    """`steps[0].tool`"""
    text = ""
    for part in place:
        text += f"[{part}]" if isinstance(part, int) else f".{part}"
    return text.removeprefix(".")


def _shown(value: object) -> str:
    """A value as JSON, short, so that nothing in it can pass for our own words."""
    text = json.dumps(value, default=lambda other: type(other).__name__)
    if len(text) <= SHOWN_CHARACTERS:
        return text
    return f"{text[:SHOWN_CHARACTERS]}… ({len(text)} characters)"


def _either(names: Sequence[str]) -> str:
    return " or ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _usage(spec: ToolSpec) -> str:
    """`desktop_click takes target, x, button (left|right|middle), …`, required ones marked."""
    whole = schema(spec)
    needed = set(whole.get("required", ()))
    takes = [_argument(name, part, name in needed) for name, part in whole["properties"].items()]
    return f"{spec.name} takes {', '.join(takes)}" if takes else f"{spec.name} takes no arguments"


def _argument(name: str, part: Mapping[str, Any], needed: bool) -> str:
    words = ["|".join(map(str, part["enum"]))] if "enum" in part else []
    words += ["required"] if needed else []
    return f"{name} ({', '.join(words)})" if words else name


# -- the schema ----------------------------------------------------------------------------------


class _Lean(GenerateJsonSchema):
    """Half the size of pydantic's own; a union with null makes clients send everything as text."""

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        made = super().default_schema(schema)
        if "default" in made and made["default"] is None:
            del made["default"]
        return made

    def generate(
        self, schema: core_schema.CoreSchema, mode: JsonSchemaMode = "validation"
    ) -> JsonSchemaValue:
        made = super().generate(schema, mode)
        definitions = made.pop("$defs", {})
        lean: JsonSchemaValue = _lean(made, definitions)
        lean.pop("description", None)  # the docstring of the class is for us
        lean.setdefault("properties", {})
        return lean


def _lean(node: Any, definitions: Mapping[str, Any]) -> Any:
    """`node` with references replaced by what they name, and without titles."""
    if isinstance(node, list):
        return [_lean(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        named = definitions[node["$ref"].rsplit("/", 1)[1]]
        kept = {key: value for key, value in node.items() if key != "$ref"}
        return _lean(
            {**{k: v for k, v in named.items() if k != "description"}, **kept}, definitions
        )
    lean = {}
    for key, value in node.items():
        if key == "title" and isinstance(value, str):
            continue
        if key == "properties":  # names of arguments, of which one may well be "title"
            lean[key] = {name: _lean(part, definitions) for name, part in value.items()}
        elif key in ("default", "enum", "const", "examples"):
            lean[key] = value
        else:
            lean[key] = _lean(value, definitions)
    return lean
