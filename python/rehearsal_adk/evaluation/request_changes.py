"""What a fork changes in the requests of an agent to its models. The agent's files stay as they are."""

from __future__ import annotations

from typing import Any

from google.adk.agents import LlmAgent
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.base_toolset import BaseToolset
from google.adk.tools.function_tool import FunctionTool

from rehearsal_adk.evaluation import unseen


class RequestChanges:
    """The changes of a case, as the engine sends them; none for an empty object."""

    def __init__(self, params: dict[str, Any]) -> None:
        self._instructions: dict[str, str] = params.get("instructions") or {}
        self._tools: dict[str, dict[str, Any]] = params.get("tools") or {}
        self._temperature: float | None = params.get("temperature")

    def instruct(self, root: Any) -> str | None:
        """Gives agents their instructions, and returns why it cannot."""
        left = dict(self._instructions)
        for agent in unseen.agents(root) if left else ():
            if isinstance(agent, LlmAgent) and agent.name in left:
                agent.instruction = left.pop(agent.name)
        if left:
            return f"it has no agent with a model and the name {', '.join(sorted(left))}"
        return None

    def apply(self, llm_request: Any) -> None:
        """Changes a request, before its model is asked."""
        config = llm_request.config
        if self._temperature is not None:
            config.temperature = self._temperature
        for tool in (config.tools or ()) if self._tools else ():
            declared = getattr(tool, "function_declarations", None) or []
            for place, declaration in enumerate(declared):
                if change := self._tools.get(declaration.name):
                    declared[place] = declaration.model_copy(update=_members(change))


def own_texts(root: Any) -> dict[str, dict[str, str]]:
    """The instructions of agents that are texts, and the descriptions of their tools."""
    instructions: dict[str, str] = {}
    descriptions: dict[str, str] = {}
    for agent in unseen.agents(root):
        if not isinstance(agent, LlmAgent):
            continue
        if isinstance(agent.instruction, str) and _is_text(agent.instruction):
            instructions.setdefault(agent.name, agent.instruction)
        for tool in agent.tools:
            if not isinstance(tool, (BaseTool, BaseToolset)) and callable(tool):
                tool = FunctionTool(tool)
            if isinstance(tool, BaseTool) and _is_text(tool.description):
                descriptions.setdefault(tool.name, tool.description)
    return {"instructions": instructions, "descriptions": descriptions}


def _is_text(value: Any) -> bool:
    """Whether it is a text that JSON has: one without half of a pair of surrogates."""
    return isinstance(value, str) and not any("\ud800" <= character <= "\udfff" for character in value)


def _members(change: dict[str, Any]) -> dict[str, Any]:
    members: dict[str, Any] = {}
    if "description" in change:
        members["description"] = change["description"]
    if "parameters" in change:
        members |= {"parameters": None, "parameters_json_schema": change["parameters"]}
    return members
