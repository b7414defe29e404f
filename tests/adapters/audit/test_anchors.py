"""Witnesses: a side file, and a journal that is played by a socket and a script."""

from __future__ import annotations

import json
import socket
from pathlib import Path

from slated.audit.anchors import Anchors, Journal, SideFile
from slated.audit.lines import Anchor, Head

ANCHOR = Anchor("ab", Head(3, "cd"), "2026-01-01T00:00:00+00:00")


def test_a_side_file_repeats_what_it_was_told_and_drops_a_torn_line(tmp_path: Path) -> None:
    side = SideFile(tmp_path)
    assert side.read() is None
    assert side.put(ANCHOR)
    with open(tmp_path / "anchors", "ab") as file:
        file.write(b'{"log":"ab","n":4')
    assert side.put(ANCHOR)
    with open(tmp_path / "anchors", "ab") as file:
        file.write(b"rubbish\n")
    assert side.read() == [ANCHOR, ANCHOR]


def test_a_side_file_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "anchors").mkdir()
    assert not SideFile(tmp_path).put(ANCHOR)


def test_the_journal_gets_an_anchor_with_the_directory_it_is_about(tmp_path: Path) -> None:
    to = tmp_path / "j"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(str(to))
        assert Journal(tmp_path / "audit", to=str(to)).put(ANCHOR)
        listening.settimeout(2)
        got = listening.recv(4096).decode()
    fields = dict(line.split("=", 1) for line in got.splitlines())
    assert fields["SYSLOG_IDENTIFIER"] == "slate-audit"
    assert json.loads(fields["MESSAGE"])["directory"] == str(tmp_path / "audit")


def test_only_anchors_of_this_directory_are_read_from_the_journal(tmp_path: Path) -> None:
    lines = [
        json.dumps({"log": "ab", "n": 3, "hash": "cd", "t": ANCHOR.time, "directory": directory})
        for directory in (str(tmp_path), "/elsewhere")
    ]
    (tmp_path / "lines").write_text("\n".join([*lines, "rubbish"]) + "\n")
    reader = tmp_path / "journalctl"
    reader.write_text(f'#!/bin/sh\ncase "$*" in *_UID=*) cat {tmp_path}/lines;; esac\n')
    reader.chmod(0o755)
    (tmp_path / "socket").touch()
    journal = Journal(tmp_path, to=str(tmp_path / "socket"), reader=str(reader))
    assert journal.read() == [ANCHOR]


def test_without_a_journal_nothing_is_taken_and_nothing_is_known(tmp_path: Path) -> None:
    journal = Journal(tmp_path, to=str(tmp_path / "none"), reader=str(tmp_path / "none"))
    assert not journal.put(ANCHOR)
    assert journal.read() is None
    failing = tmp_path / "fails"
    failing.write_text("#!/bin/sh\nexit 1\n")
    failing.chmod(0o755)
    (tmp_path / "socket").touch()
    assert Journal(tmp_path, to=str(tmp_path / "socket"), reader=str(failing)).read() is None


def test_a_head_is_told_once_to_each_witness(tmp_path: Path) -> None:
    one, two = SideFile(tmp_path), Journal(tmp_path, to=str(tmp_path / "none"))
    anchors = Anchors(two, one)
    anchors.put(ANCHOR)
    anchors.put(ANCHOR)
    assert one.read() == [ANCHOR]
