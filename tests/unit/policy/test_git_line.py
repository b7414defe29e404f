"""git's command line: global options before the subcommand, settings, the directory."""

from __future__ import annotations

import pytest

from slated.policy.effects import Call
from slated.policy.git_line import Git, harmless_setting, read
from slated.policy.words import Command, plain


def line(text: str) -> Git:
    words = tuple(plain(word) for word in text.split())
    return read(Call("git", words, Command(words, text), ("/p",)))


def test_the_subcommand_is_found_behind_any_global_option() -> None:
    git = line("-C a --git-dir=/b/.git -c color.ui=never --no-pager push origin")
    assert (git.subcommand, [word.text for word in git.words]) == ("push", ["origin"])
    assert git.directory is not None
    assert git.directory.text == "/b"
    assert git.problems == []


def test_options_are_seen_in_clusters_and_abbreviations_and_not_after_the_dashes() -> None:
    assert line("clean -fdx").option("-d")
    assert line("push --forc").option("--force")
    assert not line("log -- --force").option("--force")


@pytest.mark.parametrize(
    ("key", "value", "harmless"),
    [("color.ui", "never", True), ("user.name", "x", True), ("core.pager", "cat", True), ("core.pager", "x",
        False), ("core.fsmonitor", "false", True),
     ("core.fsmonitor", "x", False), ("alias.x", "!y", False), ("core.sshcommand", "x", False),
         ("diff.external", "x", False), ("include.path", "x", False),
     ("commit.gpgsign", "false", True), ("protocol.ext.allow", "always", False), ("core.hookspath", "x", False)],
)  # fmt: skip
def test_only_settings_that_cannot_run_anything_are_harmless(
    key: str, value: str, harmless: bool
) -> None:
    assert harmless_setting(key, value) is harmless
