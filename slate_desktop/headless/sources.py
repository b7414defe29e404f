"""Finds the Debian mirror in apt's source lists, in either of their two formats. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

# A one-line entry: type, options in brackets, address, suite.
LINE = re.compile(r"^\s*deb\s+(?:\[[^\]]*\]\s+)?(\S+)\s+\S+", re.MULTILINE)
DEBIAN = re.compile(r"https?://\S+/debian/?")


def mirror(texts: dict[str, str]) -> str | None:
    """The first address of a Debian archive in source files (name → content), or None."""
    for name, text in sorted(texts.items()):
        for address in _stanzas(text) if name.endswith(".sources") else _lines(text):
            if DEBIAN.fullmatch(address):
                return address.rstrip("/")
    return None


def _lines(text: str) -> Iterator[str]:
    yield from LINE.findall(text)


def _stanzas(text: str) -> Iterator[str]:
    for stanza in re.split(r"\n\s*\n", text):
        fields = _fields(stanza)
        if "deb" in fields.get("types", "").split() and fields.get("enabled", "yes") != "no":
            yield from fields.get("uris", "").split()


def _fields(stanza: str) -> dict[str, str]:
    """Field names in lower case; continuation lines belong to the field above, comments to none."""
    fields: dict[str, str] = {}
    name = ""
    for line in stanza.splitlines():
        if line.startswith("#"):
            continue
        if line[:1].isspace():
            fields[name] = f"{fields.get(name, '')} {line.strip()}"
        elif ":" in line:
            name, _, value = line.partition(":")
            name = name.strip().lower()
            fields[name] = value.strip()
    return fields
