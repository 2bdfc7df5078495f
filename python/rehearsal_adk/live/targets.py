"""Which agents of a run may be targeted, and which names are none of theirs."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

from google.adk.tools.agent_tool import AgentTool

from .. import tree


def asking(root: Any) -> list[str]:
    """The names of the agents whose model calls come to a plugin of the run, as far as they can be
    told before it: the root, those below it, and those called as tools."""
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
    """The agents that a node calls as tools. A tool that leaves the plugins out asks nobody here."""
    tools = getattr(node, "tools", None)
    return [
        tool.agent
        for tool in (tools if isinstance(tools, list) else ())
        if isinstance(tool, AgentTool) and getattr(tool, "include_plugins", True)
    ]


def unknown(targets: Iterable[str], names: list[str]) -> str | None:
    """What to say of targets that are none of these names; ``None`` where there is nothing to say."""
    strange = sorted(set(targets) - set(names))
    if not strange:
        return None
    told = []
    folded = {name.casefold(): name for name in names}
    for target in strange:
        near = get_close_matches(target.casefold(), folded, n=1)
        told.append(f"{target!r}" + (f" (did you mean {folded[near[0]]!r}?)" if near else ""))
    known = ", ".join(repr(name) for name in names) or "none"
    return (
        f"target_agents names {', '.join(told)}, and no agent of this run that asks a model is called "
        f"so (known before the run: {known}): whoever is meant uses its own model"
    )
