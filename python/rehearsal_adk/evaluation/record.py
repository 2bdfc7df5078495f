"""Records what the MCP servers of an agent declare, as ``declarations`` reads it.

The argument is the agent's folder. Standard output has one line: ``{"declared": {...}}`` or ``{"fault": {...}}``. The servers
run, and so does the agent's import, without the barrier of eval runs.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from typing import Any

from rehearsal_adk import adk_private, faults, jsonable, loading


def main() -> None:
    """Starts the servers, writes what they declare, and ends them."""
    answers = os.dup(1)
    os.dup2(2, 1)
    try:
        loading.adk_version()
        loaded = loading.load(sys.argv[1])
        answer: dict[str, Any] = {"declared": asyncio.run(_declared(loaded.root))}
    except BaseException as error:  # SystemExit at import is a load error too.
        answer = {"fault": faults.describe(error)}
    os.write(answers, jsonable.lenient(answer) + b"\n")


async def _declared(root: Any) -> dict[str, Any]:
    from rehearsal_adk.evaluation import declarations, unseen

    declared: dict[str, Any] = {}
    for name, toolset in declarations.toolsets(list(unseen.agents(root))):
        try:
            declared[name] = await _of_toolset(toolset)
        finally:
            await toolset.close()
    if not declared:
        raise faults.Fault("Declarations", "no agent has an MCP toolset")
    return declared if len(declared) > 1 else next(iter(declared.values()))


async def _of_toolset(toolset: Any) -> dict[str, Any]:
    session = await adk_private.MCP_SESSIONS.of(toolset).create_session()
    tools: list[Any] = []
    cursor: str | None = None
    while True:
        listed = await (session.list_tools(cursor=cursor) if cursor else session.list_tools())
        tools += [_plain(tool) for tool in listed.tools]
        cursor = getattr(listed, "nextCursor", None) or getattr(listed, "next_cursor", None)
        if not cursor:
            break
    declared: dict[str, Any] = {"tools": tools}
    if adk_private.MCP_RESOURCES.of(toolset):
        resources = await session.list_resources()
        declared["resources"] = [_plain(resource) for resource in resources.resources]
    return declared


def _plain(model: Any) -> Any:
    return json.loads(model.model_dump_json(by_alias=True, exclude_none=True))
