"""What a tool declares to return: the schema against which answers of mocks and users are checked, and the objects that
stand for a mock's answer."""

from __future__ import annotations

import functools
from types import FunctionType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from google.adk.agents.llm_agent import LlmAgent
from google.adk.tools.agent_tool import AgentTool
from pydantic import BaseModel, TypeAdapter

from rehearsal_adk import adk_private, jsonable

_KEPT = "_rehearsal_output_schema"


def of(tool: Any) -> Any:
    """The JSON Schema of the tool's result, or None if it declares none or the declaration fails."""
    kept = getattr(tool, "__dict__", {}).get(_KEPT)
    if kept is None:
        try:
            kept = {"schema": _declared(tool)}
        except adk_private.MissingName:
            raise
        except Exception:  # The tool's own code. Without a schema, nothing is checked.
            kept = {"schema": None}
        try:
            setattr(tool, _KEPT, kept)
        except (AttributeError, TypeError, ValueError):  # It is computed again.
            pass
    return kept["schema"]


def as_declared(tool: Any, result: Any) -> Any:
    """A mock's result as the function of the tool returns it: where its annotation names models of pydantic, enums, dates
    and other objects, these are made of the JSON. Callbacks of the agent rely on them."""
    function = getattr(tool, "func", None)
    if not isinstance(function, FunctionType) or (adapter := _objects_of(function)) is None:
        return result
    try:
        return adapter.validate_json(jsonable.strict(result))
    except ValueError:  # It may be recorded: an error, or what a callback made of a result.
        return result


@functools.lru_cache(maxsize=1024)
def _objects_of(function: Any) -> Any:
    """Makes the objects that the function returns; None if it declares none."""
    try:
        declared: Any = get_type_hints(function).get("return")
        return TypeAdapter(declared) if _has_objects(declared) else None
    except Exception:  # Annotations may be anything.
        return None


_JSON = (str, int, float, bool, type(None), dict, list, object)


def _has_objects(declared: Any) -> bool:
    """Whether an annotation names something that is not JSON."""
    if get_origin(declared) is Literal:
        return False
    inner = get_args(declared)
    if inner:
        is_json = get_origin(declared) not in (tuple, set, frozenset)
        return not is_json or any(_has_objects(one) for one in inner)
    return isinstance(declared, type) and declared not in _JSON


def _declared(tool: Any) -> Any:
    if adk_private.MCP_TOOL.is_of(tool):
        mcp_tool = adk_private.MCP_TOOL.of(tool)
        # Version 2 of the package names it otherwise.
        names = ("outputSchema", "output_schema")
        schema = next((found for it in names if (found := getattr(mcp_tool, it, None))), None)
        # google-adk passes on the whole result, with the structured part in a member.
        return schema and {"type": "object", "properties": {"structuredContent": schema}}
    if isinstance(tool, AgentTool):
        return _of_agent(tool.agent)
    function = getattr(tool, "func", None)
    if isinstance(function, FunctionType):
        return _of_function(function)  # google-adk makes a new tool of a function for each request.
    if function is not None:
        return _of_function.__wrapped__(function)
    declaration = adk_private.DECLARATION.of(tool)()
    return declaration and _json(declaration.response_json_schema)


@functools.lru_cache(maxsize=1024)
def _of_function(function: Any) -> Any:
    # The declaration that models see leaves it out.
    schema = _json(adk_private.RESPONSE_SCHEMA.value()(function))
    # A long-running function that is declared to return nothing is answered later, with anything.
    return None if schema == {"type": "null"} else schema


def _of_agent(agent: Any) -> Any:
    """The schema of an agent's final response: that of its last agent, as google-adk reads it."""
    while not isinstance(agent, LlmAgent):
        if not agent.sub_agents:
            return None
        agent = agent.sub_agents[-1]
    # google-adk holds a response to pydantic models only.
    schema: Any = agent.output_schema
    items = get_args(schema) if get_origin(schema) is list else (schema,)
    if not all(isinstance(item, type) and issubclass(item, BaseModel) for item in items):
        return None
    return _json(TypeAdapter(schema).json_schema())


def _json(schema: Any) -> Any:
    import json

    return schema and json.loads(jsonable.strict(schema))
