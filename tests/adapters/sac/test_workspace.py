"""Workspaces: roles, resources, archive, resolution, and damage."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from slated.errors import BadRequest, Refused, Unavailable
from slated.sac.workspace import WorkspaceBook
from tests.fakes.slate_parts import Parts, parts


@pytest.fixture
def here(tmp_path: Path) -> Parts:
    return parts(tmp_path)


def as_subject(here: Parts, subject: str) -> WorkspaceBook:
    return WorkspaceBook(here.data, here.project, subject, now=here.clock.now)


def test_strangers_see_nothing_viewers_read_and_only_owners_change(here: Parts) -> None:
    made = here.book.create("Billing")
    other = as_subject(here, "user:local-2")
    assert other.visible() == []
    with pytest.raises(BadRequest):
        other.get(made.id)
    here.book.set_member(made.id, "user:local-2", "viewer")
    assert other.get(made.id).title == "Billing"
    deeds: list[Callable[[], object]] = [
        lambda: other.archive(made.id),
        lambda: other.rename(made.id, "x"),
        lambda: other.get(made.id, least="editor"),
        lambda: other.set_member(made.id, "user:local-3", "editor"),
    ]
    for deed in deeds:
        with pytest.raises(Refused):
            deed()
    here.book.set_member(made.id, "user:local-2", None)
    assert other.visible() == []
    with pytest.raises(Refused):
        here.book.set_member(made.id, here.subject, "viewer")


def test_archiving_is_final_and_stops_new_resources(here: Parts) -> None:
    made = here.book.create("Billing")
    (here.project / "a.md").write_text("x")
    here.book.add_resource(made.id, "wiki", "./a.md")
    here.clock.turn(seconds=5)
    once = here.book.archive(made.id)
    assert here.book.archive(made.id) == once
    assert once.updated_at > once.created_at
    with pytest.raises(Refused):
        here.book.add_resource(made.id, "wiki", "./a.md")
    assert here.book.visible() == []
    assert [one.id for one in here.book.visible(archived=True)] == [made.id]


@pytest.mark.parametrize(
    "uri", ["a.md", "./../x", "./none", "/etc/passwd", "./a b", "./out", "https://x"]
)
def test_a_resource_is_an_existing_path_inside_the_project(here: Parts, uri: str) -> None:
    (here.project / "out").symlink_to("/etc")
    made = here.book.create("Billing")
    with pytest.raises(BadRequest):
        here.book.add_resource(made.id, "wiki", uri)
    assert here.book.remove_resource(made.id, uri).resources == ()


def test_a_topic_resolves_to_the_only_same_title_and_never_to_a_guess(here: Parts) -> None:
    first = here.book.resolve("Billing")
    assert first is not None
    assert here.book.resolve("Billing") == first
    assert here.book.resolve("Something else") is None
    here.book.create("Billing")
    assert here.book.resolve("Billing") is None


@pytest.mark.parametrize("bad", ["../x", "", "A", "workspace", "x" * 99])
def test_a_malformed_or_unknown_id_is_not_found_and_makes_nothing(here: Parts, bad: str) -> None:
    with pytest.raises(BadRequest):
        here.book.get(bad)
    assert here.book.ids() == []


def test_a_damaged_manifest_is_an_error_and_hides_no_other(here: Parts) -> None:
    made, other = here.book.create("a"), here.book.create("b")
    (path,) = here.data.rglob(f"{made.id}/workspace.json")
    path.write_text("{}")
    with pytest.raises(Unavailable):
        here.book.get(made.id)
    assert [one.id for one in here.book.visible()] == [other.id]


def test_a_title_with_a_secret_in_it_is_masked(here: Parts) -> None:
    assert "hunter2x9" not in here.book.create("PASSWORD=" + "hunter2x9").title
