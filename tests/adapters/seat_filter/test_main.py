"""How the filter starts: isolated, with as many descriptors as it may have."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.fakes.filter_bench import filter_bench

ROOT = Path(__file__).parents[3]
FEW = (
    sys.executable,
    "-c",
    "import os, resource, sys\n"
    "resource.setrlimit(resource.RLIMIT_NOFILE, (64, 900))\n"
    "os.execv(sys.argv[1], sys.argv[1:])",
)
LOADED = """
import sys
sys.path.insert(0, sys.argv[1])
import slate_desktop.seat_filter.proxy
print(*sorted(name for name in sys.modules if name.startswith("slate")))
print(*sorted(name for name in sys.modules if "." not in name and name not in sys.stdlib_module_names))
"""


def test_it_takes_as_many_descriptors_as_it_may() -> None:
    with filter_bench(prefix=FEW) as bench:
        assert bench.asked()
        limits = Path(f"/proc/{bench.pid}/limits").read_text()
        (line,) = (line for line in limits.splitlines() if line.startswith("Max open files"))
        assert line.split()[3:5] == ["900", "900"]


def test_it_loads_the_standard_library_and_itself() -> None:
    run = subprocess.run(
        [sys.executable, "-I", "-S", "-c", LOADED, str(ROOT)],
        capture_output=True,
        text=True,
        check=True,
        timeout=10,
    )
    ours, foreign = run.stdout.splitlines()
    below = {name for name in ours.split() if name.startswith("slate_desktop.seat_filter")}
    assert set(ours.split()) == {"slate_desktop", *below}
    assert set(foreign.split()) <= {"__main__", "slate_desktop"}
