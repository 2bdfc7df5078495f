"""A model that answers at random, but always the same to the same request.

It calls the tools that the request declares, with arguments that mostly fit. Since its answer depends on all that
the request has, two runs that give a model different requests soon differ in their calls.
"""

from __future__ import annotations

import json
import os
import re
from random import Random
from typing import Any

from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.genai import types

from .shapes import digest

_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


class RandomModel(BaseLlm):
    """The model of one agent."""

    seed: int
    most_calls: int = 1
    is_ordered: bool = True
    """Whether the order of contents in a request is defined, which it is not where agents run in parallel."""

    async def generate_content_async(self, llm_request: Any, stream: bool = False) -> Any:
        """One response."""
        request = self._canonical(llm_request)
        # Where agents run in parallel, not even the order of an object's members is defined.
        number = digest(request if self.is_ordered else sorted(request))
        random = Random(f"{self.seed} {self.model} {number}")
        tools = [tool for one in llm_request.config.tools or [] for tool in one.function_declarations or []]
        turns = sum(content.role == "model" for content in llm_request.contents)
        ends = random.random() < 0.2 + 0.08 * turns
        if ends and (answers := [tool for tool in tools if tool.name == "set_model_response"]):
            parts = [self._call(answers[0], random)]
        elif ends or not tools:
            parts = [types.Part(text=self._text(llm_request, number, random))]
        else:
            called = random.choices(tools, k=random.choice([1, 1, self.most_calls]))
            parts = [self._call(tool, random) for tool in called]
            if random.random() < 0.2:
                parts.insert(0, types.Part(text=f"{self.model} calls"))
        if random.random() < 0.1:
            parts.insert(0, types.Part(text="hm", thought=True))
        shows_request = "REHEARSAL_TEST_SHOW_REQUESTS" in os.environ
        usage = types.GenerateContentResponseUsageMetadata(
            prompt_token_count=len(request), candidates_token_count=len(parts)
        )
        yield LlmResponse(
            content=types.Content(role="model", parts=parts),
            usage_metadata=usage if random.random() < 0.3 or shows_request else None,
            # The version is in a ledger, and not in requests.
            model_version=request if shows_request else "1",
        )

    def _canonical(self, request: Any) -> str:
        contents = [content.model_dump(mode="json", exclude_none=True) for content in request.contents]
        config = request.config.model_dump(mode="json", exclude_none=True, include={"system_instruction", "tools"})
        text = json.dumps([contents, config], sort_keys=True)
        return _ID.sub("ID", text)

    def _text(self, request: Any, number: int, random: Random) -> str:
        if schema := request.config.response_schema:
            from google.adk.utils._schema_utils import schema_to_json_schema

            return json.dumps(_value(schema_to_json_schema(schema), random))
        return f"{self.model} saw {number % 1000}"

    def _call(self, tool: Any, random: Random) -> types.Part:
        schema = tool.parameters_json_schema or (
            tool.parameters.model_dump(mode="json", exclude_none=True) if tool.parameters else {}
        )
        args = _value({"type": "object", **schema}, random)
        if random.random() < 0.08 and args:
            del args[random.choice(sorted(args))]
        if random.random() < 0.08:
            args["extra"] = 1
        if random.random() < 0.05 and args:
            args[random.choice(sorted(args))] = random.choice([None, 7, "odd", ["odd"], {"odd": 1}])
        name = "unknown" if random.random() < 0.02 else tool.name
        if name == "transfer_to_agent" and "agent_name" in args and random.random() < 0.05:
            args["agent_name"] = "nobody"
        return types.Part(function_call=types.FunctionCall(name=name, args=args))


def _value(schema: dict[str, Any], random: Random, root: dict[str, Any] | None = None) -> Any:
    """A value that fits the schema."""
    root = schema if root is None else root
    if "$ref" in schema:
        at: Any = root
        for step in schema["$ref"].split("/")[1:]:
            at = at[step]
        return _value(at, random, root)
    if choices := schema.get("enum"):
        return random.choice(choices)
    if "const" in schema:
        return schema["const"]
    if choices := schema.get("anyOf") or schema.get("any_of") or schema.get("allOf"):
        return _value(random.choice(choices), random, root)
    if schema.get("nullable") and random.random() < 0.2:
        return None
    match str(schema.get("type", "any")).lower():
        case "object":
            properties, required = schema.get("properties", {}), schema.get("required", [])
            value = {
                name: _value(of, random, root)
                for name, of in properties.items()
                if name in required or random.random() < 0.5
            }
            more = schema.get("additionalProperties")
            if isinstance(more, dict):
                value |= {name: _value(more, random, root) for name in random.sample("xyz", random.randrange(3))}
            return value
        case "array":
            return [_value(schema.get("items", {}), random, root) for _ in range(random.randrange(3))]
        case "integer":
            return random.randrange(-3, 100)
        case "number":
            return random.choice([0, 1.5, -2.25, 1e-7, 3.0])
        case "boolean":
            return random.random() < 0.5
        case "null":
            return None
        case "string":
            return random.choice(["", "a", "Zoë “x”", "line\nbreak", "7", "\U0001f600"])
    return random.choice([None, 1, "any", [1], {"k": "v"}])
