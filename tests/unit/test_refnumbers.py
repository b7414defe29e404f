"""Ref numbers that no later daemon gives again."""

from __future__ import annotations

from pathlib import Path

import pytest

from slate_desktop.errors import Unavailable
from slate_desktop.refnumbers import NAME, RefNumbers


def test_numbers_go_on_after_a_restart_and_are_never_given_twice(tmp_path: Path) -> None:
    first = RefNumbers(tmp_path)
    given = [first.next("w") for _ in range(300)]
    assert given == list(range(1, 301))
    second = RefNumbers(tmp_path)
    assert second.next("w") > given[-1]
    assert second.next("f") == 1


def test_what_was_reserved_is_on_disk_before_a_number_is_given(tmp_path: Path) -> None:
    RefNumbers(tmp_path).next("w")
    assert (tmp_path / NAME).read_bytes() == b'{"w": 256}'


@pytest.mark.parametrize("content", ["", "[]", '{"w": "x"}', "{"])
def test_a_damaged_file_is_an_error_that_names_it_and_never_a_start_from_one(
    tmp_path: Path, content: str
) -> None:
    (tmp_path / NAME).write_text(content)
    with pytest.raises(Unavailable) as caught:
        RefNumbers(tmp_path)
    assert caught.value.code == "unavailable.damaged"
    assert NAME in caught.value.message
