"""The shell's own commands: most are quiet, those that change meanings or compute names are not."""

from __future__ import annotations

import pytest

from slated.model import Tier
from tests.fakes.policy_world import grade


@pytest.mark.parametrize(
    "command",
    ["echo x", "pwd", "true", "export A=b", "unset A", "read -r a b", "set -euo pipefail", "printf '%s' x", "["
        " -f x ]", "test -n \"$X\"",
     "kill -0 1", "kill -l", "kill %1", "trap - EXIT", "trap 'echo x' EXIT", "umask 022", "wait", "type ls",
     "shopt -s checkwinsize",
     "local x=1", "eval 'echo x'", "getopts ab: o", "command -v ls"],
)  # fmt: skip
def test_builtins_that_change_only_this_shell_are_quiet(command: str) -> None:
    got = grade(command)
    assert got.tier is Tier.OBSERVE, f"{got.rule}: {got.reason}"


@pytest.mark.parametrize(
    "command",
    ["alias a=b", "unalias a", "hash -p x ls", "enable -f x y", "complete -C x y", "bind -x a", "let x=1", "jobs"
        " -x ls", "declare -a 'x=($(id))'", "declare 'x=($(id))'", "fc"
        " -s", "history -c", "set -k",
     "shopt -s expand_aliases", "shopt -s lastpipe", "set -o posix", "kill 1", "kill -9 -1", "eval $X", "eval"
     " \"$X\"", "source x", ". x", "trap $X EXIT",
     "trap 'rm -rf /' EXIT", "read 'a[0]'", "read -a 'a[0]' x", "printf -va[0] x", "unset 'a[$(id)]'", "declare"
     " -i x", "declare -n x=y",
     "mapfile -C x y", "test $X", "[ $X = a ]", "test -v x", "wait -p 'a[0]'", "getopts ab 'a[0]'", "export $X"],
)  # fmt: skip
def test_builtins_that_may_run_or_redefine_things_are_questions(command: str) -> None:
    assert grade(command).tier is Tier.CONFIRM
