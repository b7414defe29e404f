"""Lines meant to slip past the grader are questions, ordinary ones beside them are not."""

from __future__ import annotations

import json

import pytest

from slated.model import Tier
from tests.fakes.policy_world import CORPUS, HOME, PROJECT, facts, grade


def lines(name: str) -> list[str]:
    """The command lines of a corpus file."""
    rows = (CORPUS / name).read_text(encoding="utf-8").splitlines()
    return [json.loads(row)["cmd"] for row in rows]


@pytest.mark.parametrize("line", lines("hostile_lines.jsonl"))
def test_a_hostile_line_is_a_question(line: str) -> None:
    assert grade(line).tier is Tier.CONFIRM


@pytest.mark.parametrize("line", lines("quiet_lines.jsonl"))
def test_an_ordinary_line_is_no_question(line: str) -> None:
    got = grade(line)
    assert got.tier is not Tier.CONFIRM, f"{got.rule}: {got.reason}"


@pytest.mark.parametrize(
    "path",
    [
        ".bashrc", ".profile", ".config/foot/foot.ini", ".config/hypr/hyprland.conf", ".config/starship.toml",
        ".config/direnv/direnvrc", ".local/lib/python3.11/site-packages/x.py", ".terminfo/x/xterm", ".lesskey",
        ".curlrc", ".wgetrc", ".mailcap", ".gnupg/gpg.conf", ".pdbrc", ".ipython/profile_default/startup/x.py",
        ".config/mako/config", ".gradle/init.gradle", ".pyenv/shims/python", ".ssh/config", ".local/bin/ls",
        ".config/systemd/user/x.service", ".config/autostart/x.desktop", ".inputrc", ".gitconfig", ".npmrc",
    ],
)  # fmt: skip
def test_what_runs_later_from_the_home_is_a_question_where_undo_covers_it(path: str) -> None:
    assert grade(f"echo x > ~/{path}", roots=(HOME,)).rule == "path.delayed"


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ("cd src && echo x > a", "/home/dev/project/src/a"),
        ("cd src && cat b | sort > a", "/home/dev/project/src/a"),
        ("cd src && cat > a <<E\nx\nE", "/home/dev/project/src/a"),
        ("pushd src; echo x > a", "/home/dev/project/src/a"),
    ],
)
def test_a_redirection_behind_a_list_is_opened_where_its_last_command_runs(
    line: str, place: str
) -> None:
    assert place in {path for command in grade(line).commands for path in command.changes}


def test_a_document_behind_a_list_is_read_by_its_last_command_alone() -> None:
    assert grade("cat evil | { bash && cat <<E\nls\nE\n}").rule == "shell.input"
    assert grade("cat evil | { bash | cat <<E\nls\nE\n}").rule == "shell.input"
    assert grade("ls && bash <<E\nls\nE\n").tier is Tier.OBSERVE


def test_a_tilde_is_the_home_wherever_bash_puts_it_in() -> None:
    assert grade("dd if=~/.pgpass").rule == "path.secret"
    assert grade("dd of=~/.bashrc").rule == "path.delayed"
    assert grade("dd if='~/.pgpass'").tier is Tier.OBSERVE
    assert grade("cat {~,x}/.netrc").rule == "shell.unresolved"


def test_a_trap_runs_wherever_the_line_has_gone_by_then() -> None:
    assert grade("trap 'echo x > a' EXIT; cd src").tier is Tier.CONFIRM
    assert grade("cd src; trap 'echo x > a' EXIT").tier is Tier.CONFIRM
    assert grade("trap 'echo x > a' EXIT; ls").tier is Tier.REVERSIBLE


def test_what_find_looks_for_by_name_may_be_a_secret() -> None:
    for name in (".env", "'*env'", "'id_*'", "'*.pem'"):
        for then in ("-exec cat {} +", "| xargs cat", "-print0 | xargs -0 cat"):
            assert grade(f"find . -name {name} {then}").rule == "path.secret"
    assert grade("find . -name '*.py' | xargs cat").tier is Tier.OBSERVE


def test_a_device_may_be_written_to_and_not_taken_away() -> None:
    assert grade("echo x > /dev/null").tier is Tier.OBSERVE
    for line in ("rm -f /dev/null", "mv f /dev/null", "chmod 600 /dev/null", "ln -sf f /dev/null"):
        assert "path.device" in {command.rule for command in grade(line).commands}


def test_a_pattern_is_filled_in_where_the_line_stands() -> None:
    assert grade("env -C src touch *").tier is Tier.CONFIRM
    assert grade("dd if=f of=.e*").tier is Tier.CONFIRM


def test_names_taken_from_a_pattern_elsewhere_are_judged_where_they_go() -> None:
    machine = facts()
    machine.directories |= {f"{PROJECT}/tpl"}
    machine.files |= {f"{PROJECT}/tpl/a.md": 1, f"{PROJECT}/tpl/b.md": 1}
    quiet = grade("cp tpl/*.md src/", machine=machine)
    made = {f"{PROJECT}/src/a.md", f"{PROJECT}/src/b.md"}
    assert made <= {path for command in quiet.commands for path in command.changes}
    assert quiet.tier is Tier.REVERSIBLE
    # Another command of the line, or one before it, may bring a name that counts.
    assert grade("echo x > tpl/c.md; cp tpl/*.md src/", machine=machine).rule == "path.delayed"
    assert grade("cp none/*.md src/", machine=machine).rule == "path.delayed"
    machine.files[f"{PROJECT}/tpl/AGENTS.md"] = 1
    for line in ("cp tpl/*.md src/", "mv tpl/*.md src", "ln -s tpl/*.md src/"):
        assert grade(line, machine=machine).rule == "path.delayed"
