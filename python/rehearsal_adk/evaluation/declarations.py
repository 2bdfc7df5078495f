"""Recorded declarations of MCP toolsets, so that no server is started to list its tools.

The file that ``REHEARSAL_EVAL_DECLARATIONS`` names has what servers answered to ``tools/list``: one such object for the
only toolset of the agent, or one for each by its name. The name of a toolset is that of the agent that has it, and for
the second toolset of an agent ``AGENT/2``.

A toolset then lists its tools from a session without a connection. Within a tool that may run, the session is real.
"""

from __future__ import annotations

import difflib
import json
import os
import sys
from collections.abc import Iterator
from typing import Any

from google.adk.tools.base_toolset import BaseToolset

from rehearsal_adk import adk_private
from rehearsal_adk.evaluation import barrier
from rehearsal_adk.faults import Fault

FILE = "REHEARSAL_EVAL_DECLARATIONS"
_FORMAT = 'Write the response of the server to `tools/list`, {"tools": [...]}, or such an object for each by its name'
_MARK = "_rehearsal_declared"


def toolsets(agents: list[Any]) -> Iterator[tuple[str, Any]]:
    """The MCP toolsets of these agents, by their names."""
    for agent in agents:
        own = [tool for tool in getattr(agent, "tools", None) or () if is_mcp(tool)]
        for number, toolset in enumerate(own, 1):
            name = str(getattr(agent, "name", ""))
            yield (name if number == 1 else f"{name}/{number}"), toolset


def is_mcp(tool: Any) -> bool:
    """Whether this is a toolset whose tools an MCP server has."""
    return isinstance(tool, BaseToolset) and any("mcp_tool" in it.__module__ for it in type(tool).__mro__)


def apply(agents: list[Any]) -> None:
    """Gives the toolsets of these agents what is recorded of them.

    Raises `Fault` if the file does not fit them.
    """
    path = os.environ.get(FILE)
    if not path:
        return
    with open(path, "rb") as file:
        recorded = json.load(file)
    named = list(toolsets(agents))
    if not named:
        raise _wrong("no agent has an MCP toolset")
    if _list(recorded) is not None:
        if len(named) > 1:
            names = ", ".join(name for name, _ in named)
            raise _wrong(f"the tools are those of one toolset, and there are {names}. {_FORMAT}")
        recorded = {named[0][0]: recorded}
    if not isinstance(recorded, dict):
        raise _wrong(f"it is not an object. {_FORMAT}")
    lists = {name: _list(value) for name, value in recorded.items()}
    known = [name for name, _ in named]
    for name, tools in lists.items():
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(known)}"
            raise _wrong(f"no agent with an MCP toolset has the name {name}; {hint}")
        if tools is None:
            raise _wrong(f"it has no list of the tools of {name}. {_FORMAT}")
    for name, toolset in named:
        if name in lists:
            _declare(name, toolset, lists[name] or [], recorded[name])


def names(toolset: Any) -> list[str] | None:
    """The names of the recorded tools, as the model sees them; None if none are recorded."""
    session = getattr(toolset, _MARK, None)
    if session is None:
        return None
    prefix = getattr(toolset, "tool_name_prefix", None)
    listed = [f"{prefix}_{tool.name}" if prefix else tool.name for tool in session.listed.tools]
    return [*listed, "load_mcp_resource"] if adk_private.MCP_RESOURCES.of(toolset) else listed


class _Recorded:
    """What is asked of a session to list tools and resources."""

    def __init__(self, listed: Any, resources: Any) -> None:
        self.listed = listed
        self.resources = resources

    async def list_tools(self, *_: Any, **__: Any) -> Any:
        return self.listed

    async def list_resources(self, *_: Any, **__: Any) -> Any:
        return self.resources


def _declare(name: str, toolset: Any, tools: list[Any], around: Any) -> None:
    adk = sys.modules["google.adk.tools.mcp_tool.mcp_toolset"]
    result = around.get("result", around) if isinstance(around, dict) else {}
    if result.get("nextCursor"):
        raise _wrong(
            f"the tools of {name} are those of the first page only: the response has a `nextCursor`. "
            "Join the lists of all pages, and leave it out"
        )
    try:
        listed = adk.ListToolsResult.model_validate({"tools": tools})
        resources = adk.ListResourcesResult.model_validate({"resources": result.get("resources", [])})
    except ValueError as error:
        raise _wrong(f"the tools of {name}: {' '.join(str(error).split())}") from error
    session = _Recorded(listed, resources)
    manager = adk_private.MCP_SESSIONS.of(toolset)
    connect = manager.create_session

    async def create_session(*args: Any, **kwargs: Any) -> Any:
        # A tool that may run talks to its server.
        return await connect(*args, **kwargs) if barrier.allowed.get() else session

    manager.create_session = create_session
    setattr(toolset, _MARK, session)


def _list(value: Any) -> list[Any] | None:
    """The tools in a list, in a result of ``tools/list`` or in the whole response."""
    if isinstance(value, dict):
        result = value.get("result", value)
        value = result.get("tools") if isinstance(result, dict) else None
    return value if isinstance(value, list) else None


def _wrong(message: str) -> Fault:
    return Fault("Declarations", message)
