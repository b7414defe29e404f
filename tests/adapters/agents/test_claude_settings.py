"""Claude Code's settings: put in, taken back, nothing of the person's lost; and every way round is seen."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from slated.agents import claude_settings, edits
from slated.agents.claude_settings import EVENTS, Place
from slated.agents.own import Own
from slated.errors import BadRequest

MINE = Own(sys.executable, "/run/user/7/slate/slated.sock")
THEIRS = """\
{
    "model": "opus",
    "hooks": {
        "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "lint 'x"}]}],
        "Notification": [{"hooks": [{"type": "command", "command": "ding"}]}]
    },
    "permissions": {"deny": ["Bash(rm *)"]}
}
"""


@pytest.fixture
def place(tmp_path: Path) -> Place:
    config, project = tmp_path / "home/.claude", tmp_path / "work"
    config.mkdir(parents=True)
    (project / ".claude").mkdir(parents=True)
    return Place(config, project)


def install(place: Place) -> None:
    edits.apply(claude_settings.installed(place, MINE))


def held(path: Path) -> Any:
    return json.loads(path.read_text())


def test_hooks_and_servers_go_beside_the_persons_own(place: Place) -> None:
    place.user.write_text(THEIRS)
    place.servers.write_text('{"mcpServers": {"other": {"command": "x"}}, "numStartups": 3}')
    install(place)
    settings, before = held(place.user), json.loads(THEIRS)
    assert set(EVENTS) <= set(settings["hooks"])
    assert settings["hooks"]["PreToolUse"][0] == before["hooks"]["PreToolUse"][0]
    entry = settings["hooks"]["PreToolUse"][1]["hooks"][0]
    assert [entry["command"], *entry["args"]] == MINE.hook("claude")
    assert entry["onFailure"] == "block"
    assert settings["permissions"] == before["permissions"]
    assert sorted(held(place.servers)["mcpServers"]) == ["other", "slate", "slate-desktop"]


def test_taken_back_every_file_is_to_the_byte_what_it_was(place: Place) -> None:
    place.user.write_text(THEIRS)
    install(place)
    install(place)
    edits.apply(claude_settings.removed(place))
    assert place.user.read_text() == THEIRS
    assert sorted(one.name for one in place.config.iterdir()) == ["settings.json"]
    assert not place.servers.exists()


def test_what_the_person_changed_meanwhile_stays(place: Place) -> None:
    place.user.write_text(THEIRS)
    install(place)
    settings = held(place.user)
    settings["theme"] = "dark"
    place.user.write_text(json.dumps(settings))
    edits.apply(claude_settings.removed(place))
    assert held(place.user) == {**json.loads(THEIRS), "theme": "dark"}


@pytest.mark.parametrize(
    "text",
    ['{"hooks": ', "[]", '{"hooks": []}', '{"hooks": {"Stop": {}}}', '{"hooks": {"Stop": [1]}}'],
)
def test_a_file_that_is_not_sound_is_an_error_and_nothing_is_written(
    place: Place, text: str
) -> None:
    place.user.write_text(text)
    with pytest.raises(BadRequest, match="nothing was written"):
        install(place)
    assert place.user.read_text() == text
    assert not place.servers.exists()


def test_a_server_of_the_persons_with_our_name_is_not_overwritten(place: Place) -> None:
    place.servers.write_text('{"mcpServers": {"slate": {"command": "theirs"}}}')
    with pytest.raises(BadRequest, match="not Slate's"):
        install(place)
    assert not place.user.exists()


def test_a_session_is_guarded_with_our_hooks_alone(place: Place) -> None:
    assert "does not have Slate's hook" in claude_settings.why_advisory(place, MINE)
    install(place)
    assert claude_settings.why_advisory(place, MINE) == ""


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"disableAllHooks": True}, "switches all hooks off"),
        ({"hooks": {"PreToolUse": [{"hooks": [{"command": "evil"}]}]}}, "another hook"),
        ({"hooks": {"Stop": [{"hooks": [{"command": "evil"}]}]}}, "another hook"),
        ({"env": {"PATH": "/evil"}}, "sets PATH"),
        ({"env": {"LD_PRELOAD": "/evil.so"}}, "sets LD_PRELOAD"),
        ({"enabledPlugins": {"x@y": True}}, "plugins"),
    ],
)
@pytest.mark.parametrize("name", ["settings.json", "settings.local.json"])
def test_project_settings_that_get_round_the_hooks_are_seen(
    place: Place, settings: dict[str, object], why: str, name: str
) -> None:
    install(place)
    (place.project / ".claude" / name).write_text(json.dumps(settings))
    assert why in claude_settings.why_advisory(place, MINE)
    below = replace(place, project=place.project / "a/b")
    assert why in claude_settings.why_advisory(below, MINE)


@pytest.mark.parametrize(
    "words",
    [
        ("--bare",),
        ("--setting-sources", "project,local"),
        ("--settings", '{"disableAllHooks": true}'),
        ("--settings", "{broken"),
        ('--settings={"disableAllHooks": true}',),
        ("--managed-settings", '{"allowManagedHooksOnly": true}'),
        ("--plugin-dir", "/x"),
        ("--plugin-url=https://x.test/p",),
    ],
)
def test_a_command_line_that_gets_round_them_is_seen(place: Place, words: tuple[str, ...]) -> None:
    install(place)
    assert claude_settings.why_advisory(replace(place, words=words), MINE)


def test_settings_that_cannot_be_read_are_no_guard(place: Place) -> None:
    install(place)
    (place.project / ".claude/settings.json").write_text("{")
    assert "cannot be read" in claude_settings.why_advisory(place, MINE)


@pytest.mark.parametrize("key", ["if", "async", "once", "onFailure"])
def test_a_weakened_hook_is_not_ours(place: Place, key: str) -> None:
    install(place)
    settings = held(place.user)
    settings["hooks"]["PreToolUse"][0]["hooks"][0][key] = "continue"
    place.user.write_text(json.dumps(settings))
    assert "PreToolUse" in claude_settings.why_advisory(place, MINE)


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"disableAllHooks": True}, "switches all hooks off"),
        ({"allowManagedHooksOnly": True}, "managed hooks only"),
        ({"hooks": {"PreToolUse": [{"hooks": [{"command": "theirs"}]}]}}, "another hook"),
        ({"enabledPlugins": {"x@y": True}}, "plugins"),
        ({"hooks": {"Stop": [{"hooks": [{"command": "theirs"}]}]}}, ""),
    ],
)
@pytest.mark.parametrize(
    "name", ["managed-settings.json", "managed-settings.d/10-x.json", "remote"]
)
def test_settings_of_an_administrator_that_get_round_the_hooks_are_seen(
    place: Place,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    settings: dict[str, object],
    why: str,
    name: str,
) -> None:
    install(place)
    monkeypatch.setattr(claude_settings, "MANAGED", tmp_path / "etc/managed-settings.json")
    path = place.config / "remote-settings.json" if name == "remote" else tmp_path / "etc" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(settings))
    said = claude_settings.why_advisory(place, MINE)
    assert why in said
    assert bool(said) is bool(why)
    assert path in place.files()


@pytest.mark.parametrize("name", ["skills/x/SKILL.md", "agents/x.md", "commands/x.md"])
@pytest.mark.parametrize("whose", ["user", "project"])
def test_hooks_that_a_skill_or_an_agent_brings_are_seen(
    place: Place, name: str, whose: str
) -> None:
    install(place)
    path = (place.config if whose == "user" else place.project / ".claude") / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("---\nname: x\ndescription: of hooks\n---\nhooks: only prose\n")
    assert claude_settings.why_advisory(place, MINE) == ""
    path.write_text("---\nname: x\nhooks:\n  PreToolUse: []\n---\n")
    assert "brings hooks" in claude_settings.why_advisory(place, MINE)
    assert path in place.files()


def test_a_server_given_on_the_command_line_is_ours_only_if_every_word_of_it_is(
    place: Place,
) -> None:
    def ours(*words: str) -> bool:
        given = replace(place, words=words)
        return claude_settings.server_is_ours(given, "slate", "dynamic", MINE)

    command, *args = MINE.servers()["slate"]
    server = {"type": "stdio", "command": command, "args": args, "env": MINE.environ()}
    right = json.dumps({"mcpServers": {"slate": server}})
    wrong = json.dumps({"mcpServers": {"slate": {**server, "command": "/bin/evil"}}})
    other = json.dumps({"mcpServers": {"x": {"command": "/bin/x"}}})
    assert ours("claude", "--mcp-config", right)
    assert ours("claude", f"--mcp-config={right}", "-p")
    assert ours("claude", "--mcp-config", other, right, "-p", "hi")
    assert not ours("claude", "--mcp-config", right, wrong)
    assert not ours("claude", "--mcp-config", other)
    assert not ours("claude", "--mcp-config", right, "a-file-may-name-it-too.json")
    assert not ours("claude", "-p", right)


def test_a_server_is_ours_only_as_the_user_registered_it(place: Place) -> None:
    install(place)
    assert claude_settings.server_is_ours(place, "slate", "user", MINE)
    assert not claude_settings.server_is_ours(place, "slate", "project", MINE)
    assert not claude_settings.server_is_ours(place, "other", "user", MINE)
    servers = held(place.servers)
    servers["mcpServers"]["slate"]["args"].append("more")
    place.servers.write_text(json.dumps(servers))
    assert not claude_settings.server_is_ours(place, "slate", "user", MINE)
