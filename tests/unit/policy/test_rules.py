"""policy.toml: what it says, where it is wrong, and that the last good rules stay."""

from __future__ import annotations

from pathlib import Path

import pytest

from slated.model import Tier
from slated.policy.rules import Rulebook, RuleError, read
from slated.policy.rules_schema import PolicyFile
from tests.fakes.policy_world import HOME, rules

GOOD = """
version = 1
[tools]
"mcp__github__create_issue" = "confirm"
lookup = "observe"

[[commands]]
match = "git stash"
tier = "confirm"

[paths]
secret = ["~/tax/**"]
delayed = ["**/deploy.sh"]
protected = ["~/src", "/srv/work/"]

[windows]
private = ["org.keepassxc.*", "title:Bank"]

[network]
hosts = ["pypi.org", "*.example.com"]

[[trust]]
project = "~/src/widgets"
programs = ["pytest", "npm run test"]

[words]
sv = ["skicka"]
"""


def errors(text: str) -> tuple[RuleError, ...]:
    found = read(text)
    assert not isinstance(found, PolicyFile)
    return found


def test_an_empty_file_is_a_good_file() -> None:
    assert read("") == PolicyFile()


def test_every_part_of_a_good_file_is_answered_for() -> None:
    good = rules(GOOD)
    assert good.tool_tier("mcp__github__create_issue") is Tier.CONFIRM
    assert good.tool_tier("lookup") is Tier.OBSERVE
    assert good.tool_tier("other") is None
    assert list(good.command_rules(("git", "stash", "pop"))) == [
        (Tier.CONFIRM, "git stash = confirm")
    ]
    assert list(good.command_rules(("git", "stas"))) == []
    assert good.host_is_listed("PyPI.org")
    assert good.host_is_listed("a.b.example.com")
    assert not good.host_is_listed("example.com")
    assert not good.host_is_listed("evilexample.com")
    assert not good.host_is_listed("pypi.org.evil.net")
    assert good.trusts(f"{HOME}/src/widgets/sub", ("pytest", "-q"))
    assert not good.trusts(f"{HOME}/src/widgets2", ("pytest",))
    assert not good.trusts(f"{HOME}/src/widgets", ("npm", "run", "build"))
    assert good.window_is_private("org.keepassxc.KeePassXC", "")
    assert good.window_is_private("firefox", "My BANK - Firefox")
    assert not good.window_is_private("firefox", "News")
    assert good.protected().covers(f"{HOME}/src/x").covered
    assert good.protected().covers("/srv/work/x").covered
    assert not good.protected().covers(f"{HOME}/srcx").covered


@pytest.mark.parametrize(
    ("text", "line", "part"),
    [
        ("[tools]\nx = observe\n", 2, "TOML"),
        ("\n[paths]\nsecret = [\n", 3, "TOML"),
        ("[tools]\na = 'observe'\nb = 'maybe'\n", 3, "tools.b"),
        ("version = 2\n", 1, "version"),
        ("[paths]\nsecret = []\nsercet = []\n", 3, "there is no such setting"),
        ("[other]\n", 1, "there is no such setting"),
        ("[[trust]]\nproject = '~/a'\nprograms = ['x']\n\n[[trust]]\nproject = 'b'\nprograms = ['x']\n", 6,
            "must be one directory"),
        ("[[trust]]\nproject = '~/a'\nprograms = ['python']\n", 3, "would trust any code"),
        ("[[trust]]\nproject = '~/a'\nprograms = ['bash -c']\n", 3, "would trust any code"),
        ("[[trust]]\nproject = '~/a'\n", 1, "programs"),
        ("[network]\nhosts = ['https://a.example/']\n", 2, "no host name"),
        ("[network]\nhosts = ['*']\n", 2, "no host name"),
        ("[paths]\nprotected = ['~/a/*']\n", 2, "plain directory"),
        ("[paths]\nsecret = ['tax']\n", 2, "must start with"),
        ("[[commands]]\nmatch = 'rm'\ntier = 'observe'\n", 3, "tier"),
    ],
)  # fmt: skip
def test_an_error_names_its_line(text: str, line: int, part: str) -> None:
    found = errors(text)
    assert found[0].line == line, found
    assert part in str(found[0])


def test_all_errors_are_named_at_once() -> None:
    assert [error.line for error in errors("[tools]\na = 'x'\nb = 'y'\n")] == [2, 3]


def test_a_broken_file_leaves_the_last_good_rules_in_force() -> None:
    book = Rulebook(HOME)
    assert book.take(GOOD) == ()
    assert book.take("[tools]\nx = 1\n")
    assert book.errors
    assert book.rules.tool_tier("lookup") is Tier.OBSERVE
    assert book.take("") == ()
    assert book.errors == ()
    assert book.rules.tool_tier("lookup") is None


def test_without_a_list_undo_covers_the_home_but_for_what_is_left_out() -> None:
    reach = rules("").protected()
    assert reach.covers(f"{HOME}/project/x").covered
    assert not reach.covers(f"{HOME}/.cache/x").covered
    assert not reach.covers(f"{HOME}/.bash_history").covered
    assert not reach.covers("/srv/x").covered
    assert not rules("[paths]\nprotected = []\n").protected().covers(f"{HOME}/x").covered
    listed = rules('[undo]\nleave_out = ["~/vm"]\n[paths]\nprotected = ["~", "~/.cache/mine"]\n')
    assert not listed.protected().covers(f"{HOME}/vm/disk").covered


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("[undo]\nleave_out = ['vm']\n", "must start with"),
        ("[undo]\nleave_out = ['~/*']\n", "plain directory"),
        ("[undo]\nkeep_days = 0\n", "keep_days"),
        ("[undo]\nkeep = 1\n", "no such setting"),
    ],
)
def test_what_undo_cannot_do_is_an_error(text: str, part: str) -> None:
    (found,) = errors(text)
    assert found.line == 2
    assert part in str(found)


def test_the_file_in_the_documentation_is_a_good_one_and_shows_every_part() -> None:
    page = (Path(__file__).resolve().parents[3] / "docs/policy.md").read_text(encoding="utf-8")
    shown = read(page.partition("```toml\n")[2].partition("```")[0])
    assert isinstance(shown, PolicyFile), shown
    assert shown.model_fields_set == set(PolicyFile.model_fields)
