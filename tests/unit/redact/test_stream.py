"""Text in pieces: no cut leaves a readable half (R243)."""

from __future__ import annotations

import random

import pytest

from slated.redact import RedactedStream, redact
from tests.fakes.secret_shapes import SHAPES, key_block


def through(*pieces: str) -> list[str]:
    stream = RedactedStream()
    return [*(stream.feed(piece) for piece in pieces), stream.close()]


@pytest.mark.parametrize("shape", SHAPES)
def test_r243_a_secret_split_anywhere_is_never_stored_in_parts(shape: str) -> None:
    secret = SHAPES[shape](random.Random(shape))
    text = f"before {secret} after"
    for cut in range(len(text)):
        assert "".join(through(text[:cut], text[cut:])) == redact(text)
    dice = random.Random(7)
    for _ in range(40):
        one, two = sorted(dice.sample(range(len(text)), 2))
        assert "".join(through(text[:one], text[one:two], text[two:])) == redact(text)


@pytest.mark.parametrize("shape", SHAPES)
def test_r243_a_secret_across_any_flush_of_a_long_stream_is_masked(shape: str) -> None:
    secret = SHAPES[shape](random.Random(shape))
    dice = random.Random(8)
    for before in (0, 8150, 8190, 16370, 16384, 24570):
        text = "word " * (before // 5) + secret + " word" * 6000
        pieces = []
        while text:
            size = dice.randint(1, 3000)
            pieces.append(text[:size])
            text = text[size:]
        out = through(*pieces)
        stored = "".join(out)
        assert secret not in stored
        assert not [at for at in range(len(secret) - 16) if secret[at : at + 16] in stored]
        assert stored.count("word") == before // 5 + 6000


def test_a_key_block_longer_than_all_that_is_held_back_is_one_mask() -> None:
    block = key_block(random.Random(3))
    lines = block.split("\n")
    long = "\n".join([lines[0], *(lines[1] for _ in range(3000)), lines[-1]])
    text = f"start\n{long}\nend\n"
    out = "".join(through(*(text[at : at + 1000] for at in range(0, len(text), 1000))))
    assert lines[1][:16] not in out
    assert out.startswith("start\n[[slate: ")
    assert out.endswith("withheld]]\nend\n")


def test_a_run_without_a_break_is_let_out_in_the_end_and_in_order() -> None:
    text = "x" * 300_000
    assert "".join(through(*(text[at : at + 5000] for at in range(0, len(text), 5000)))) == text
