"""Many client processes on a few slates at once, with kills: no acknowledged Seed is lost (`make soak-slate`).

python -m tests.soak.slate [--processes 200] [--slates 50] [--seconds 30] [--folder DIR]
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import signal
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

from slated.errors import BadRequest, Refused
from tests.fakes.slate_parts import Parts, parts

FORK = multiprocessing.get_context("fork")
SLOWEST_S = 2.0


PAUSE_S = 1.0


def client(folder: Path, slates: int, number: int, until: float) -> None:
    """One client: opens, writes and now and then closes; each acknowledged Seed goes to its own journal.

    It thinks between calls, as agents do: 200 busy loops would measure the scheduler.
    """
    dice = random.Random(number)
    here = parts(folder)
    journal = os.open(folder / f"journal-{number}", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    thinking = threading.Event()
    while time.monotonic() < until:
        thinking.wait(dice.uniform(0, 2 * PAUSE_S))
        slate_id = f"slate-{dice.randrange(slates)}"
        start = time.monotonic()
        line = _act(here, dice, slate_id)
        took = time.monotonic() - start
        os.write(journal, json.dumps([slate_id, line, took]).encode() + b"\n")


def _act(here: Parts, dice: random.Random, slate_id: str) -> str | None:
    try:
        here.store.open(slate_id)
        if dice.random() < 0.005:
            here.store.close(slate_id)
            return None
        return here.store.write_seed(slate_id, f"{slate_id} {dice.random()}", "risk").id
    except (BadRequest, Refused):
        return None  # Closed or full: said before anything was stored.


def run(folder: Path, processes: int, slates: int, seconds: float) -> dict[str, object]:
    """Start the clients, kill a tenth of them while they work and start others, then count."""
    dice = random.Random(1)
    until = time.monotonic() + seconds
    numbers = iter(range(1_000_000))

    def start() -> multiprocessing.process.BaseProcess:
        child = FORK.Process(target=client, args=(folder, slates, next(numbers), until))
        child.start()
        return child

    alive = [start() for _ in range(processes)]
    killed: list[multiprocessing.process.BaseProcess] = []
    while time.monotonic() < until - 1:
        threading.Event().wait(seconds / 20)
        for place in dice.sample(range(processes), max(1, processes // 100)):
            os.kill(alive[place].pid or 0, signal.SIGKILL)
            killed.append(alive[place])
            alive[place] = start()
    # Also the killed ones: on a busy disk the kernel may take its time with their last call.
    for child in (*killed, *alive):
        child.join(seconds + 30)
    return {
        "killed": len(killed),
        "failed": sum(child.exitcode != 0 for child in alive),
        **judged(folder),
    }


def judged(folder: Path) -> dict[str, object]:
    """What the journals say against what the slates hold."""
    here = parts(folder)
    held = {
        slate_id: slate for slate_id, slate in here.store.each() if not isinstance(slate, Exception)
    }
    damaged = sum(isinstance(slate, Exception) for _, slate in here.store.each())
    known = {slate_id: {seed.id for seed in slate.seeds} for slate_id, slate in held.items()}
    foreign = sum(
        not seed.text.startswith(f"{slate_id} ")
        for slate_id, slate in held.items()
        for seed in slate.seeds
    )
    counts: Counter[str] = Counter()
    slowest = 0.0
    for path in folder.glob("journal-*"):
        for line in path.read_bytes().splitlines():
            try:
                slate_id, seed_id, took = json.loads(line)
            except ValueError:
                continue  # A journal line cut off by the kill.
            slowest = max(slowest, took)
            if seed_id is not None:
                counts["acknowledged"] += 1
                counts["lost"] += seed_id not in known.get(slate_id, ())
    over = sum(len(ids) > 200 for ids in known.values())
    return {
        "acknowledged": counts["acknowledged"],
        "lost": counts["lost"],
        "foreign": foreign,
        "over the cap": over,
        "damaged": damaged,
        "slowest_s": round(slowest, 3),
    }


def main() -> int:
    """Run and say whether it held."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--processes", type=int, default=200)
    parser.add_argument("--slates", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--folder", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        found = run(Path(folder), given.processes, given.slates, given.seconds)
    print(json.dumps(found))
    bad = [found[key] for key in ("lost", "foreign", "over the cap", "damaged", "failed")]
    return int(any(bad) or float(str(found["slowest_s"])) > SLOWEST_S or not found["acknowledged"])


if __name__ == "__main__":
    raise SystemExit(main())
