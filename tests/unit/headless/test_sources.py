"""The mirror in apt's own source lists."""

from __future__ import annotations

import pytest

from slate_desktop.headless.sources import mirror

STANZAS = """\
# a comment: with a colon
Types: deb deb-src
URIs: http://archive.example/debian-security
Suites: stable-security

Types: deb
Enabled: no
URIs: http://off.example/debian

Types: deb
URIs: http://one.example/debian/
  http://two.example/debian
# in between
Suites: stable
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
"""


def test_one_line_entries_with_options_are_read() -> None:
    text = "# deb http://no.example/debian x main\ndeb [arch=amd64 signed-by=/k] http://m.example/debian x main\n"
    assert mirror({"/etc/apt/sources.list": text}) == "http://m.example/debian"


def test_stanzas_are_read_over_comments_continuations_and_switched_off_ones() -> None:
    assert mirror({"debian.sources": STANZAS}) == "http://one.example/debian"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "deb-src http://m.example/debian x main\n",
        "deb http://m.example/ubuntu x main\n",
        "deb cdrom:[Debian]/ x main\n",
        "deb http://m.example/debian-security x main\n",
    ],
)
def test_what_is_no_debian_archive_is_no_mirror(text: str) -> None:
    assert mirror({"a.list": text}) is None
    assert mirror({"a.sources": text}) is None
