"""Generate slate_desktop/wayland/bindings/ from protocols/ with pywayland's scanner.

Usage: python scripts/protocols.py [OUTPUT_DIRECTORY]. The same input gives the same bytes.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from pywayland.scanner.protocol import Protocol

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "protocols"
BINDINGS = ROOT / "slate_desktop" / "wayland" / "bindings"

# The scanner needs to know where interfaces of the core protocol live; without this it would want
# wayland.xml and write a second core module whose classes are not the ones pywayland's display
# hands out.
CORE = {name: "pywayland.protocol.wayland" for name in ("wl_seat", "wl_output", "wl_surface")}


def generate(target: Path) -> list[Path]:
    """Write one module per XML file into `target` and return their paths."""
    target.mkdir(parents=True, exist_ok=True)
    written = []
    for source in sorted(SOURCE.glob("*.xml")):
        protocol = Protocol.parse_file(str(source))
        own = {interface.name: protocol.name for interface in protocol.interface}
        protocol.output(str(target), CORE | own)
        module = target / f"{protocol.name}.py"
        # The scanner writes every import as a sibling (`from .pywayland…`); the core ones are
        # absolute.
        text = re.sub(
            r"^from \.+pywayland\.", "from pywayland.", module.read_text(), flags=re.MULTILINE
        )
        module.write_text(text)
        written.append(module)
    return written


if __name__ == "__main__":
    for path in generate(Path(sys.argv[1]) if len(sys.argv) > 1 else BINDINGS):
        sys.stdout.write(f"{path}\n")
