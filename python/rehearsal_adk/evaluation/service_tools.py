"""Finds tools in a model's request that do not come back as calls: the model's service runs them, or its client does.

``unseen`` finds those that an agent lists. Others come from a toolset or a callback, and show only in the request.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from google.genai import types

from rehearsal_adk import adk_private
from rehearsal_adk.evaluation import apart, unseen

_CALLED = {"function_declarations", "computer_use"}
"""The members of a tool whose calls come back to the agent."""

_MEMBERS = {
    "google_search": ("google_search", "google_search_retrieval"),
    "vertex_ai_search": ("retrieval",),
    "BuiltInCodeExecutor": ("code_execution",),
}
"""What parts of google-adk write in a request, where it is not their name."""


def refused(llm_request: Any, root: Any, allowed: Collection[str], model: Any = None) -> dict[str, str] | None:
    """A finding, as those of ``unseen``, that the case does not allow; None if there is none."""
    config = llm_request.config
    tools = [found for tool in getattr(config, "tools", None) or () for found in _of_tool(tool)]
    tools += _of_body(getattr(getattr(config, "http_options", None), "extra_body", None))
    tools += _of_body(adk_private.LITELLM_ARGUMENTS.get(model))
    if not tools:
        return None
    agent = apart.agent(llm_request)
    permitted: set[str] = set()
    for name, is_googles in unseen.of_service(root, agent):
        if name in allowed:
            if not is_googles:
                return None  # Code of the author writes the request.
            permitted.update(_MEMBERS.get(name, (name,)))
    for name, what in tools:
        if name not in permitted and name not in allowed:
            return {"name": name, "agent": agent or str(apart.asker(llm_request)), "what": what}
    return None


_OF_SERVICE = ("tools", "plugins", "web_search_options", "extra_body")
"""Members of the body of a request, and of what LiteLLM adds to it, that name what the service runs."""


def _of_body(body: Any) -> Iterator[tuple[str, str]]:
    """What a part of a request's body, as the author wrote it, has the service run."""
    if not isinstance(body, dict):
        return
    for name in _OF_SERVICE:
        found = body.get(name)
        if name == "extra_body":
            yield from _of_body(found)
        elif isinstance(found, (list, tuple)):
            for one in found:
                yield _name(one), unseen.RUN_BY_SERVICE
        elif found is not None:
            yield name, unseen.RUN_BY_SERVICE


def _name(tool: Any) -> str:
    """The name of a tool in the JSON of a service: its type or id, or its only member."""
    if not isinstance(tool, dict):
        return str(tool)
    return str(tool.get("type") or tool.get("id") or next(iter(tool), "a tool"))


def _of_tool(tool: Any) -> Iterator[tuple[str, str]]:
    if isinstance(tool, dict):
        tool = types.Tool.model_validate(tool)
    if not isinstance(tool, types.Tool):
        name = getattr(tool, "__name__", None) or type(tool).__name__
        yield str(name), "is a tool that the model's client runs"
        return
    for name in type(tool).model_fields:
        if name not in _CALLED and getattr(tool, name) is not None:
            yield name, unseen.RUN_BY_SERVICE
