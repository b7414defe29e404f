"""What storage costs: a Seed against a bare durable write of the same file, recall over 10,000 memories.

`python -m bench.store`; exit code 1 if a bound is missed.
"""

from __future__ import annotations

import os
import random
import statistics
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.rows import ROUNDS, Result, Row, measure, table
from slated.memory import MemoryStore
from tests.fakes.slate_parts import parts

MEMORIES = 10_000
RECALL_MS = 20.0


def seed_row(folder: Path) -> Row:
    """One more Seed in a slate, against a bare write of the same bytes (whose new name is not even on disk)."""
    here = parts(folder)
    here.store.open("bench")
    for number in range(50):
        here.store.write_seed("bench", f"finding {number} " + "word " * 40, "risk")
    place = here.path("bench").parent

    def raw() -> None:
        data = here.path("bench").read_bytes()
        handle = os.open(place / "raw.tmp", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.write(handle, data)
        os.fsync(handle)
        os.close(handle)
        os.rename(place / "raw.tmp", place / "raw")

    return Row(
        name="slate.writeSeed",
        against="write, fsync, rename of the same file",
        bound=1.5,
        ours=lambda: here.store.write_seed("bench", "a finding " + "word " * 40, "risk"),
        theirs=raw,
    )


def recall_result(folder: Path, rounds: int) -> Result:
    """The median of recalls with four words each, against its limit."""
    dice = random.Random(3)
    vocabulary = ["".join(dice.choice("aeioubcdfgklmnprst") for _ in range(6)) for _ in range(3000)]
    store = MemoryStore(folder / "memory")
    for _ in range(MEMORIES):
        text = " ".join(dice.choice(vocabulary) for _ in range(20))
        store.remember(text, scope="user", origin="bench")
    took = []
    for _ in range(rounds):
        query = " ".join(dice.choice(vocabulary) for _ in range(4))
        start = time.perf_counter()
        store.recall(query)
        took.append((time.perf_counter() - start) * 1000)
    store.close()
    ours = statistics.median(took)
    limit = f"{RECALL_MS:g} ms over {MEMORIES:,} memories"
    return Result("recall", limit, ours, RECALL_MS, ours / RECALL_MS, 1.0)


def results(folder: Path, rounds: int) -> list[Result]:
    """Both rows."""
    return [measure(seed_row(folder), rounds), recall_result(folder, rounds)]


def main() -> None:
    """The command line."""
    with TemporaryDirectory(prefix="slate-bench-") as folder:
        found = results(Path(folder), 5 * ROUNDS)
    print(table(found))
    sys.exit(0 if all(result.kept for result in found) else 1)


if __name__ == "__main__":
    main()
