"""Codex's configuration: put in, taken back with its trust, nothing of the person's lost; what is guarded."""

from __future__ import annotations

import sys
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from slated.agents import codex_config, edits
from slated.agents.codex_config import EVENTS, Place
from slated.agents.own import Own
from slated.errors import BadRequest

MINE = Own(sys.executable, "/run/user/7/slate/slated.sock")
THEIRS = """\
# my model
model = "gpt"   # the good one

[mcp_servers.docs]
command = "docs"

[[hooks.PreToolUse]]
matcher = "Bash"
[[hooks.PreToolUse.hooks]]
type = "command"
command = "lint"
"""


@pytest.fixture
def place(tmp_path: Path) -> Place:
    config, project = tmp_path / "home/.codex", tmp_path / "work"
    config.mkdir(parents=True)
    project.mkdir()
    return Place(config, project)


def install(place: Place) -> None:
    edits.apply(codex_config.installed(place, MINE))


def trusted(place: Place) -> None:
    """What Codex writes when it trusts our first hook: tables of its own, before our last comment."""
    key = f"{place.user}:pre_tool_use:1:0"
    state = (
        f'\n[hooks.state]\n\n[hooks.state."{key}"]\ntrusted_hash = "sha256:1"\n{codex_config.END}'
    )
    text = place.user.read_text().replace(codex_config.END, state)
    place.user.write_text(text)
    assert key in tomllib.loads(text)["hooks"]["state"]


def test_hooks_and_servers_go_behind_the_persons_own(place: Place) -> None:
    place.user.write_text(THEIRS)
    install(place)
    assert place.user.read_text().startswith(THEIRS)
    config = tomllib.loads(place.user.read_text())
    assert set(config["mcp_servers"]) == {"docs", "slate", "slate-desktop"}
    assert config["mcp_servers"]["slate-desktop"]["default_tools_approval_mode"] == "approve"
    assert [len(config["hooks"][event]) for event in EVENTS] == [2, 1, 1, 1, 1, 1]


def test_a_hook_that_fails_says_so_with_code_2() -> None:
    """Codex lets a call run after any other failure, and after code 2 without words."""
    line = codex_config.command(MINE)
    assert line.endswith(">&2; exit 2; }")
    assert "|| { echo " in line


def test_taken_back_the_file_is_to_the_byte_what_it_was(place: Place) -> None:
    place.user.write_text(THEIRS)
    install(place)
    install(place)
    trusted(place)
    edits.apply(codex_config.removed(place))
    assert place.user.read_text() == THEIRS
    assert [one.name for one in place.config.iterdir()] == ["config.toml"]


def test_a_file_that_was_not_there_is_gone_again(place: Place) -> None:
    install(place)
    edits.apply(codex_config.removed(place))
    assert list(place.config.iterdir()) == []


def test_what_the_person_added_meanwhile_stays(place: Place) -> None:
    place.user.write_text(THEIRS)
    install(place)
    with place.user.open("a") as file:
        file.write('\n[mcp_servers.mine]\ncommand = "mine" # kept\n')
    edits.apply(codex_config.removed(place))
    assert place.user.read_text() == f'{THEIRS}\n[mcp_servers.mine]\ncommand = "mine" # kept\n'


@pytest.mark.parametrize(
    "text",
    [
        "model = ",
        'mcp_servers = { docs = { command = "x" } }\n',
        "hooks = { PreToolUse = [] }\n",
        "mcp_servers = 3\n",
        '[mcp_servers.slate]\ncommand = "theirs"\n',
    ],
)
def test_a_file_that_nothing_can_be_added_to_is_an_error_and_nothing_is_written(
    place: Place, text: str
) -> None:
    place.user.write_text(text)
    with pytest.raises(BadRequest, match="nothing was written"):
        install(place)
    assert place.user.read_text() == text


@pytest.mark.parametrize(
    ("words", "guarded"),
    [
        (("codex", "exec", "-s", "read-only"), True),
        (("codex", "exec", "--sandbox", "read-only", "do it"), True),
        (("codex", "exec", "-s", "read-only", "-s", "workspace-write"), False),
        (("codex", "exec", "-s", "read-only", "-c", "sandbox_mode=danger-full-access"), False),
        (("codex", "exec", "-s", "read-only", "--dangerously-bypass-hook-trust"), False),
        (("codex", "exec"), False),
        (("codex",), False),
    ],
)
def test_only_a_read_only_sandbox_makes_a_session_guarded(
    place: Place, words: tuple[str, ...], guarded: bool
) -> None:
    install(place)
    assert (codex_config.why_advisory(replace(place, words=words)) == "") is guarded


def test_a_server_that_no_sandbox_holds_makes_it_advisory(place: Place) -> None:
    place.user.write_text(THEIRS)
    install(place)
    words = ("codex", "exec", "-s", "read-only")
    assert "docs" in codex_config.why_advisory(replace(place, words=words))


def test_a_server_is_ours_unless_a_project_has_one_of_its_name(place: Place) -> None:
    install(place)
    assert codex_config.server_is_ours(place, "slate", MINE)
    assert not codex_config.server_is_ours(place, "other", MINE)
    (place.project / ".codex").mkdir()
    (place.project / ".codex/config.toml").write_text('[mcp_servers.slate]\ncommand = "evil"\n')
    assert not codex_config.server_is_ours(place, "slate", MINE)


def test_a_server_is_ours_under_the_name_that_hooks_are_told(place: Place) -> None:
    install(place)
    assert codex_config.server_is_ours(place, "slate_desktop", MINE)
    with place.user.open("a") as file:
        file.write('[mcp_servers.slate_desktop]\ncommand = "evil"\n')
    assert not codex_config.server_is_ours(place, "slate_desktop", MINE)


def test_no_server_is_ours_where_an_option_may_change_it(place: Place) -> None:
    install(place)
    words = ("codex", "exec", "-c", "mcp_servers.slate.command=evil")
    assert not codex_config.server_is_ours(replace(place, words=words), "slate", MINE)
