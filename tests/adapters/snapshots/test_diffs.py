"""The lines of a diff show what comes back inside of text files; anything else is only named."""

from __future__ import annotations

from slated.snapshots import diffs
from tests.fakes.undo_bed import Bed


def lines(bed: Bed) -> list[str]:
    return list(diffs.differences(bed.undo.roots, bed.plan()))


def test_a_changed_a_new_and_a_deleted_text_are_shown_as_they_will_be(bed: Bed) -> None:
    (bed.home / "changed").write_text("one\ntwo\n")
    (bed.home / "deleted").write_text("gone\n")

    def deed() -> None:
        (bed.home / "changed").write_text("one\n2\n")
        (bed.home / "deleted").unlink()
        (bed.home / "new").write_text("made\n")

    bed.act("t", deed)
    shown = lines(bed)
    assert shown[:5] == [
        f"--- {bed.home}/changed",
        f"+++ {bed.home}/changed",
        "@@ -1,2 +1,2 @@",
        " one",
        "-2",
    ]
    assert "+two" in shown
    assert shown[shown.index("--- /dev/null") + 1] == f"+++ {bed.home}/deleted"
    assert "+gone" in shown
    assert shown[shown.index("+++ /dev/null") - 1] == f"--- {bed.home}/new"
    assert "-made" in shown


def test_bytes_that_are_no_text_and_large_files_are_only_named(bed: Bed) -> None:
    (bed.home / "bytes").write_bytes(b"\xff\x00")
    (bed.home / "large").write_bytes(b"x" * (diffs.LARGEST + 1))

    def deed() -> None:
        (bed.home / "bytes").write_bytes(b"\xfe\x00")
        (bed.home / "large").write_bytes(b"y" * (diffs.LARGEST + 1))

    bed.act("t", deed)
    assert lines(bed) == [
        f"{bed.home}/bytes: binary content differs",
        f"{bed.home}/large: not compared",
    ]


def test_what_is_no_file_and_what_only_changed_its_mode_has_no_lines(bed: Bed) -> None:
    (bed.home / "file").write_text("x")

    def deed() -> None:
        (bed.home / "file").chmod(0o600)
        (bed.home / "folder").mkdir()
        (bed.home / "link").symlink_to("file")

    bed.act("t", deed)
    assert bed.plan().plans
    assert lines(bed) == []


def test_a_link_that_now_stands_in_the_way_is_not_followed(bed: Bed) -> None:
    secret = bed.home.parent / "outside"
    secret.write_text("secret\n")
    (bed.home / "file").write_text("old\n")

    def deed() -> None:
        (bed.home / "file").unlink()
        (bed.home / "file").symlink_to(secret)

    bed.act("t", deed)
    assert not any("secret" in line for line in lines(bed))


def test_a_name_with_controls_is_one_escaped_line(bed: Bed) -> None:
    bed.act("t", lambda: (bed.home / "a\n+b").write_text("x\n"))
    assert f"--- {bed.home}/a\\n+b" in lines(bed)
