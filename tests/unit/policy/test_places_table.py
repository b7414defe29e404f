"""Tables of places: every pattern says where it starts, and has a reason."""

from __future__ import annotations

from slated.policy.places_table import DELAYED, SAFE_DEVICES, SECRET


def test_every_pattern_starts_somewhere() -> None:
    for pattern in [*(pattern for pattern, _ in DELAYED), *SECRET]:
        assert pattern.startswith(("~/", "/", "**/")), pattern


def test_every_delayed_place_has_its_reason_and_stands_once() -> None:
    assert all(reason for _, reason in DELAYED)
    assert len({pattern for pattern, _ in DELAYED}) == len(DELAYED)


def test_safe_devices_are_devices() -> None:
    assert all(path.startswith("/dev/") for path in SAFE_DEVICES)
