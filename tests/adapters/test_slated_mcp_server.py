"""slated's tools through the front, from a client to the log, in either era."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import anyio
import mcp_types
import pytest
from mcp import Client, StdioServerParameters

from slated import mcp_server
from tests.fakes.conscience import connected
from tests.fakes.stage import Stage, stage
from tests.mcp.conftest import ERAS

pytestmark = pytest.mark.anyio
MAIN = Path(mcp_server.__file__).parent / "__main__.py"


@pytest.fixture
async def here() -> AsyncIterator[Stage]:
    with stage() as made:
        made.socket = made.root / "run/slate/slated.sock"
        with connected(
            made.env
        ):  # one that does not mark this process, the agent program here, for ever
            yield made


def client(here: Stage, era: str) -> Client:
    command = here.env["PYTHON"]
    front = StdioServerParameters(
        command=command, args=["-I", str(MAIN), "mcp"], env=here.env, cwd=here.root
    )
    return Client(front, mode=era)


async def said(link: Client, tool: str, **arguments: Any) -> tuple[str, bool]:
    with anyio.fail_after(10):
        answer = await link.call_tool(tool, arguments)
    (part,) = answer.content
    assert isinstance(part, mcp_types.TextContent)
    assert answer.structured_content is None
    return part.text, bool(answer.is_error)


@pytest.mark.parametrize("era", ERAS)
async def test_slates_and_memory_work_from_a_client_to_the_disk(here: Stage, era: str) -> None:
    async with client(here, era) as link:
        tools = (await link.list_tools()).tools
        assert [t.name for t in tools] == [spec.name for spec in mcp_server.TOOLS]
        assert {"slate.open", "remember", "approve"} <= {t.name for t in tools}
        text, failed = await said(link, "slate.open", externalSessionId="an-id-of-mine")
        assert not failed
        assert json.loads(text)["externalSessionId"] == "an-id-of-mine"
        await said(link, "remember", text="tabs, not spaces")
        text, _ = await said(link, "recall", query="tabs")
        assert json.loads(text)["memories"][0]["text"] == "tabs, not spaces"
    assert (here.root / ".keryx/external-slates/an-id-of-mine.json").exists()


async def test_failures_have_their_code_and_what_to_do(here: Stage) -> None:
    async with client(here, ERAS[0]) as link:
        for tool, code in (("slate.opne", "unknown_tool"), ("remember", "arguments")):
            text, failed = await said(link, tool)
            assert failed
            assert text.startswith(f"bad_request.{code}: ")
            assert "\nnext: " in text
        text, failed = await said(link, "forget", ids=[1])
        assert failed
        assert text.startswith("refused.no_approver: ")


async def test_a_call_is_in_the_log_under_the_agents_own_id_of_it(here: Stage) -> None:
    async with client(here, ERAS[0]) as link:
        with anyio.fail_after(10):
            meta: Any = {"claudecode/toolUseId": "toolu_5"}
            await link.call_tool("recall", {"query": "tabs"}, meta=meta)
    (log,) = (here.root / "state").rglob("*.jsonl")
    assert '"use":"toolu_5"' in log.read_text().replace(" ", "")


async def test_the_permission_tool_answers_in_claudes_own_form(here: Stage) -> None:
    async with client(here, ERAS[0]) as link:
        text, failed = await said(link, "approve", tool_name="Bash", input={"command": "ls"})
        assert (json.loads(text)["behavior"], failed) == ("allow", False)
        risky = {"command": "rm -rf /srv/data"}
        text, failed = await said(link, "approve", tool_name="Bash", input=risky)
        assert (json.loads(text)["behavior"], failed) == ("deny", False)
