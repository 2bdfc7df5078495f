"""ADK's requests as messages, and people's answers as ADK reads them."""

from __future__ import annotations

import json
import uuid
from typing import Any

from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types
from pydantic import TypeAdapter

from .. import jsonable
from . import messages as wire

# What stands in the config for the sender alone, or has a field of its own.
_NOT_CONFIG = {
    "http_options",
    "response_json_schema",
    "response_schema",
    "system_instruction",
    "tools",
}
_ROLES = {"user": wire.ROLE_USER, "model": wire.ROLE_MODEL}
_NAMES = {wire.ROLE_USER: "user", wire.ROLE_MODEL: "model", wire.ROLE_FUNCTION: "user"}


def request(llm_request: LlmRequest) -> Any:
    """Everything that the model would be given, as a ``SimulatedLlmRequest``."""
    config = llm_request.config
    message = wire.SimulatedLlmRequest(
        contents=[_content(content) for content in llm_request.contents],
        tools=_tools(config),
    )
    instruction = _instruction(config.system_instruction)
    if instruction:
        message.system_instruction = instruction
    settings = _settings(config)
    if settings:
        message.generation_config = _text(settings)
    schema = _output_schema(config)
    if schema is not None:
        message.output_schema = _text(schema)
    if llm_request.model:
        message.model = llm_request.model
    return message


def response(message: Any) -> LlmResponse:
    """A person's answer, as ADK takes it from a model."""
    answer = message.candidates[0]
    parts = [part for part in map(_adk_part, answer.parts) if part is not None]
    return LlmResponse(
        content=types.Content(role="model", parts=parts),
        model_version="rehearsal",
    )


def tool_result(name: str, call_id: str | None, result: object) -> dict[str, Any]:
    """What a tool answered, as the fields of a ``FunctionResponse``."""
    fields: dict[str, Any] = {"name": name}
    if call_id:
        fields["id"] = call_id
    if result is not None:
        fields["response"] = _text(result)
    return fields


def _content(content: types.Content) -> Any:
    parts = content.parts or []
    answers = bool(parts) and all(part.function_response for part in parts)
    role = wire.ROLE_FUNCTION if answers else _ROLES.get(content.role or "user", wire.ROLE_USER)
    return wire.Content(role=role, parts=[_part(part) for part in parts])


def _part(part: types.Part) -> Any:
    if part.text is not None:
        return wire.Part(thought=part.text) if part.thought else wire.Part(text=part.text)
    if part.function_call is not None:
        call = part.function_call
        fields: dict[str, Any] = {"name": call.name or "?"}
        if call.id:
            fields["id"] = call.id
        if call.args is not None:
            fields["args"] = _text(call.args)
        return wire.Part(function_call=fields)
    if part.function_response is not None:
        answer = part.function_response
        return wire.Part(
            function_response=tool_result(answer.name or "?", answer.id, answer.response)
        )
    if part.inline_data is not None and part.inline_data.data is not None:
        blob = part.inline_data
        fields = {"mime_type": blob.mime_type or "application/octet-stream", "data": blob.data}
        if blob.display_name:
            fields["display_name"] = blob.display_name
        return wire.Part(inline_data=fields)
    kept = part.model_dump(mode="json", exclude_none=True, exclude={"thought_signature"})
    kind = next(iter(kept), "empty")
    return wire.Part(other={"kind": kind, "json": _text(kept.get(kind, {}))})


def _adk_part(part: Any) -> types.Part | None:
    kind = part.WhichOneof("kind")
    if kind == "text":
        return types.Part(text=part.text)
    if kind == "thought":
        return types.Part(text=part.thought, thought=True)
    if kind == "function_call":
        call = part.function_call
        args = json.loads(call.args) if call.HasField("args") else {}
        # ADK's own prefix: it makes such ids where there are none, and takes them out again before
        # the next request, so that they are never shown to a model.
        call_id = call.id if call.HasField("id") and call.id else f"adk-{uuid.uuid4()}"
        return types.Part(
            function_call=types.FunctionCall(id=call_id, name=call.name, args=args)
        )
    if kind == "inline_data":
        data = part.inline_data
        return types.Part(inline_data=types.Blob(mime_type=data.mime_type, data=data.data))
    if kind == "other":
        return types.Part.model_validate({part.other.kind: json.loads(part.other.json)})
    # A function's response is the user's to give, and no part of a model's answer.
    return None


def _tools(config: types.GenerateContentConfig) -> list[Any]:
    tools = []
    for tool in config.tools or []:
        declarations = getattr(tool, "function_declarations", None)
        if declarations:
            declared = [_declaration(declaration) for declaration in declarations]
            tools.append(wire.Tool(function_declarations=declared))
    return tools


def _declaration(declaration: types.FunctionDeclaration) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "name": declaration.name or "?",
        "description": declaration.description or "",
    }
    parameters = _schema(declaration.parameters_json_schema, declaration.parameters)
    if parameters is not None:
        fields["parameters"] = _text(parameters)
    answer = _schema(declaration.response_json_schema, declaration.response)
    if answer is not None:
        fields["response"] = _text(answer)
    return fields


def _output_schema(config: types.GenerateContentConfig) -> object | None:
    return _schema(config.response_json_schema, config.response_schema)


def _schema(json_schema: object, schema: object) -> object | None:
    """JSON Schema where it is given, else the vendor's own, which the host's forms read too."""
    wanted = json_schema if json_schema is not None else schema
    if wanted is None or isinstance(wanted, (dict, bool)):
        return wanted
    if isinstance(wanted, types.Schema):
        return wanted.model_dump(mode="json", exclude_none=True)
    return TypeAdapter(wanted).json_schema()


def _instruction(instruction: object) -> str:
    if instruction is None:
        return ""
    if isinstance(instruction, str):
        return instruction
    if isinstance(instruction, types.Content):
        return _instruction(list(instruction.parts or []))
    if isinstance(instruction, types.Part):
        return instruction.text or ""
    if isinstance(instruction, (list, tuple)):
        return "\n\n".join(filter(None, map(_instruction, instruction)))
    return str(instruction)


def _settings(config: types.GenerateContentConfig) -> dict[str, Any]:
    settings = config.model_dump(
        mode="json", exclude_none=True, exclude=_NOT_CONFIG, fallback=str
    )
    settings = {key: value for key, value in settings.items() if value not in ({}, [])}
    # Tools without declarations, such as a search of the model's own, are shown as they are.
    others = []
    for tool in config.tools or []:
        if isinstance(tool, types.Tool):
            kept = tool.model_dump(
                mode="json", exclude_none=True, exclude={"function_declarations"}, fallback=str
            )
            if kept:
                others.append(kept)
        else:
            others.append(jsonable.described(tool))
    if others:
        settings["tools"] = others
    return settings


def _text(value: object) -> str:
    return bytes(jsonable.lenient(value)).decode()
