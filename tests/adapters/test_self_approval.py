"""A whole task, with real processes, tries to answer its own question."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.promise("no-self-answer")
@pytest.mark.timeout(90)
def test_a_task_cannot_answer_its_own_question_in_any_way_it_tries() -> None:
    """In a process of its own: the marks of tasks cannot be taken off again, and other tests are a person here."""
    command = [sys.executable, "-m", "tests.soak.selfapproval"]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=80, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
