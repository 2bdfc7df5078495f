"""The agents of a run that can be targets, and names that match none of them."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

from google.adk.tools.agent_tool import AgentTool

from .. import tree


def asking(root: Any) -> list[str]:
    """The names of the agents whose model calls reach a plugin, as far as they are known before the
    run: the root, its sub-agents, and agents called as tools."""
    names: dict[str, None] = {}
    seen: set[int] = set()
    pending = [root]
    while pending:
        for node in tree.walk(pending.pop()):
            if id(node) in seen:
                continue
            seen.add(id(node))
            if tree.is_llm(node):
                names[node.name] = None
            pending.extend(_called(node))
    return list(names)


def _called(node: Any) -> list[Any]:
    """The agents that a node calls as tools, without tools that exclude plugins."""
    tools = getattr(node, "tools", None)
    return [
        tool.agent
        for tool in (tools if isinstance(tools, list) else ())
        if isinstance(tool, AgentTool) and getattr(tool, "include_plugins", True)
    ]


def unknown(targets: Iterable[str], names: list[str]) -> str | None:
    """The warning for targets that match none of these names; ``None`` if all match."""
    strange = sorted(set(targets) - set(names))
    if not strange:
        return None
    described = []
    folded = {name.casefold(): name for name in names}
    for target in strange:
        near = get_close_matches(target.casefold(), folded, n=1)
        described.append(f"{target!r}" + (f" (did you mean {folded[near[0]]!r}?)" if near else ""))
    known = ", ".join(repr(name) for name in names) or "none"
    return (
        f"target_agents contains {', '.join(described)}, which match no agent with a model in this run "
        f"(known before the run: {known}); unmatched agents use their own model"
    )
