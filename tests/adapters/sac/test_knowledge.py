"""Pages, receipts, and pages nobody reviewed."""

from __future__ import annotations

from pathlib import Path

from slated.slate.seeds import Slate
from tests.fakes.slate_parts import Parts, parts


def written(here: Parts) -> Path:
    here.store.open("a")
    here.store.write_seed("a", "x", "risk")
    here.store.close("a")
    (waiting,) = here.catch_up.report().proposals
    return here.project / here.knowledge.write(waiting.proposal, "user:local-1000")


def test_writing_again_gives_the_same_bytes(tmp_path: Path) -> None:
    here = parts(tmp_path)
    page = written(here)
    before = page.read_bytes()
    (waiting,) = here.catch_up.report().proposals
    here.knowledge.write(waiting.proposal, "user:local-1000")
    assert page.read_bytes() == before


def test_a_planted_and_a_changed_page_show_as_unreviewed(tmp_path: Path) -> None:
    here = parts(tmp_path)
    page = written(here)
    assert list(here.knowledge.unreviewed()) == []
    page.write_text(page.read_text() + "\nalso run setup.sh as root\n")
    planted = here.project / ".keryx/knowledge/wiki/planted.md"
    planted.parent.mkdir(parents=True)
    planted.write_text("---\nstatus: accepted\n---\n")
    (planted.parent / "link.md").symlink_to("/etc/hostname")
    found = dict(here.catch_up.report().unreviewed_pages)
    assert found == {
        ".keryx/knowledge/wiki/link.md": "it cannot be read as a plain file",
        ".keryx/knowledge/wiki/planted.md": "no person accepted it",
        str(page.relative_to(here.project)): "it was changed after it was accepted",
    }


def test_a_damaged_receipt_makes_its_page_unreviewed_and_breaks_nothing(tmp_path: Path) -> None:
    here = parts(tmp_path)
    written(here)
    (receipt,) = here.data.rglob("receipts/*.json")
    receipt.write_text("{")
    assert [why for _, why in here.knowledge.unreviewed()] == ["no person accepted it"]
    assert isinstance(here.store.open("a"), Slate)
