"""Wrappers and shells: the command inside decides, and what is not written there is a question."""

from __future__ import annotations

import pytest

from slated.model import Tier
from tests.fakes.policy_world import grade


@pytest.mark.parametrize(
    "wrapper",
    ["nohup", "setsid -w", "nice", "nice -n 5", "nice -5", "ionice -c 3", "timeout 5", "timeout -k 1"
        " --signal=KILL 5", "stdbuf -oL", "time", "time -p", "command", "builtin command",
     "exec", "env", "env -i A=b", "env -u X", "flock /tmp/l", "taskset 1", "chrt -b 0", "nice nohup"
     " timeout 5", "bash -c --"],
)  # fmt: skip
def test_a_wrapper_is_transparent(wrapper: str) -> None:
    quote = "'" if wrapper.startswith("bash") else ""
    for command, tier in (
        ("rm build", Tier.REVERSIBLE),
        ("rm -rf /", Tier.CONFIRM),
        ("sudo ls", Tier.CONFIRM),
        ("ls", Tier.OBSERVE),
    ):
        assert grade(f"{wrapper} {quote}{command}{quote}").tier is tier, command


@pytest.mark.parametrize(
    "command",
    ["env -S 'ls'", "env PATH=x ls", "env -C / rm x", "nice --frob ls", "timeout --frob 5 ls", "xargs --frob"
        " ls", "xargs -I_ sh -c 'rm _'", "xargs -I_ _", "xargs rm", "xargs sh -c",
     "flock l -c 'rm -rf /'", "flock l -c", "bash", "bash x.sh", "bash -c", "bash --rcfile x -c ls", "bash -s <"
     " x", "echo ls | bash", "bash -O extglob -c ls", "bash -c \"$X\"",
     "sh -c \"bash -c 'rm -rf /'\"", "busybox rm x", "stdbuf -oL $X", "command -p $X"],
)  # fmt: skip
def test_what_a_wrapper_would_run_must_be_written_there(command: str) -> None:
    assert grade(command).tier is Tier.CONFIRM


def test_paths_found_by_a_search_are_known_to_lie_below_it() -> None:
    assert grade("find . -name '*.py' | xargs wc -l").tier is Tier.OBSERVE
    assert grade("grep -rl x src | xargs cat").tier is Tier.OBSERVE
    assert grade("find . -name '*.o' -print0 | xargs -0 rm").tier is Tier.REVERSIBLE
    assert grade("find . -name '*.o' | xargs rm").tier is Tier.CONFIRM
    assert grade("find ~ -name '*.o' | xargs cat").tier is Tier.CONFIRM
    assert grade("find / -print0 | xargs -0 rm").tier is Tier.CONFIRM


def test_a_shell_s_text_in_the_line_is_graded_like_the_line() -> None:
    assert grade("bash <<'E'\nrm x\nE").tier is Tier.REVERSIBLE
    assert grade("bash <<< 'rm -rf /'").tier is Tier.CONFIRM
    assert grade("bash -euo pipefail -c 'ls'").tier is Tier.OBSERVE
    assert grade("bash -s <<< ls").tier is Tier.OBSERVE
