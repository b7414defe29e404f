"""What slated takes up again after it ended: open questions, open tasks, and numbers that are never reused."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from slated import files
from slated.errors import Unavailable
from slated.redact import redact_value

NAME = "open.json"
_LIMIT = 8 << 20


def load(directory: Path) -> dict[str, Any]:
    """What was kept; empty when there is nothing, or nothing that can be read (then all questions are simply gone)."""
    with files.opened(directory, create=False) as handle:
        try:
            data = files.read_file(handle, NAME, limit=_LIMIT)
            found = json.loads(data or b"{}")
        except (Unavailable, ValueError):
            return {}
    return found if isinstance(found, dict) else {}


def save(directory: Path, kept: Mapping[str, object]) -> None:
    """Keep this, secrets taken out. Raises `unavailable.disk`."""
    with files.opened(directory, create=False) as handle:
        files.replace_file(handle, NAME, json.dumps(redact_value(kept)).encode())
