"""Both kinds of pictures are what the port says."""

from __future__ import annotations

import inspect

import pytest

from slated.snapshots.btrfs import Snapshots
from slated.snapshots.copies import Copies
from slated.snapshots.pictures import Pictures


@pytest.mark.parametrize("kind", [Copies, Snapshots])
def test_each_kind_has_the_methods_of_the_port_with_their_arguments(kind: type) -> None:
    for name, method in inspect.getmembers(Pictures, inspect.isfunction):
        if not name.startswith("_"):
            wanted = list(inspect.signature(method).parameters)
            assert list(inspect.signature(getattr(kind, name)).parameters) == wanted, name
