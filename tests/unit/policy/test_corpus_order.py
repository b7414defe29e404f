"""The corpus of ordinary commands is older than the grader it measures, and was never edited to please it."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
CORPUS = "tests/corpus/developer_commands.jsonl"
GRADER = "slated/policy"
GROUP_SIZES = {"git": 80, "python": 60, "npm": 50, "build": 30, "docker": 30, "files": 50}


def git(*arguments: str) -> str:
    """Output of one git command in this tree; a tree without its history is a failure, never a skip."""
    done = subprocess.run(
        ["git", "-C", str(ROOT), *arguments],
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    if done.returncode != 0:
        pytest.fail(
            "the order of commits cannot be shown without the project's git history "
            f"(is this tree a tarball?): git said {done.stderr.strip()!r}"
        )
    return done.stdout.strip()


def history(path: str) -> list[str]:
    """Commits that touch `path`, oldest first."""
    return git("log", "--reverse", "--format=%H", "--", path).split()


def whole_history() -> None:
    if git("rev-parse", "--is-shallow-repository") != "false":
        pytest.fail("this clone is shallow; fetch the whole history to show the order of commits")


def test_the_corpus_was_committed_once_and_never_edited() -> None:
    whole_history()
    assert len(history(CORPUS)) == 1
    assert git("status", "--porcelain", "--", CORPUS) == ""


def test_the_corpus_is_older_than_every_line_of_the_grader() -> None:
    whole_history()
    (corpus_commit,) = history(CORPUS)
    for grader_commit in history(GRADER):
        assert grader_commit != corpus_commit
        base = git("merge-base", corpus_commit, grader_commit)
        assert base == corpus_commit, (
            f"{grader_commit} touches the grader before the corpus existed"
        )
    if (ROOT / GRADER).is_dir():
        assert history(GRADER), "the grader is not committed, so its age cannot be shown"


def test_the_corpus_has_three_hundred_different_commands_in_their_groups() -> None:
    lines = (ROOT / CORPUS).read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    assert Counter(row["group"] for row in rows) == GROUP_SIZES
    assert len({row["cmd"] for row in rows}) == sum(GROUP_SIZES.values())
    assert {row["nature"] for row in rows} == {"plain", "opaque", "network", "opaque network"}
