"""Variables that decide what runs are questions; their harmless neighbours are not."""

from __future__ import annotations

import pytest

from slated.policy.environment_table import decides_what_runs


@pytest.mark.parametrize(
    "name",
    ["PATH", "LD_PRELOAD", "BASH_ENV", "IFS", "GIT_SSH_COMMAND", "GIT_DIR", "PAGER", "EDITOR", "PYTHONPATH",
        "NODE_OPTIONS", "PERL5LIB", "https_proxy",
     "XDG_CONFIG_HOME", "HOME", "PS4", "PROMPT_COMMAND", "LESSOPEN", "RIPGREP_CONFIG_PATH", "SLATE_TASK",
     "DOCKER_HOST", "CARGO_HOME", "MAKEFLAGS"],
)  # fmt: skip
def test_a_variable_that_decides_what_runs(name: str) -> None:
    assert decides_what_runs(name, "x")
    assert decides_what_runs(name, None)


@pytest.mark.parametrize(
    "name",
    [
        "A",
        "CI",
        "FOO_BAR",
        "GIT_AUTHOR_NAME",
        "NODE_ENV",
        "RUST_BACKTRACE",
        "PYTHONUNBUFFERED",
        "LC_ALL",
        "TZ",
        "DEBUG",
    ],
)
def test_a_variable_that_only_informs(name: str) -> None:
    assert not decides_what_runs(name, "x")


def test_switching_a_pager_or_an_editor_off_is_quiet() -> None:
    assert not decides_what_runs("GIT_PAGER", "cat")
    assert not decides_what_runs("GIT_EDITOR", "true")
    assert decides_what_runs("PATH", "cat")
