"""The committed bindings are what scripts/protocols.py makes of protocols/."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
BINDINGS = ROOT / "slate_desktop" / "wayland" / "bindings"


def test_regenerating_the_bindings_gives_the_committed_bytes(tmp_path: Path) -> None:
    script = ROOT / "scripts" / "protocols.py"
    subprocess.run([sys.executable, script, tmp_path], check=True, capture_output=True, timeout=20)
    fresh = {path.name: path.read_bytes() for path in tmp_path.glob("*.py")}
    committed = {p.name: p.read_bytes() for p in BINDINGS.glob("*.py") if p.name != "__init__.py"}
    assert len(fresh) == len(list((ROOT / "protocols").glob("*.xml")))
    assert fresh == committed


def test_core_interfaces_are_the_ones_of_pywayland() -> None:
    from pywayland.protocol.wayland import WlSeat

    from slate_desktop.wayland.bindings import virtual_keyboard_unstable_v1 as keyboard

    assert vars(keyboard)["WlSeat"] is WlSeat
    assert not list(BINDINGS.glob("wayland.py"))
