"""Clipboard tools: the agent's own clipboard, read and filled. The person's is another one."""

from __future__ import annotations

import hashlib
from io import BytesIO
from pathlib import Path
from typing import Annotated

import anyio
from PIL import Image, UnidentifiedImageError
from pydantic import Field

from slate_desktop.errors import BadRequest, Refused
from slate_desktop.geometry import Point, Size
from slate_desktop.intent import FillClipboard, Intent, Look
from slate_desktop.lease import Lease
from slate_desktop.outcome import Outcome, Picture
from slate_desktop.quote import quote
from slate_desktop.render import Reply, listed, reply
from slate_desktop.resolve import Target
from slate_desktop.turn import observe, run
from slated.model import Grant, Tier
from slated.toolspec import Args, ToolSpec

LIMIT_BYTES = 10 * 1024 * 1024
READ_S = 5.0
SHOWN_CHARACTERS = 6_000
# The UTF-8 variant first: sources may offer plain text/plain with escapes in it (R91).
TEXT_TYPES = ("text/plain;charset=utf-8", "UTF8_STRING", "text/plain", "TEXT", "STRING")
PICTURE_TYPES = ("image/png", "image/jpeg")
SECRET_HINT = "x-kde-passwordManagerHint"  # noqa: S105  # the name of a media type


class GetArgs(Args):
    """Arguments of desktop_clipboard_get."""

    type: Annotated[
        str | None, Field(description="media type; default: its text, else its picture")
    ] = None
    start: Annotated[int, Field(ge=0, description="character to go on from")] = 0


class SetArgs(Args):
    """Arguments of desktop_clipboard_set."""

    text: Annotated[str | None, Field(max_length=LIMIT_BYTES)] = None
    file: Annotated[
        str | None, Field(description="or the absolute path of a picture or any file")
    ] = None


async def get(lease: Lease, args: GetArgs, under: Grant | None = None) -> Reply:
    """Read the agent's clipboard."""

    async def look(target: Target) -> Outcome:
        types = lease.clipboard.types
        if not types:
            return Outcome(
                "your clipboard is empty.",
                next_step="copy something in a window, or desktop_clipboard_set",
            )
        if SECRET_HINT in types:
            raise Refused(
                "secret",
                "the clipboard holds what a password manager marked as secret; it was not read",
                next_step="paste it where it belongs with desktop_key",
            )
        chosen = _chosen(types, args.type)
        data = await lease.clipboard.read(chosen, limit=LIMIT_BYTES, deadline_s=READ_S)
        return _told(chosen, data, types, args.start)

    intent = Intent(
        "desktop_clipboard_get", Tier.OBSERVE, Look("clipboard"), arguments=args.model_dump()
    )
    return reply(await observe(lease, intent, look, under=under))


def _chosen(types: tuple[str, ...], wanted: str | None) -> str:
    names = (wanted,) if wanted else (*TEXT_TYPES, *PICTURE_TYPES)
    found = next((name for name in names if name in types), None)
    if found is None:
        raise BadRequest(
            "no_type",
            f"the clipboard does not hold that; it holds {listed([quote(name, 60) for name in types[:20]])}",
            next_step="ask for one of these types",
        )
    return found


def _told(type_: str, data: bytes, types: tuple[str, ...], start: int) -> Outcome:
    facts = {
        "type": type_,
        "bytes": len(data),
        "sha256": hashlib.sha256(data).hexdigest(),
        "types": list(types),
    }
    if type_ in PICTURE_TYPES:
        size = _size(data)
        picture = Picture(data, type_, size, 1.0, Point(0, 0))
        return Outcome(f"your clipboard: a picture of {size}.", picture=picture, facts=facts)
    if type_ not in TEXT_TYPES:
        return Outcome(f"your clipboard: {len(data)} bytes of {quote(type_, 60)}.", facts=facts)
    text = data.decode("utf-8", "replace")
    shown = text[start : start + SHOWN_CHARACTERS]
    rest = len(text) - start - len(shown)
    return Outcome(
        f"your clipboard: {len(text)} characters of text.",
        lines=(quote(shown, SHOWN_CHARACTERS),),
        next_step=f'desktop_clipboard_get {{"start":{start + len(shown)}}} for {rest} more'
        if rest > 0
        else "",
        facts=facts,
    )


def _size(data: bytes) -> Size:
    try:
        with Image.open(BytesIO(data)) as image:
            return Size(*image.size)
    except (UnidentifiedImageError, OSError):
        raise BadRequest(
            "no_picture", "what is offered as a picture is none", next_step="ask for another type"
        ) from None


async def fill(lease: Lease, args: SetArgs, under: Grant | None = None) -> Reply:
    """Fill the agent's clipboard."""
    if (args.text is None) == (args.file is None):
        raise BadRequest("arguments", "give either text or file", next_step='{"text":"…"}')
    if args.text is not None:
        content, what = _text(args.text), f"{len(args.text)} characters of text"
    else:
        content, what = await anyio.to_thread.run_sync(_file, args.file or "")
    digest = hashlib.sha256(b"\0".join(content.values())).hexdigest()
    intent = Intent(
        "desktop_clipboard_set",
        Tier.REVERSIBLE,
        FillClipboard(content, what),
        arguments={"file": args.file, "sha256": digest},
    )
    return reply(await run(lease, intent, under=under))


def _text(text: str) -> dict[str, bytes]:
    data = text.encode("utf-8", "surrogatepass")
    return dict.fromkeys(TEXT_TYPES[:3], data)


def _file(path: str) -> tuple[dict[str, bytes], str]:
    """A picture by its bytes, any other file as a link to it, as file managers do."""
    file = Path(path)
    if not file.is_absolute() or not file.is_file():
        raise BadRequest(
            "no_file", "there is no file at that absolute path", next_step="give the path of a file"
        )
    with file.open("rb") as opened:
        head = opened.read(16)
        type_ = next((name for name, magic in _MAGIC.items() if head.startswith(magic)), None)
        if type_ is not None and file.stat().st_size <= LIMIT_BYTES:
            data = head + opened.read()
            return {type_: data}, f"a picture of {_size(data)}"
    uri = file.as_uri().encode()
    return {
        "text/uri-list": uri + b"\r\n",
        "x-special/gnome-copied-files": b"copy\n" + uri,
        TEXT_TYPES[0]: path.encode(),
    }, "a link to a file"


_MAGIC = {"image/png": b"\x89PNG\r\n\x1a\n", "image/jpeg": b"\xff\xd8\xff"}

TOOLS = (
    ToolSpec(
        "desktop_clipboard_get",
        Tier.OBSERVE,
        GetArgs,
        "Read your own clipboard; the person's is separate and not readable.",
        get,
    ),
    ToolSpec("desktop_clipboard_set", Tier.REVERSIBLE, SetArgs, "Fill your own clipboard.", fill),
)
