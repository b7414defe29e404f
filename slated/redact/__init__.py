"""Takes secrets (and, if asked, checkable personal data) out of text, bytes and structured values.

Pure: no configuration, no model, no IO. Redact before cutting and before serialising; what was masked is
never needed to find it again.
"""

from __future__ import annotations

from slated.redact.stream import RedactedStream
from slated.redact.structured import redact_value
from slated.redact.text import contains_mask, mask, redact, redact_bytes

__all__ = [
    "RedactedStream",
    "contains_mask",
    "mask",
    "redact",
    "redact_bytes",
    "redact_value",
]
