"""Whether another program of the same user can look into one that does not want it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
CODE = (
    "import sys; sys.path.insert(0, sys.argv[1]); from slated import untraceable;"
    "before = untraceable.is_so(); untraceable.become();"
    "print(before, untraceable.is_so(), flush=True); sys.stdin.readline()"
)


def test_after_it_the_kernel_gives_what_is_ours_to_root() -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", CODE, str(ROOT)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    assert child.stdout.readline().split() == ["False", "True"]
    assert Path(f"/proc/{child.pid}/mem").stat().st_uid == 0
    if os.getuid() != 0:
        assert not os.access(f"/proc/{child.pid}/environ", os.R_OK)
    child.communicate("\n", timeout=5)
