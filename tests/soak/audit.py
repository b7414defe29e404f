"""Kills slated at random points under many writers, fills its disk, damages its log; looks at what is lost or missed.

`python -m tests.soak.audit [--kills 200] [--writers 8] [--damages 600] [--seed N]`
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from slated import settings
from slated.audit.lines import Anchor, Head, decode, digest, encode, segment_name
from slated.audit.reader import Wanted, firsts, judged, records
from slated.audit.verify import Judgement
from slated.errors import SlateError, Unavailable
from tests.fakes.conscience import alone, connected, end

CALL = {
    "client": "desktop",
    "tool": "desktop_click",
    "ours": True,
    "floor": "reversible",
    "agent": {"pid": os.getpid(), "started": 1},
}
SCROLL = {**CALL, "tool": "desktop_scroll"}
"""An act that takes no undo mark, which a full disk would refuse before the log is asked."""
Damage = Callable[[Path, random.Random], int]
"""Damages a log; the number of the first line that is no longer as it was."""


# -- kills ---------------------------------------------------------------------------------------


class Writer(threading.Thread):
    """Asks for leave as fast as it can, whatever happens to slated, and keeps what it was given."""

    def __init__(self, number: int, environ: dict[str, str], stop: threading.Event) -> None:
        super().__init__(daemon=True)
        self.number, self.environ, self.stop = number, environ, stop
        self.given: list[str] = []

    def run(self) -> None:
        """Until told to stop; a connection that breaks is made again."""
        while not self.stop.is_set():
            with suppress(SlateError, OSError), connected(self.environ) as slated:
                while not self.stop.is_set():
                    name = f"{self.number}.{len(self.given)}.{time.monotonic_ns()}"
                    granted = slated.ask("admit", {**CALL, "arguments": {"name": name}})
                    self.given.append(name)
                    done = {"grant": granted["grant"], "outcome": {"outcome": "yes"}}
                    slated.ask("finish", done)


def kills(count: int, writers: int, dice: random.Random) -> bool:
    """Kill slated `count` times under `writers` writers; whether every grant that was given is in a sound log."""
    with alone() as environ:
        stop = threading.Event()
        crew = [Writer(number, environ, stop) for number in range(writers)]
        for writer in crew:
            writer.start()
        done = 0
        while done < count:
            threading.Event().wait(dice.uniform(0.05, 0.9))
            done += _kill(environ)
        stop.set()
        for writer in crew:
            writer.join(60)
        end(environ)
        directory = settings.directories(environ).audit
        logged = {
            json.loads(str(r["summary"])).get("name")
            for r in records(directory, Wanted(kind="call"))
        }
        given = [name for writer in crew for name in writer.given]
        lost = [name for name in given if name not in logged]
        made = judged(directory, {})
        print(
            f"{done} kills, {len(given)} grants given, {len(lost)} lost, {made.head.count} lines, "
            f"{len(made.repairs)} torn ends mended, {len(made.faults)} faults",
            flush=True,
        )
        for fault in made.faults[:5]:
            print(f"  {fault}")
        return not lost and made.sound and bool(given)


def _kill(environ: dict[str, str]) -> int:
    """SIGKILL the slated that serves now; 1 if there was one."""
    lock = Path(environ["XDG_RUNTIME_DIR"]) / "slate/slated.lock"
    try:
        os.kill(int(lock.read_text()), signal.SIGKILL)
    except (OSError, ValueError):
        return 0
    return 1


# -- a full disk ---------------------------------------------------------------------------------


@contextmanager
def small_disk(megabytes: int) -> Iterator[Path | None]:
    """A file system with so much room; None where we may not mount one."""
    place = Path(tempfile.mkdtemp(prefix="sls"))
    mount = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=700", "slate-soak", str(place)]
    mounted = subprocess.run(mount, capture_output=True, check=False).returncode == 0
    try:
        yield place if mounted else None
    finally:
        if mounted:
            subprocess.run(["umount", "--lazy", str(place)], check=True)
        place.rmdir()


def full_disk() -> bool:
    """Fill the disk under a log: looks go on, acts are refused; with room again both work, and nothing is unlogged."""
    with small_disk(2) as disk, alone() as environ:
        if disk is None:
            print("full disk: not tried, mounting needs root", flush=True)
            return True
        environ["XDG_STATE_HOME"] = str(disk)
        with connected(environ) as slated:
            given = [slated.ask("admit", {**SCROLL, "arguments": {"name": "before"}})]
            filler = disk / "filler"
            with suppress(OSError), open(filler, "wb", buffering=0) as file:
                while file.write(b"x" * 4096):
                    pass
            refused = looked = 0
            for n in range(200):
                try:
                    given.append(slated.ask("admit", {**SCROLL, "arguments": {"name": f"full{n}"}}))
                except Unavailable as error:
                    refused += error.code == "unavailable.audit"
                look = {**CALL, "tool": "desktop_windows", "floor": "observe"}
                looked += slated.ask("admit", look)["tier"] == "observe"
            filler.unlink()
            given.append(slated.ask("admit", {**SCROLL, "arguments": {"name": "after"}}))
        end(environ)
        directory = settings.directories(environ).audit
        wanted = Wanted(kind="call", tool="desktop_scroll")
        logged = sum(r["verdict"] == "allow" for r in records(directory, wanted))
        sound = judged(directory, {}).sound
        print(
            f"full disk: {refused} of 200 acts refused, {looked} of 200 looks allowed, "
            f"{len(given)} grants, {logged} logged, {'sound' if sound else 'DAMAGED'}",
            flush=True,
        )
        return refused > 0 and looked == 200 and logged == len(given) and sound


# -- damage --------------------------------------------------------------------------------------


class Told:
    """A witness that keeps what it was told, where the log's attacker cannot reach."""

    def __init__(self, anchors: list[Anchor]) -> None:
        self.anchors = anchors

    def put(self, anchor: Anchor) -> bool:
        self.anchors.append(anchor)
        return True

    def read(self) -> list[Anchor] | None:
        return self.anchors


def build(directory: Path, lines: int, dice: random.Random) -> list[Anchor]:
    """A log of so many lines in several files, and anchors told at random lines and at its end."""
    head, first = Head(), 1
    anchors: list[Anchor] = []
    data: list[bytes] = []
    directory.mkdir()
    for number in range(lines):
        begins = number % 97 == 0
        record = {"kind": "segment", "log": "soak"} if begins else {"kind": "call", "w": number}
        if begins and data:
            (directory / segment_name(first)).write_bytes(b"".join(data))
            data, first = [], head.count + 1
        line, head = encode({"t": "then", **record}, head)
        data.append(line + b"\n")
        if dice.random() < 0.05 or number == lines - 1:
            anchors.append(Anchor("soak", head, "then"))
    (directory / segment_name(first)).write_bytes(b"".join(data))
    return anchors


def _some_file(directory: Path, dice: random.Random) -> tuple[Path, int, list[bytes]]:
    first = dice.choice(firsts(directory))
    path = directory / segment_name(first)
    return path, first, path.read_bytes().splitlines(keepends=True)


def edit_a_byte(directory: Path, dice: random.Random) -> int:
    """Another byte somewhere in a line."""
    path, first, lines = _some_file(directory, dice)
    at = dice.randrange(len(lines))
    line = bytearray(lines[at])
    place = dice.randrange(len(line) - 1)
    line[place] = dice.choice([b for b in range(33, 127) if b != line[place]])
    path.write_bytes(b"".join([*lines[:at], bytes(line), *lines[at + 1 :]]))
    return first + at


def cut_the_end(directory: Path, dice: random.Random) -> int:
    """The last file ends early, in a line or between two."""
    path = directory / segment_name(firsts(directory)[-1])
    data = path.read_bytes()
    keep = dice.randrange(len(data) - 1)
    path.write_bytes(data[:keep])
    return firsts(directory)[-1] + data[:keep].count(b"\n")


def drop_a_line(directory: Path, dice: random.Random) -> int:
    """A line is taken out."""
    path, first, lines = _some_file(directory, dice)
    at = dice.randrange(len(lines))
    path.write_bytes(b"".join([*lines[:at], *lines[at + 1 :]]))
    return first + at


def swap_two_lines(directory: Path, dice: random.Random) -> int:
    """Two neighbours change places."""
    path, first, lines = _some_file(directory, dice)
    at = dice.randrange(len(lines) - 1)
    lines[at], lines[at + 1] = lines[at + 1], lines[at]
    path.write_bytes(b"".join(lines))
    return first + at


def drop_a_file(directory: Path, dice: random.Random) -> int:
    """One file of the log is gone."""
    first = dice.choice(firsts(directory)[1:])
    (directory / segment_name(first)).unlink()
    return first


def rewrite_the_rest(directory: Path, dice: random.Random) -> int:
    """From some line on everything is written anew, with a chain that fits."""
    path, first, lines = _some_file(directory, dice)
    at = dice.randrange(1, len(lines))
    head = Head(first + at - 1, digest(lines[at - 1].rstrip(b"\n")))
    changed = first + at
    rest = [decode(line) or {} for line in lines[at:]]
    later = [n for n in firsts(directory) if n > first]
    path.write_bytes(b"".join(lines[:at]) + (written := _chained(rest, head))[0])
    head = written[1]
    for number in later:
        other = directory / segment_name(number)
        found = [decode(line) or {} for line in other.read_bytes().splitlines()]
        data, head = _chained(found, head)
        other.write_bytes(data)
    return changed


def _chained(found: list[dict[str, object]], head: Head) -> tuple[bytes, Head]:
    data = []
    for record in found:
        body = {k: v for k, v in record.items() if k not in ("n", "prev")}
        line, head = encode({**body, "forged": True}, head)
        data.append(line + b"\n")
    return b"".join(data), head


DAMAGES: tuple[Damage, ...] = (
    edit_a_byte,
    cut_the_end,
    drop_a_line,
    swap_two_lines,
    drop_a_file,
    rewrite_the_rest,
)


def damages(count: int, dice: random.Random) -> bool:
    """Damage a log in every way; whether each was found that an anchor lies behind, and no sound log was accused."""
    missed: list[str] = []
    found = {damage.__name__: 0 for damage in DAMAGES}
    with tempfile.TemporaryDirectory() as place:
        top = Path(place)
        anchors = build(top / "good", 500, dice)
        if not _judged(top / "good", anchors).sound:
            missed.append("a sound log was accused")
        for number in range(count):
            damage = DAMAGES[number % len(DAMAGES)]
            shutil.copytree(top / "good", top / "bad")
            line = damage(top / "bad", dice)
            made = _judged(top / "bad", anchors)
            covered = any(anchor.head.count >= line for anchor in anchors)
            if covered and made.sound:
                missed.append(f"{damage.__name__} at line {line}")
            found[damage.__name__] += not made.sound
            shutil.rmtree(top / "bad")
    shown = ", ".join(f"{name} {n}" for name, n in found.items())
    print(f"{count} damages, {len(missed)} missed; found: {shown}", flush=True)
    for text in missed[:10]:
        print(f"  missed: {text}", flush=True)
    return not missed


def _judged(directory: Path, anchors: list[Anchor]) -> Judgement:
    return judged(directory, {"witness": Told(anchors)})


def main() -> None:
    """Run all three from the command line; exits 0 when everything held."""
    parser = argparse.ArgumentParser(description="Kills, fills and damages the audit log.")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--writers", type=int, default=8)
    parser.add_argument("--damages", type=int, default=600)
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000)
    given = parser.parse_args()
    print(f"seed {given.seed}", flush=True)
    dice = random.Random(given.seed)
    held = [damages(given.damages, dice), full_disk()]
    held.append(kills(given.kills, given.writers, dice))
    sys.exit(0 if all(held) else 1)


if __name__ == "__main__":
    main()
