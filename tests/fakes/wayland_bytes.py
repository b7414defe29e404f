"""Wayland messages as bytes, written down apart from the filter that reads them."""

from __future__ import annotations

import struct


def message(object_: int, opcode: int, *arguments: int | str) -> bytes:
    """One request or event. Numbers may be negative; strings are ended and padded."""
    body = b""
    for argument in arguments:
        if isinstance(argument, int):
            body += struct.pack("=i" if argument < 0 else "=I", argument)
        else:
            raw = argument.encode() + b"\0"
            body += struct.pack("=I", len(raw)) + raw + b"\0" * (-len(raw) % 4)
    return struct.pack("=II", object_, (8 + len(body)) << 16 | opcode) + body


def get_registry(id_: int) -> bytes:
    return message(1, 1, id_)


def sync(id_: int) -> bytes:
    return message(1, 0, id_)


def global_(registry: int, name: int, interface: str, version: int = 9) -> bytes:
    return message(registry, 0, name, interface, version)


def bind(registry: int, name: int, interface: str, id_: int, version: int = 1) -> bytes:
    return message(registry, 0, name, interface, version, id_)


def done(callback: int) -> bytes:
    return message(callback, 0, 7)


def delete_id(id_: int) -> bytes:
    return message(1, 1, id_)
