"""Sessions over stdio with the SDK's own client: both eras, several at once, the order of calls, cancelling."""

from __future__ import annotations

import time
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPDeprecationWarning
from mcp_types import CallToolResult

from tests.fakes.stage import Stage
from tests.mcp.conftest import ERAS, Connect

pytestmark = pytest.mark.anyio


def _facts(result: CallToolResult) -> dict[str, Any]:
    assert result.meta is not None
    facts: dict[str, Any] = result.meta["slate/outcome"]
    return facts


async def _ledger(client: Client) -> dict[str, Any]:
    return _facts(await client.call_tool("desktop_ledger", {}))


async def _given_up(client: Client, tool: str, arguments: dict[str, Any], after_s: float) -> None:
    """Start a call and cancel it, as a client does whose user has changed their mind."""
    with anyio.move_on_after(after_s):
        await client.call_tool(tool, arguments)


async def test_both_eras_list_and_call(connect: Connect, era: str) -> None:
    async with connect(era) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert names[0] == "desktop_echo"
        result = await client.call_tool("desktop_echo", {"text": "äöü 漢字 🙂 \u0000"})
        assert result.content[0].type == "text"
        assert result.content[0].text == "äöü 漢字 🙂 \u0000"
        assert _facts(result)["length"] == 10
        assert result.structured_content is None


async def test_a_client_that_probes_for_the_newest_era_is_served(connect: Connect) -> None:
    async with connect("auto") as client:
        result = await client.call_tool("desktop_echo", {"text": "x"})
        assert not result.is_error


async def test_r115_a_long_call_holds_up_neither_ping_nor_list_nor_looks(
    connect: Connect, era: str
) -> None:
    async with connect(era) as client, anyio.create_task_group() as tasks:
        await client.list_tools()
        tasks.start_soon(_given_up, client, "desktop_hold", {"seconds": 10}, 2)
        await anyio.sleep(0.1)
        for _ in range(10):
            began = time.monotonic()
            await client.list_tools()
            await client.call_tool("desktop_echo", {})
            if era == "legacy":  # the newer era has no ping
                with pytest.warns(MCPDeprecationWarning):
                    await client.send_ping()
            assert time.monotonic() - began < 0.2
        tasks.cancel_scope.cancel()


async def test_r113_a_hundred_cancelled_calls_leave_nothing_held_and_the_session_alive(
    connect: Connect, era: str
) -> None:
    async with connect(era) as client:
        for turn in range(100):
            await _given_up(client, "desktop_hold", {"key": f"k{turn}", "seconds": 5}, 0.01)
            began = time.monotonic()
            assert (await client.list_tools()).tools
            ledger = await _ledger(client)
            while ledger["held"]:
                assert time.monotonic() - began < 0.5
                ledger = await _ledger(client)
        assert len(ledger["log"]) >= 2
        done = await client.call_tool("desktop_hold", {"seconds": 0})
        assert not done.is_error


async def test_calls_that_act_run_one_after_the_other_in_order_of_arrival(
    connect: Connect, era: str
) -> None:
    async with connect(era) as client:
        async with anyio.create_task_group() as tasks:
            for number in range(30):
                arguments = {"text": str(number), "seconds": 0.02 if number % 3 else 0}
                tasks.start_soon(client.call_tool, "desktop_note", arguments)
                await anyio.lowlevel.checkpoint()
        log = (await _ledger(client))["log"]
    assert log == [f"{word} {n}" for n in range(30) for word in ("begin", "end")]


async def test_a_cancelled_call_in_the_queue_is_never_run(connect: Connect, era: str) -> None:
    async with connect(era) as client:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(client.call_tool, "desktop_note", {"text": "a", "seconds": 0.5})
            await anyio.sleep(0.1)
            tasks.start_soon(_given_up, client, "desktop_note", {"text": "b"}, 0.1)
            tasks.start_soon(client.call_tool, "desktop_note", {"text": "c"})
        log = (await _ledger(client))["log"]
    assert log == ["begin a", "end a", "begin c", "end c"]


async def test_looks_do_not_wait_for_calls_that_act(connect: Connect, era: str) -> None:
    async with connect(era) as client, anyio.create_task_group() as tasks:
        tasks.start_soon(client.call_tool, "desktop_note", {"text": "a", "seconds": 0.5})
        await anyio.sleep(0.1)
        assert (await _ledger(client))["log"] == ["begin a"]


async def test_two_clients_of_different_eras_share_a_daemon_and_nothing_else(
    connect: Connect, here: Stage
) -> None:
    async with connect(ERAS[0]) as old, connect(ERAS[1]) as new:
        pids = [_facts(await c.call_tool("desktop_echo", {}))["pid"] for c in (old, new)]
        assert pids == [here.daemon_pid] * 2
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(old.call_tool, "desktop_note", {"text": "old", "seconds": 0.3})
            await anyio.sleep(0.05)
            began = time.monotonic()
            await new.call_tool("desktop_note", {"text": "new"})
            assert time.monotonic() - began < 0.2
        assert (await _ledger(old))["log"] == ["begin old", "end old"]
        assert (await _ledger(new))["log"] == ["begin new", "end new"]
    assert "did ['begin old', 'end old']" in "\n".join(here.leases)


async def test_a_turn_that_was_parked_is_simply_run_again_when_the_same_call_comes_again(
    connect: Connect, era: str
) -> None:
    async with connect(era) as client:
        for _ in range(2):
            result = await client.call_tool("desktop_fail", {"how": "unanswered"})
            assert result.is_error
            assert result.content[0].type == "text"
            assert result.content[0].text.startswith("refused.unanswered: nothing was sent")
