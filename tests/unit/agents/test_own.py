"""Our commands: absolute, told from any other."""

from __future__ import annotations

import os
import sys

import pytest

from slated.agents.own import HOOK, Own, mentions_hook, mentions_server

MINE = Own(sys.executable, "/run/user/7/slate/slated.sock")


def test_every_command_is_absolute_and_there() -> None:
    for argv in (MINE.hook("claude"), *MINE.servers().values()):
        assert os.path.isabs(argv[0])
        assert any(os.path.isfile(word) for word in argv[1:])
    assert MINE.environ() == {"XDG_RUNTIME_DIR": "/run/user/7"}


def test_a_hook_is_ours_with_every_word_of_it() -> None:
    argv = MINE.hook("claude")
    assert MINE.is_hook(argv, "claude")
    assert not MINE.is_hook(argv, "codex")
    assert not MINE.is_hook([*argv, "more"], "claude")
    assert not MINE.is_hook(["python3", *argv[1:]], "claude")
    assert not MINE.is_hook(["/bin/true", *argv[1:]], "claude")
    assert not MINE.is_hook([], "claude")


@pytest.mark.parametrize("change", [{"env": {}}, {"args": ["x"]}, {"command": "/bin/true"}])
def test_a_server_is_ours_with_nothing_changed(change: dict[str, object]) -> None:
    command, *args = MINE.servers()["slate"]
    registered = {"command": command, "args": args, "env": MINE.environ()}
    assert MINE.is_server("slate", registered)
    assert not MINE.is_server("other", registered)
    assert not MINE.is_server("slate", {**registered, **change})


def test_what_a_slate_of_another_place_left_is_known_too() -> None:
    assert mentions_hook(["/old/python", "/old/slated/hook.py", "claude"])
    assert not mentions_hook(["/bin/notify", str(HOOK.parent)])
    assert mentions_server({"command": "x", "args": ["/old/slate_desktop/__main__.py", "mcp"]})
    assert not mentions_server({"command": "x", "args": ["serve"]})
    assert not mentions_server("x")
