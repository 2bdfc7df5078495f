"""What a fork changes in the requests of an agent to its models. The agent's files stay as they are."""

from __future__ import annotations

from typing import Any

from google.adk.agents import LlmAgent

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


def _members(change: dict[str, Any]) -> dict[str, Any]:
    members: dict[str, Any] = {}
    if "description" in change:
        members["description"] = change["description"]
    if "parameters" in change:
        members |= {"parameters": None, "parameters_json_schema": change["parameters"]}
    return members
