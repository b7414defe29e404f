"""A client no one here wrote: the MCP inspector's command line lists and calls tools through the front."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.stage import Stage

INSPECTOR = Path(__file__).parent / "inspector/node_modules/.bin/mcp-inspector-cli"
NODE = shutil.which("node")

pytestmark = pytest.mark.skipif(
    NODE is None or not INSPECTOR.exists(), reason="the MCP inspector is not installed (make setup)"
)


def _inspect(here: Stage, *words: str) -> dict[str, Any]:
    env = [part for name, value in here.env.items() for part in ("-e", f"{name}={value}")]
    done = subprocess.run(
        [str(INSPECTOR), "--cli", *env, *here.front, *words],
        env={"PATH": f"{Path(str(NODE)).parent}:/usr/bin:/bin", "HOME": str(here.root)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def test_it_lists_the_tools(here: Stage) -> None:
    tools = _inspect(here, "--method", "tools/list")["tools"]
    assert [tool["name"] for tool in tools][:2] == ["desktop_echo", "desktop_wait"]


def test_it_calls_a_tool_and_reads_the_answer(here: Stage) -> None:
    call = ("--method", "tools/call", "--tool-name", "desktop_echo", "--tool-arg", "text=hello")
    answer = _inspect(here, *call)
    assert answer["content"] == [{"type": "text", "text": "hello"}]


def test_it_reads_a_picture_and_a_failure(here: Stage) -> None:
    answer = _inspect(here, "--method", "tools/call", "--tool-name", "desktop_screenshot")
    assert [part["type"] for part in answer["content"]] == ["text", "image"]
    call = ("--method", "tools/call", "--tool-name", "desktop_fail", "--tool-arg", "how=stale")
    answer = _inspect(here, *call)
    assert answer["isError"] is True
