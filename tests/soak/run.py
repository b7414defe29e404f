"""What every soak's command line shares: its options, a stage with a daemon on it, and the exit
code.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Awaitable, Callable, Sequence

import anyio

from tests.live.bed.finding import find
from tests.live.bed.stage import staged

Soak = Callable[..., Awaitable[bool]]
"""Stage, count and seed, and `kinds` where there are some → whether everything was as promised."""


def main(what: str, soak: Soak, *, count: int, kinds: Sequence[str] = ()) -> None:
    """Run a soak from the command line; exits 0 when it held, 1 when it did not, 2 when there is
    no sway. A soak of several `kinds` takes those it is to do as `kinds` and has them chosen by `--only`.
    """
    parser = argparse.ArgumentParser(description=what)
    parser.add_argument("--count", type=int, default=count, help=f"how many (default {count})")
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000, help="repeat a run")
    if kinds:
        parser.add_argument(
            "--only", action="append", choices=kinds, help="one kind; may be repeated"
        )
    chosen = parser.parse_args()
    some = {"kinds": chosen.only or kinds} if kinds else {}
    sway = find()
    if isinstance(sway, str):
        print(sway, file=sys.stderr)
        sys.exit(2)
    print(f"seed {chosen.seed}", flush=True)

    async def on_stage() -> bool:
        async with staged(sway) as stage:
            held = await soak(stage, chosen.count, chosen.seed, **some)
            if not held:
                print(stage.tail(), file=sys.stderr)
            return held

    sys.exit(0 if anyio.run(on_stage) else 1)
