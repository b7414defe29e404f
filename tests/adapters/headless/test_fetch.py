"""Downloading by the system's apt from an archive of our own: what is trusted, kept and said."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest

from slate_desktop.errors import Unavailable
from slate_desktop.headless import fetch
from slate_desktop.headless.progress import Progress
from tests.adapters.headless.archive import MACHINE, Archive


@pytest.fixture
def lock(tmp_path: Path) -> Iterator[int]:
    descriptor = os.open(tmp_path / "lock", os.O_RDWR | os.O_CREAT)
    yield descriptor
    os.close(descriptor)


@pytest.fixture
def out() -> StringIO:
    return StringIO()


@pytest.fixture
def progress(out: StringIO) -> Progress:
    return Progress(out, live=False)


def apt_of(archive: Archive, tmp_path: Path, keyring: Path | None = None) -> fetch.Apt:
    source = fetch.Source(archive.address, keyring or archive.keyring)
    return fetch.Apt(tmp_path / "apt", source, MACHINE.architecture, {})


def test_a_signed_archive_gives_its_package_without_a_word(
    archive: Archive, tmp_path: Path, lock: int, progress: Progress, out: StringIO
) -> None:
    apt = apt_of(archive, tmp_path)
    assert apt.update(progress, lock) is None
    files = apt.download(["sway"], progress, lock)
    assert [file.name for file in files] == [f"sway_1.12-1_{MACHINE.architecture}.deb"]
    assert "downloading sway" in out.getvalue()


def test_what_was_downloaded_is_there_for_the_next_try(
    archive: Archive, tmp_path: Path, lock: int, progress: Progress
) -> None:
    apt = apt_of(archive, tmp_path)
    apt.update(progress, lock)
    before = [file.stat().st_ino for file in apt.download(["sway"], progress, lock)]
    again = apt_of(archive, tmp_path)
    again.update(progress, lock)
    assert [file.stat().st_ino for file in again.download(["sway"], progress, lock)] == before


@pytest.mark.parametrize(("age", "words"), [(24, "past its date"), (-3, "in the future")])
def test_a_wrong_date_is_said_and_overlooked(
    archive: Archive, tmp_path: Path, lock: int, progress: Progress, age: int, words: str
) -> None:
    archive.sign(age=timedelta(days=age))
    apt = apt_of(archive, tmp_path)
    said = apt.update(progress, lock)
    assert said is not None
    assert words in said
    assert apt.download(["sway"], progress, lock)


@pytest.mark.parametrize("age", [0, 24])
def test_an_unsigned_archive_gives_nothing_whatever_its_date(
    archive: Archive, tmp_path: Path, lock: int, progress: Progress, age: int
) -> None:
    archive.sign(age=timedelta(days=age), signed=False)
    with pytest.raises(Unavailable) as refusal:
        apt_of(archive, tmp_path).update(progress, lock)
    assert refusal.value.code == "unavailable.signature"


@pytest.mark.parametrize("age", [0, 24])
def test_a_signature_of_somebody_else_gives_nothing_whatever_its_date(
    archive: Archive, tmp_path: Path, lock: int, progress: Progress, age: int
) -> None:
    archive.sign(age=timedelta(days=age))
    debian = next((path for path in fetch.KEYRINGS if path.exists()), None)
    if debian is None:
        pytest.skip("debian-archive-keyring is not installed")
    with pytest.raises(Unavailable) as refusal:
        apt_of(archive, tmp_path, debian).update(progress, lock)
    assert refusal.value.code == "unavailable.signature"


def test_a_package_that_was_changed_after_signing_gives_nothing(
    archive: Archive, tmp_path: Path, lock: int, progress: Progress
) -> None:
    apt = apt_of(archive, tmp_path)
    apt.update(progress, lock)
    package = next((archive.root / "pool").iterdir())
    whole = package.read_bytes()
    package.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    try:
        with pytest.raises(Unavailable):
            apt.download(["sway"], progress, lock)
    finally:
        package.write_bytes(whole)


def test_a_mirror_that_is_not_there_is_unavailable_with_the_log_named(
    archive: Archive, tmp_path: Path, lock: int, progress: Progress
) -> None:
    source = fetch.Source("http://127.0.0.1:9/debian", archive.keyring)
    apt = fetch.Apt(tmp_path / "apt", source, MACHINE.architecture, {"no_proxy": "*"})
    with pytest.raises(Unavailable) as failure:
        apt.update(progress, lock)
    assert failure.value.code == "unavailable.network"
    assert str(apt.log) in failure.value.message


def test_a_package_the_mirror_lacks_is_a_fault_of_the_mirror(
    archive: Archive, tmp_path: Path, lock: int, progress: Progress
) -> None:
    apt = apt_of(archive, tmp_path)
    apt.update(progress, lock)
    with pytest.raises(Unavailable) as failure:
        apt.download(["no-such-package"], progress, lock)
    assert failure.value.code == "unavailable.mirror"


def test_without_apt_it_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(os, "defpath", str(tmp_path))
    with pytest.raises(Unavailable) as failure:
        fetch.Apt(tmp_path, fetch.Source("copy:/x", tmp_path), "amd64", {})
    assert failure.value.code == "unavailable.apt"


def test_the_source_is_the_systems_unless_one_is_given(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    keyring = tmp_path / "keys"
    keyring.touch()
    parts = tmp_path / "sources.list.d"
    parts.mkdir()
    monkeypatch.setattr(fetch, "SOURCE_LISTS", tmp_path)
    monkeypatch.setattr(fetch, "KEYRINGS", (tmp_path / "none", keyring))
    with pytest.raises(Unavailable, match="no Debian mirror"):
        fetch.choose_source(None, None)
    (parts / "x.sources").write_text("Types: deb\nURIs: http://m.example/debian\n")
    assert fetch.choose_source(None, None) == fetch.Source("http://m.example/debian", keyring)
    assert fetch.choose_source("http://o/debian", None).mirror == "http://o/debian"
    with pytest.raises(Unavailable, match="keys"):
        fetch.choose_source(None, tmp_path / "none")
    monkeypatch.setattr(fetch, "KEYRINGS", ())
    with pytest.raises(Unavailable) as failure:
        fetch.choose_source(None, None)
    assert failure.value.code == "unavailable.keyring"
