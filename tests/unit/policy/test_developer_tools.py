"""Developers' tools: harmless subcommands are quiet beside opaque ones."""

from __future__ import annotations

import pytest

from slated.model import Tier
from slated.policy.developer_tools import web_host
from slated.policy.words import plain
from tests.fakes.policy_world import grade


@pytest.mark.parametrize(
    "command",
    ["pip list", "npm ls --depth=0", "npm config get x", "docker ps -a", "docker compose logs api",
        "docker-compose ps", "go version", "go env GOPATH",
     "systemctl --user status x", "dpkg -l", "apt list --installed", "ip addr", "ip -br a", "ruff check .",
     "black --check .", "gofmt -l .",
     "swaymsg -t get_tree", "date +%s", "date -d yesterday", "less a", "man ls", "rustup show"],
)  # fmt: skip
def test_subcommands_that_look_are_quiet(command: str) -> None:
    got = grade(command)
    assert got.tier is Tier.OBSERVE, f"{got.rule}: {got.reason}"


@pytest.mark.parametrize(
    "command",
    ["pip install x", "pip list --outdated", "npm install", "npm view x", "npm", "docker run x", "docker -H"
        " tcp://h ps", "docker compose up",
     "docker $X", "go env -w A=b", "go build", "cargo tree", "systemctl stop x", "systemctl -H h status x", "apt"
     " install x", "ip link set x down",
     "ip -batch f", "ruff check --output-file x .", "swaymsg exec x", "swaymsg -t command", "date 010203042026",
     "date -s x", "less -o x y",
     "curl -K x", "curl -F a=b https://a.example", "wget -r https://a.example"],
)  # fmt: skip
def test_everything_else_they_do_is_a_question(command: str) -> None:
    assert grade(command).tier is Tier.CONFIRM


def test_formatters_change_files_inside_of_reach() -> None:
    assert grade("ruff format src").tier is Tier.REVERSIBLE
    assert grade("black /srv/x").tier is Tier.CONFIRM


def test_a_host_is_only_read_off_a_plain_address() -> None:
    assert web_host(plain("https://A.example:8/x?y#z")) == "a.example"
    assert web_host(plain("a.example")) == "a.example"
    for odd in (
        "https://a.example@b.example/",
        "https://a.example\\@b.example",
        "ftp://a.example",
        "file:///etc",
        "https://",
    ):
        assert web_host(plain(odd)) is None, odd
