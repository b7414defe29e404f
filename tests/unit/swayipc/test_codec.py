"""Framing of sway's IPC."""

from __future__ import annotations

import json
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slate_desktop.errors import Unavailable
from slate_desktop.swayipc.codec import Ask, Decoder, Message, encode, on, output_name
from tests.fakes.sway_peer import frame

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=8,
)


@given(st.lists(st.tuples(st.integers(0, 2**32 - 1), JSON), max_size=5), st.data())
def test_messages_survive_any_way_of_being_torn(
    sent: list[tuple[int, object]], data: st.DataObject
) -> None:
    stream = b"".join(frame(kind, body) for kind, body in sent)
    decoder, got = Decoder(), []
    while stream:
        cut = data.draw(st.integers(1, len(stream)))
        got += decoder.feed(stream[:cut])
        stream = stream[cut:]
    assert [(message.type, message.json()) for message in got] == sent


@given(st.sampled_from(Ask), st.text(max_size=50))
def test_a_request_is_read_back_as_it_was_written(kind: Ask, payload: str) -> None:
    (message,) = Decoder().feed(encode(kind, payload))
    assert (message.type, message.payload.decode()) == (kind, payload)


@given(st.binary(min_size=1, max_size=40).filter(lambda data: not b"i3-ipc".startswith(data[:6])))
def test_bytes_that_are_not_sway_are_refused_at_once(data: bytes) -> None:
    with pytest.raises(Unavailable, match="does not speak"):
        Decoder().feed(data)


def test_an_absurd_length_is_refused_before_it_is_awaited() -> None:
    with pytest.raises(Unavailable, match="4294967295 bytes"):
        Decoder().feed(struct.pack("=6sII", b"i3-ipc", 2**32 - 1, 4))


def test_events_are_told_from_answers() -> None:
    event, answer = Decoder().feed(frame(1 << 31 | 3, {}) + frame(3, {}))
    assert (event.is_event, event.number, answer.is_event, answer.number) == (True, 3, False, 3)


def test_r86_a_title_that_is_not_utf8_becomes_a_replacement_character() -> None:
    assert Message(4, b'{"name": "Actualit\xe9s"}').json() == {"name": "Actualit\ufffds"}


@pytest.mark.parametrize("payload", [b"", b"{", b"\xff", b"[" * 100_000])
def test_an_answer_that_is_not_json_is_an_error_of_the_compositor(payload: bytes) -> None:
    with pytest.raises(Unavailable, match="not JSON"):
        Message(4, payload).json()


@given(st.text())
def test_r79_only_plain_output_names_get_into_a_command(name: str) -> None:
    plain = bool(name) and all(c.isascii() and (c.isalnum() or c in "_-") for c in name)
    if plain:
        assert output_name(name) == name
    else:
        with pytest.raises(Unavailable):
            output_name(name)


def test_r79_a_window_is_addressed_by_its_number_only() -> None:
    assert on(12, "kill") == "[con_id=12] kill"
    with pytest.raises(ValueError, match="format code 'd'"):
        on(json.loads('"12] kill; exit"'), "kill")
