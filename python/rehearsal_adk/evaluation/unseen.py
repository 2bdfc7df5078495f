"""Finds what interception cannot see in an agent, so that a case must allow it by name.

Each finding has the name under which the case allows it, the agent, and what it does.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import FunctionType
from typing import Any

from google.adk.agents.base_agent import BaseAgent
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.function_tool import FunctionTool

from rehearsal_adk import tree
from rehearsal_adk.evaluation import adks_own, declarations, lookup

_REMOTE = {
    "RemoteA2aAgent": "is an agent on another machine",
    "LangGraphAgent": "is an agent of another framework",
    "AntigravityAgent": "is an agent of another framework",
    "ManagedAgent": "is an agent that a service runs",
}
"""Classes of agents whose tools run elsewhere."""


RUN_BY_SERVICE = "is a tool that the model's service runs"


def look(root: Any) -> list[dict[str, str | bool]]:
    """What interception cannot see in this agent, at every depth, once its MCP toolsets have what is recorded of them."""
    declarations.apply(list(agents(root)))
    findings: dict[tuple[str, str], dict[str, str | bool]] = {}
    for agent in agents(root):
        owner = str(getattr(agent, "name", ""))
        for name, what, runs_here in _of_agent(agent):
            findings.setdefault(
                (owner, name), {"name": name, "agent": owner, "what": what, "runs_here": runs_here}
            )
    return list(findings.values())


def agents(root: Any) -> Iterator[Any]:
    """Every agent and node at every depth, those of agents that are used as tools too."""
    return _agents(root, set())


def _agents(root: Any, seen: set[int]) -> Iterator[Any]:
    """Every agent below the root, those that are used as tools too."""
    for node in tree.walk(root):
        if id(node) in seen:
            continue
        seen.add(id(node))
        yield node
        for tool in getattr(node, "tools", None) or ():
            inner = getattr(tool, "agent", None)
            if isinstance(inner, BaseAgent):
                yield from _agents(inner, seen)


def _of_agent(agent: Any) -> Iterator[tuple[str, str, bool]]:
    """The name of each finding, what it does, and whether it runs on this machine or connects from it. A tool of the
    model's service does neither."""
    for cls in type(agent).__mro__:
        if cls.__name__ in _REMOTE and cls.__module__.startswith("google.adk."):
            yield agent.name, _REMOTE[cls.__name__], True
    executor = getattr(agent, "code_executor", None)
    if executor is not None:
        yield type(executor).__name__, "runs code that the model writes", True
    config = getattr(agent, "generate_content_config", None)
    if getattr(config, "tools", None):
        yield "generate_content_config.tools", "are tools that the model's service runs", False
    for tool in getattr(agent, "tools", None) or ():
        if isinstance(tool, BaseTool) and not lookup.has_code(tool):
            yield tool.name, RUN_BY_SERVICE, False
        elif declarations.is_mcp(tool) and declarations.names(tool) is None:
            yield type(tool).__name__, "starts or calls an MCP server to list its tools", True


def of_service(root: Any, name: str | None) -> Iterator[tuple[str, bool]]:
    """The parts of the agent of this name, or of all agents, that have the model's service run something: the name under
    which a case allows each, and whether google-adk's own class writes the request."""
    for agent in agents(root):
        if name is not None and getattr(agent, "name", None) != name:
            continue
        parts = [tool for tool in getattr(agent, "tools", None) or () if isinstance(tool, BaseTool)]
        yield from ((tool.name, _is_googles(tool)) for tool in parts if not lookup.has_code(tool))
        if (executor := getattr(agent, "code_executor", None)) is not None:
            yield type(executor).__name__, _is_googles(executor)
        if getattr(getattr(agent, "generate_content_config", None), "tools", None):
            yield "generate_content_config.tools", False


def _is_googles(part: Any) -> bool:
    return adks_own.is_code(adks_own.definition(part, "process_llm_request"))


def functions(root: Any) -> Iterator[FunctionType]:
    """The functions that agents have as tools, at every depth."""
    for agent in _agents(root, set()):
        for tool in getattr(agent, "tools", None) or ():
            function = tool.func if isinstance(tool, FunctionTool) else tool
            if isinstance(function, FunctionType):
                yield function
