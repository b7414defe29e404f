"""The archive that tests of downloading and installing share."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.adapters.headless import archive as archives


@pytest.fixture(scope="session")
def shared_archive() -> Iterator[archives.Archive]:
    """One archive for all tests: making it takes longer than using it."""
    for program in ("apt-get", "dpkg-deb", "gpg"):
        if shutil.which(program) is None:
            pytest.skip(f"there is no {program} here to make a Debian archive with")
    # Not pytest's directory: the agent of gpg listens on a socket below its home.
    with TemporaryDirectory(prefix="slate-t-") as name:
        place = Path(name)
        with archives.archive(place, archives.tree_of_a_program(place)) as made:
            yield made


@pytest.fixture
def archive(shared_archive: archives.Archive) -> archives.Archive:
    """The archive, freshly signed."""
    shared_archive.sign()
    return shared_archive
