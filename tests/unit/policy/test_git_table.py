"""git's table: no subcommand is in two classes, and every option named is one."""

from __future__ import annotations

from itertools import combinations

from slated.policy import git_table as table


def test_no_subcommand_has_two_classes() -> None:
    classes = (table.READS, table.CHANGES, table.NETWORK, table.RUNS_PROGRAMS, table.NOT_UNDONE)
    for one, other in combinations(classes, 2):
        assert not one & other


def test_every_harmful_option_looks_like_one() -> None:
    for options in table.HARMFUL_OPTIONS.values():
        assert all(option.startswith("-") for option in options)


def test_settings_that_name_programs_are_not_in_the_harmless_ones() -> None:
    for key in (
        "core.fsmonitor",
        "core.sshcommand",
        "core.hookspath",
        "core.editor",
        "diff.external",
        "gpg.program",
        "credential.helper",
        "filter.x.clean",
        "merge.x.driver",
    ):
        assert not table.HARMLESS_KEY.fullmatch(key), key
