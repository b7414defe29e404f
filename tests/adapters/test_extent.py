"""What a call may change is told before it runs: files of edit tools, targets of commands, the project around them."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest

from slated.extent import Extent, extent, working_tree
from slated.judgement import Judge
from slated.machine import Machine
from slated.policy.decide import ToolCall
from slated.requests import Wanted
from slated.rulefile import RuleFile
from slated.settings import PATH
from slated.tasks import Asker


@pytest.fixture
def home(tmp_path: Path) -> Path:
    made = tmp_path / "home"
    (made / "project/.git").mkdir(parents=True)
    (made / "project/inner").mkdir()
    (made / "project/inner/old").write_text("x")
    return made


def found(home: Path, tool: str, client: str = "claude", **arguments: object) -> Extent | None:
    rules = RuleFile(home / "policy.toml", str(home), ())
    cwd = "/" if client == "desktop" else str(home / "project/inner")
    call = ToolCall(client, tool, arguments, ours=client in ("desktop", "slate"))
    wanted = Wanted(call, cwd, Asker(1, 1))
    decision = anyio.run(Judge(rules, home, Machine(PATH)).decide, wanted)
    return extent(wanted, decision, str(home))


def test_an_edit_tool_changes_its_file_and_nothing_else(home: Path) -> None:
    path = f"{home}/project/inner/old"
    one = found(home, "Edit", file_path=path, old_string="x", new_string="y")
    assert one == Extent((path,), exact=True)
    assert one.targets == (path,)


def test_a_patch_of_codex_changes_each_file_that_it_names(home: Path) -> None:
    patch = "*** Begin Patch\n*** Update File: old\n*** Add File: new\n*** End Patch\n"
    one = found(home, "apply_patch", "codex", input=patch)
    assert one is not None
    assert one.exact
    assert one.targets == (f"{home}/project/inner/old", f"{home}/project/inner/new")


def test_a_command_changes_its_targets_and_perhaps_the_project_around(home: Path) -> None:
    one = found(home, "Bash", command="rm old; echo x > ../new")
    assert one is not None
    assert one.named == (f"{home}/project/inner/old", f"{home}/project/new")
    assert one.around == (f"{home}/project",)
    assert one.targets == (f"{home}/project/inner/old/", f"{home}/project/new/", f"{home}/project/")


def test_an_opaque_command_has_the_project_alone(home: Path) -> None:
    one = found(home, "Bash", command="python3 -c 'print()'")
    assert one == Extent((), (f"{home}/project",))


def test_what_git_or_find_may_reach_is_a_whole_directory(home: Path) -> None:
    one = found(home, "Bash", command="find . -name x -delete")
    assert one is not None
    assert one.named == (f"{home}/project/inner",)


def test_a_secret_that_is_only_read_is_not_copied(home: Path) -> None:
    one = found(home, "Bash", command=f"cat {home}/.ssh/id_ed25519 > out")
    assert one is not None
    assert one.named == (f"{home}/project/inner/out",)


@pytest.mark.parametrize(
    ("client", "tool", "arguments"),
    [
        ("claude", "Bash", {"command": "ls"}),
        ("claude", "Read", {"file_path": "/etc/hosts"}),
        ("slate", "remember", {"text": "x"}),
        ("desktop", "desktop_move", {"x": 1, "y": 1}),
        ("desktop", "desktop_batch", {"steps": []}),
    ],
)
def test_what_only_looks_or_keeps_to_slate_changes_no_file(
    home: Path, client: str, tool: str, arguments: dict[str, object]
) -> None:
    assert found(home, tool, client, **arguments) is None


def test_a_desktop_call_has_no_project(home: Path) -> None:
    assert found(home, "desktop_click", "desktop", target="w1") == Extent()


def test_the_home_and_what_is_above_are_nobodys_project(home: Path) -> None:
    (home / ".git").mkdir()
    assert working_tree(str(home), str(home)) == ""
    assert working_tree("/", str(home)) == ""
    assert working_tree(str(home.parent), str(home)) == ""
    plain = home / "plain"
    plain.mkdir()
    assert working_tree(str(plain), str(home)) == str(plain)
