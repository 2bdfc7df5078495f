"""The names that an agent shows before it runs, so that what a case names can be checked."""

from __future__ import annotations

import gc
import inspect
from collections.abc import Iterator
from typing import Any

from google.adk.agents.base_agent import BaseAgent
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.base_toolset import BaseToolset
from google.adk.tools.function_tool import FunctionTool
from google.adk.workflow import BaseNode

from rehearsal_adk import adk_private
from rehearsal_adk.evaluation import declarations, unseen

FRAMEWORK_TOOLS = [
    "transfer_to_agent",
    "exit_loop",
    "set_model_response",
    "finish_task",
    "adk_request_confirmation",
    "adk_request_credential",
    "adk_request_input",
]
"""What google-adk has models call, or calls itself, to direct a run."""


def of(root: Any) -> dict[str, Any]:
    """The names of tools and of agents, at every depth, as the engine wants them. Those of which only running the agent
    shows all are None, and then those that its modules have are among the shown ones."""
    names = {
        "tools": tools(root),
        "arguments": arguments(root),
        "framework_tools": FRAMEWORK_TOOLS,
        "agents": agents(root),
    }
    if names["tools"] is None or names["agents"] is None:
        shown = list(_everywhere(root))
        names["shown_agents"] = sorted({_name(agent) for agent in shown})
        names["shown_tools"] = sorted(set(_shown_tools(shown)))
    return names


def tools(root: Any) -> list[str] | None:
    """The names of all tools and nodes; None if only running the agent shows them."""
    names: set[str] = set()
    for agent in unseen.agents(root):
        if _is_authors(agent) or _may_run_nodes(agent):
            return None  # Its own code may call tools that it does not list.
        if not isinstance(agent, BaseAgent):
            names.add(_name(agent))
        for tool in getattr(agent, "tools", None) or ():
            if isinstance(tool, BaseToolset):
                if (recorded := declarations.names(tool)) is None:
                    return None
                names.update(recorded)
                continue
            name = getattr(tool, "name", None) or getattr(tool, "__name__", None)
            if name is None:
                return None
            names.add(str(name))
    return sorted(names)


def arguments(root: Any) -> dict[str, list[str]]:
    """The arguments of functions that are tools: google-adk passes no others to them."""
    names: dict[str, dict[str, None]] = {}
    others = set()
    for agent in unseen.agents(root):
        for tool in getattr(agent, "tools", None) or ():
            if not isinstance(tool, (BaseTool, BaseToolset)) and callable(tool):
                tool = FunctionTool(tool)
            declared = _declared(tool) if isinstance(tool, FunctionTool) else None
            if declared is None:
                others.add(getattr(tool, "name", ""))
            else:
                names.setdefault(tool.name, {}).update(dict.fromkeys(declared))
    return {name: list(declared) for name, declared in names.items() if name not in others}


def _declared(tool: FunctionTool) -> list[str] | None:
    """The arguments in the declaration; None if the function takes others."""
    try:
        parameters = inspect.signature(tool.func).parameters.values()
        declaration = adk_private.DECLARATION.of(tool)()
    except Exception:  # A case that gets there meets it again.
        return None
    if declaration is None or any(it.kind is inspect.Parameter.VAR_KEYWORD for it in parameters):
        return None
    schema = declaration.parameters_json_schema
    if schema is None:
        return list((declaration.parameters and declaration.parameters.properties) or {})
    return list(schema.get("properties", {})) if isinstance(schema, dict) else None


def agents(root: Any) -> list[str] | None:
    """The names of all agents and nodes; None if only running the agent shows them."""
    names: set[str] = set()
    for agent in unseen.agents(root):
        # Code of the author may run agents that are nowhere in the tree.
        if _is_authors(agent) or _runs_function(agent):
            return None
        names.add(_name(agent))
    return sorted(names)


def _everywhere(root: Any) -> Iterator[Any]:
    """The agents and nodes of the tree, and those that the author's modules have made and that may run."""
    yield from unseen.agents(root)
    for one in gc.get_objects():
        # Its own class says what a proxy stands for, which may have an effect.
        if issubclass(type(one), (BaseAgent, BaseNode)):
            yield from unseen.agents(one)


def _shown_tools(shown: list[Any]) -> Iterator[str]:
    for agent in shown:
        if not isinstance(agent, BaseAgent):
            yield _name(agent)
        for tool in getattr(agent, "tools", None) or ():
            if isinstance(tool, BaseToolset):
                yield from declarations.names(tool) or ()
            elif name := getattr(tool, "name", None) or getattr(tool, "__name__", None):
                yield str(name)


def _name(agent: Any) -> str:
    return str(getattr(agent, "name", ""))


def _is_authors(agent: Any) -> bool:
    """Whether the agent's class is the author's own."""
    return isinstance(agent, BaseAgent) and not type(agent).__module__.startswith("google.adk.")


def _may_run_nodes(node: Any) -> bool:
    """Whether code of the author gets the context of a node, with which it can run nodes that are nowhere in the tree."""
    if not _runs_function(node):
        return False
    function = adk_private.NODE_FUNCTION.get(node)
    if function is None:
        return not type(node).__module__.startswith("google.adk.")
    return adk_private.NODE_CONTEXT_PARAMETER.get(node, "ctx") in inspect.signature(function).parameters


def _runs_function(node: Any) -> bool:
    return not isinstance(node, BaseAgent) and getattr(node, "graph", None) is None
