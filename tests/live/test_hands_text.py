"""Text that an agent's seat types into real applications: it arrives, whole, once and in order."""

from __future__ import annotations

import random
import string
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import anyio
import pytest

from tests.live.bed.arms import Arms, armed, heard
from tests.live.bed.patience import until_it_says
from tests.live.bed.stage import Stage

pytestmark = pytest.mark.anyio


def mixed(seed: int) -> str:
    """A random string of everything people write, 1 to 200 code points."""
    dice = random.Random(seed)  # the same strings at every run
    alphabets = (
        string.ascii_letters + string.digits,
        string.punctuation + " ",
        "àéîõüßñçøåÆŒ¿¡§€£",
        "αβγδεζηθικλμνξοπρστυφχψωΩώϊ",
        "абвгдежзийклмнопрстуфхцчшщъыьэюяЁҐ",
        "漢字仮名交じり文한국어你好",
        "🐱👩🚀🎉😀",
    )
    text = "".join(
        dice.choice(dice.choice(alphabets)) + ("\u0301" if dice.random() < 0.03 else "")
        for _ in range(dice.randint(1, 180))
    )
    return text[:200]


TEXTS = [mixed(seed) for seed in range(20)]


CASES = {
    "r01": "Mississippi bookkeeper -M -P -k Return",
    "r05": "πο Ωω őű жщ 漢字 🐱",
    "r07": "first.last+tag@example.com" + string.punctuation,
    "r08": "árvíztűrő tükörfúrógép",
    "r09": "azerty yz ;:!?",
    "r10": r"literal \n \x41 %s $HOME \\ \t",
}


@pytest.mark.parametrize("version", [3, 4])
async def test_mixed_text_typed_into_gtk_reads_back_equal(arms: Arms, version: int) -> None:
    app = await arms.stage.gtk(version)
    for text in [*TEXTS, *CASES.values(), "two\nlines\tand a tab"]:
        await app.ask("clear")
        await arms.type(f"bed.gtk{version}", text)
        await until_it_says(lambda: app.ask("text"), text, "the text is in the view")


def bytes_in(record: Path) -> Callable[[], Awaitable[bytes]]:
    """Reads a file anew each time."""

    async def read() -> bytes:
        return await anyio.Path(record).read_bytes()

    return read


async def test_mixed_text_typed_into_a_terminal_arrives_byte_by_byte(
    arms: Arms, tmp_path: Path
) -> None:
    record = tmp_path / "record"
    await arms.stage.terminal(record)
    expected = b""
    for text in [*TEXTS, *CASES.values(), "two\nlines\tand a tab"]:
        expected += text.replace("\n", "\r").encode()
        await arms.type("bed.foot", text)
        await until_it_says(bytes_in(record), expected, "all bytes are there")


async def test_r19_a_long_paragraph_keeps_its_order(arms: Arms) -> None:
    app = await arms.stage.gtk(3)
    text = "The Quick brown Fox — jumps over the lazy Dog? 0123456789!\n" * 35
    await arms.type("bed.gtk3", text)
    await until_it_says(lambda: app.ask("text"), text, "the text is in the view")


async def test_r18_a_window_that_hangs_gets_each_character_once(arms: Arms) -> None:
    window = await arms.stage.window("bed.a")
    await window.ask("deaf", for_s=0.9)
    await arms.type("bed.a", "//a\n")
    await until_it_says(lambda: heard(window, arms), "//a\r", "the text is there")


async def test_r02_the_first_keys_of_a_fresh_seat_arrive(stage: Stage) -> None:
    for _ in range(10):
        async with armed(stage) as arms:
            window = await stage.window("bed.fresh")
            await arms.type("bed.fresh", "Hello")
            assert await heard(window, arms) == "Hello"
            await stage.acts.aclose()


async def test_two_hundred_characters_take_less_than_150_ms_with_the_focus(arms: Arms) -> None:
    app = await arms.stage.gtk(3)
    text = "".join(random.Random(1).choices(string.printable[:95], k=200))
    started = time.perf_counter()
    await arms.type("bed.gtk3", text)
    took_s = time.perf_counter() - started
    await until_it_says(lambda: app.ask("text"), text, "the text is in the view")
    assert took_s < 0.15
