"""Clipboard tools on fakes."""

from __future__ import annotations

import hashlib
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from slate_desktop.errors import BadRequest, Refused
from slate_desktop.render import Reply
from slate_desktop.tools.clipboard import SECRET_HINT, TOOLS
from slated.toolspec import parse
from tests.fakes.ports import Bench, FakeGate, bench, desktop

pytestmark = pytest.mark.anyio

SPECS = {spec.name: spec for spec in TOOLS}


async def called(made: Bench, tool: str, **arguments: object) -> Reply:
    spec = SPECS[tool]
    answer: Reply = await spec.handler(made.lease, parse(spec, arguments))
    return answer


def png() -> bytes:
    out = BytesIO()
    Image.new("RGB", (4, 3), (255, 0, 0)).save(out, "PNG")
    return out.getvalue()


@pytest.mark.parametrize("text", ["a", " ", "", "MM and more", "x", "\x01{", "Ω 🐱"])
async def test_r88_r89_r94_text_is_offered_as_text_whatever_it_looks_like(text: str) -> None:
    made = bench(desktop())
    answer = await called(made, "desktop_clipboard_set", text=text)
    assert "verified: yes" in answer.text
    assert set(made.clipboard.content) == {
        "text/plain;charset=utf-8",
        "UTF8_STRING",
        "text/plain",
    }
    assert set(made.clipboard.content.values()) == {text.encode()}
    back = await called(made, "desktop_clipboard_get")
    assert back.facts["sha256"] == hashlib.sha256(text.encode()).hexdigest()


async def test_r91_the_utf8_variant_is_read() -> None:
    made = bench(desktop())
    made.clipboard.content = {"text/plain": b"\\u1f431", "text/plain;charset=utf-8": "🐱".encode()}
    assert '"🐱"' in (await called(made, "desktop_clipboard_get")).text


async def test_long_text_is_read_in_parts() -> None:
    made = bench(desktop())
    made.clipboard.content = {"text/plain": b"x" * 6_000 + b"y" * 10}
    first = await called(made, "desktop_clipboard_get")
    assert first.text.splitlines()[-1] == 'next: desktop_clipboard_get {"start":6000} for 10 more'
    assert '"yyyyyyyyyy"' in (await called(made, "desktop_clipboard_get", start=6_000)).text


async def test_a_picture_is_given_as_one() -> None:
    made = bench(desktop())
    made.clipboard.content = {"image/png": png()}
    answer = await called(made, "desktop_clipboard_get")
    assert answer.picture is not None
    assert answer.picture.data == png()
    assert "a picture of 4x3" in answer.text


async def test_r98_what_a_password_manager_marked_is_not_read() -> None:
    made = bench(desktop())
    made.clipboard.content = {"text/plain": b"pw-Sentinel-77", SECRET_HINT: b"secret"}
    with pytest.raises(Refused) as caught:
        await called(made, "desktop_clipboard_get")
    assert "Sentinel" not in caught.value.message
    assert made.clipboard.log == []


async def test_an_empty_clipboard_and_a_type_it_has_not_are_said() -> None:
    made = bench(desktop())
    assert "is empty" in (await called(made, "desktop_clipboard_get")).text
    made.clipboard.content = {"text/html": b"<b>"}
    with pytest.raises(BadRequest) as caught:
        await called(made, "desktop_clipboard_get")
    assert '"text/html"' in caught.value.message
    assert "3 bytes" in (await called(made, "desktop_clipboard_get", type="text/html")).text


async def test_a_picture_file_is_offered_as_a_picture_and_another_file_as_a_link(
    tmp_path: Path,
) -> None:
    made = bench(desktop())
    picture, other = tmp_path / "a.bin", tmp_path / "b c.txt"
    picture.write_bytes(png())
    other.write_text("hi")
    await called(made, "desktop_clipboard_set", file=str(picture))
    assert made.clipboard.content == {"image/png": png()}
    await called(made, "desktop_clipboard_set", file=str(other))
    assert made.clipboard.content["text/uri-list"] == other.as_uri().encode() + b"\r\n"


async def test_what_the_compositor_does_not_announce_is_not_verified() -> None:
    made = bench(desktop())
    made.clipboard.deaf = True
    answer = await called(made, "desktop_clipboard_set", text="x")
    assert "verified: no" in answer.text


@pytest.mark.promise("refused-reaches-no-adapter")
async def test_a_refused_fill_leaves_the_clipboard_alone() -> None:
    made = bench(desktop(), gate=FakeGate(refuse=True))
    with pytest.raises(Refused):
        await called(made, "desktop_clipboard_set", text="x")
    assert made.adapters == []


@pytest.mark.parametrize(
    "arguments", [{}, {"text": "a", "file": "/b"}, {"file": "relative"}, {"file": "/no/such/file"}]
)
async def test_what_makes_no_sense_is_said(arguments: dict[str, object]) -> None:
    with pytest.raises(BadRequest):
        await called(bench(desktop()), "desktop_clipboard_set", **arguments)
