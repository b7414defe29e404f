"""Break each promise in a copy of the sources and run its tests; exits 1 if one of them still passes."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.breaks.breaks import BREAKS, Break

ROOT = Path(__file__).parents[2]
DEADLINE_S = 180.0
PASSED, FAILED = 0, 1  # pytest's exit codes; all others mean that nothing was tried


def main() -> int:
    """One line for each promise and test."""
    print("Each promise, broken: do its tests fail?", flush=True)
    with tempfile.TemporaryDirectory(prefix="breaks-") as directory:
        copy = Path(directory)
        copied(copy)
        wrong = [said for it in BREAKS for said in tried(copy, it)]
    for said in wrong:
        print(said)
    print(
        f"{len(BREAKS)} faults, {len({it.promise for it in BREAKS})} promises, {len(wrong)} wrong"
    )
    return 1 if wrong else 0


def copied(copy: Path) -> None:
    """Put everything that git knows into the copy, as it is now."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, timeout=30
    )
    for name in listed.stdout.decode().split("\0"):
        if name and (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, copy / name)


def tried(copy: Path, it: Break) -> list[str]:
    """What is wrong with the tests of one break; the copy is whole again afterwards."""
    source = copy / it.path
    whole = source.read_text(encoding="utf-8")
    if whole.count(it.was) != 1:
        return [f"{it.promise}: {it.path} has changed: write its break anew"]
    source.write_text(whole.replace(it.was, it.becomes), encoding="utf-8")
    try:
        return [said for test in it.tests if (said := judged(copy, it, test))]
    finally:
        source.write_text(whole, encoding="utf-8")


def judged(copy: Path, it: Break, test: str) -> str:
    """Run one test on the broken copy; "" if it fails, as it must."""
    began = time.monotonic()
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", test]
    done = subprocess.run(
        command, cwd=copy, capture_output=True, text=True, timeout=DEADLINE_S, check=False
    )
    found = done.returncode == FAILED and " failed" in done.stdout
    took_s = time.monotonic() - began
    verdict = "fails" if found else "STILL PASSES" if done.returncode == PASSED else "DID NOT RUN"
    print(f"  {it.promise:28} {verdict:12} {took_s:5.1f} s  {test.rpartition('::')[2]}", flush=True)
    return "" if found else f"{it.promise}: {test}: {verdict.lower()}\n{done.stdout[-2000:]}"


if __name__ == "__main__":
    sys.exit(main())
