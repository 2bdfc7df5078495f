"""The tree of agents: its nodes, lookup by name, and ancestors.

A root may be an ``LlmAgent``, a workflow agent (sequential, loop, parallel), or a ``Workflow``, which
is not a ``BaseAgent`` and has its nodes in ``.graph.nodes``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

# The start node of each ADK graph. It does nothing.
START = "__START__"


def walk(root: Any) -> Iterator[Any]:
    """The root and every agent or node below it, parents first, each once."""
    seen, pending = set(), [root]
    while pending:
        node = pending.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        yield node
        pending.extend(reversed(children(node)))


def children(node) -> list:
    """The direct children: sub-agents, and the nodes of a workflow's graph."""
    below = list(getattr(node, "sub_agents", None) or ())
    nodes = getattr(getattr(node, "graph", None), "nodes", None) or ()
    below.extend(part for part in nodes if _named(part) and part.name != START)
    # A node that wraps an agent (ADK's wrappers name it `agent` or `node`) has it as its child.
    for attribute in ("agent", "node"):
        inner = getattr(node, attribute, None)
        if inner is not None and _named(inner) and not callable(inner):
            below.append(inner)
    return below


def is_llm(node) -> bool:
    """Whether this agent calls a model, so that a person can act as it."""
    from google.adk.agents.llm_agent import LlmAgent

    return isinstance(node, LlmAgent)


def first_llm(root):
    """The first ``LlmAgent`` in the tree, or ``None``."""
    return next((node for node in walk(root) if is_llm(node)), None)


def find(root, name: str):
    """The agent with this name in the tree, or ``None``."""
    return next((node for node in walk(root) if getattr(node, "name", None) == name), None)


def lineage(agent) -> list:
    """The agent's ancestors from the root down, and the agent itself."""
    line = [agent]
    parent = getattr(agent, "parent_agent", None)
    while parent is not None and parent not in line:
        line.append(parent)
        parent = getattr(parent, "parent_agent", None)
    return line[::-1]


def next_agent(root, agent):
    """The agent that ADK's runner would continue a conversation with, after ``agent`` responded: the
    same one if it can transfer back up to the root, otherwise the first one."""
    if all(is_llm(one) and not one.disallow_transfer_to_parent for one in lineage(agent)):
        return agent
    return first_llm(root) or agent


def summary(node) -> dict:
    """The agent's name, description and class, as the page lists them."""
    return {
        "name": str(getattr(node, "name", "")),
        "description": str(getattr(node, "description", None) or ""),
        "kind": type(node).__name__,
    }


def _named(node) -> bool:
    return isinstance(getattr(node, "name", None), str)
