"""What slated keeps for agents: opened once, on first use, apart by project."""

from __future__ import annotations

from pathlib import Path

from slated.stores import Stores


def test_nothing_is_made_before_it_is_used(tmp_path: Path) -> None:
    Stores(tmp_path, "user:local-1").close()
    assert list(tmp_path.iterdir()) == []


def test_the_memory_is_one_and_opens_again(tmp_path: Path) -> None:
    stores = Stores(tmp_path, "user:local-1")
    memory = stores.memory()
    assert stores.memory() is memory
    memory.remember("tabs", scope="user", origin="test")
    stores.close()
    again = Stores(tmp_path, "user:local-1")
    assert [one.text for one in again.memory().recall("tabs", scopes=("user",), limit=1)] == [
        "tabs"
    ]
    again.close()


def test_each_project_has_slates_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    stores = Stores(tmp_path / "data", "user:local-1")
    projects = [tmp_path / name for name in ("a", "b")]
    for project in projects:
        project.mkdir()
        stores.slates(project).open("the-same-id", None, None, peer="p")
    assert stores.slates(projects[0]) is stores.slates(projects[0])
    assert all((p / ".keryx/external-slates/the-same-id.json").exists() for p in projects)
    stores.close()
