"""The chained record: order, tampering, torn tails."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from slated import files
from slated.errors import Unavailable
from slated.sac import activity


@pytest.fixture
def place(tmp_path: Path) -> Iterator[int]:
    with files.opened(tmp_path, create=False) as handle:
        yield handle


def test_records_come_back_in_order_and_chained(place: int) -> None:
    for name in "abc":
        activity.append(place, {"type": name})
    records = activity.read(place)
    assert [one["type"] for one in records] == ["a", "b", "c"]
    assert records[0]["prior"] == activity.GENESIS


@pytest.mark.parametrize("change", [(b'"b"', b'"x"'), (b'"n":2', b'"n":3')])
def test_a_changed_line_is_found_and_nothing_is_added(
    place: int, tmp_path: Path, change: tuple[bytes, bytes]
) -> None:
    for name in "abc":
        activity.append(place, {"type": name})
    path = tmp_path / activity.NAME
    path.write_bytes(path.read_bytes().replace(*change))
    for deed in (lambda: activity.read(place), lambda: activity.append(place, {"type": "d"})):
        with pytest.raises(Unavailable):
            deed()


def test_a_line_taken_out_of_the_middle_is_found(place: int, tmp_path: Path) -> None:
    for name in "abc":
        activity.append(place, {"type": name})
    path = tmp_path / activity.NAME
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + lines[2])
    with pytest.raises(Unavailable):
        activity.read(place)


def test_a_torn_tail_is_dropped_and_writing_goes_on(place: int, tmp_path: Path) -> None:
    activity.append(place, {"type": "a"})
    with (tmp_path / activity.NAME).open("ab") as file:
        file.write(b'{"n":2,"pri')
    assert len(activity.read(place)) == 1
    activity.append(place, {"type": "b"})
    assert [one["type"] for one in activity.read(place)] == ["a", "b"]
