"""Converts ADK's requests to messages, and responses of people to ADK's types."""

from __future__ import annotations

import json
import math
from typing import Any

from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types
from pydantic import TypeAdapter, ValidationError

from .. import jsonable
from . import messages as wire
from .faults import AnswerUnusable

# Config fields that only the sender needs, or that have their own field in the message.
_NOT_CONFIG = {
    "http_options",
    "response_json_schema",
    "response_schema",
    "system_instruction",
    "tools",
}
_ROLES = {"user": wire.ROLE_USER, "model": wire.ROLE_MODEL}
_NAMES = {wire.ROLE_USER: "user", wire.ROLE_MODEL: "model", wire.ROLE_FUNCTION: "user"}


def request(llm_request: LlmRequest, said: types.Content | None = None) -> Any:
    """The complete model request as a ``SimulatedLlmRequest``. ``said`` is the run's user message, if
    it must be marked: ADK may add other contents with the user's role."""
    config = llm_request.config
    message = wire.SimulatedLlmRequest(
        contents=[_content(content) for content in llm_request.contents],
        tools=_tools(config),
    )
    instruction = _instruction(config.system_instruction)
    if instruction:
        message.system_instruction = jsonable.writable(instruction)
    settings = _settings(config)
    if settings:
        message.generation_config = _text(settings)
    schema = _output_schema(config)
    if schema is not None:
        message.output_schema = _text(schema)
    if llm_request.model:
        message.model = jsonable.writable(llm_request.model)
    if said is not None and said.parts and not _is_all_said(llm_request.contents, said):
        message.user_content.CopyFrom(_content(said))
    return message


def _is_all_said(contents: list[types.Content], said: types.Content) -> bool:
    """Whether this is the only content after the model's last one."""
    spoke = [at for at, content in enumerate(contents) if content.role == "model"]
    since = contents[spoke[-1] + 1 if spoke else 0 :]
    return len(since) == 1 and since[0].parts == said.parts


def response(message: Any, turn_id: str) -> LlmResponse:
    """A person's response as ADK's type. A call without an id gets ``adk-TURN-0`` and so on, by its
    position among the response's calls: an export of the session finds its result by that id.

    Raises:
      AnswerUnusable: a part contains something that ADK has no field for.
    """
    parts: list[types.Part] = []
    for number, said in enumerate(message.candidates[0].parts):
        calls = sum(part.function_call is not None for part in parts)
        try:
            part = _adk_part(said, f"adk-{turn_id}-{calls}")
        except (ValidationError, ValueError, TypeError, RecursionError) as error:
            why = f"part {number} of the response ({_shown(said)}) is not valid in ADK"
            raise AnswerUnusable(f"{why}: {_reason(error)}") from error
        if part is not None:
            parts.append(part)
    return LlmResponse(
        content=types.Content(role="model", parts=parts),
        model_version="rehearsal",
    )


def _reason(error: Exception) -> str:
    """The error's message, without pydantic's layout and URLs."""
    if not isinstance(error, ValidationError):
        return str(error)
    found = error.errors(include_url=False)
    return "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in found)


def tool_result(name: str, call_id: str | None, result: object) -> dict[str, Any]:
    """A tool's result as the fields of a ``FunctionResponse``."""
    fields: dict[str, Any] = {"name": jsonable.writable(name)}
    if call_id:
        fields["id"] = jsonable.writable(call_id)
    if result is not None:
        fields["response"] = _text(result)
    return fields


def _content(content: types.Content) -> Any:
    parts = content.parts or []
    answers = bool(parts) and all(part.function_response for part in parts)
    role = wire.ROLE_FUNCTION if answers else _ROLES.get(content.role or "user", wire.ROLE_USER)
    return wire.Content(role=role, parts=[read for part in parts for read in _parts(part)])


def _parts(part: types.Part) -> list[Any]:
    """The part, followed by other data that the model reads."""
    read, left = _part(part)
    if part.function_response is not None:
        # Media that the tool returned. Older versions have no such field.
        for given in getattr(part.function_response, "parts", None) or []:
            blob = given.inline_data
            if blob is not None and blob.data is not None:
                read.append(_inline(blob))
            else:
                left.update(given.model_dump(mode="json", exclude_none=True))
    return read + [_other(kind, value) for kind, value in left.items()]


# Fields that have their own field in the message, or that no model reads.
_TAKEN = {"text", "thought", "thought_signature", "function_call", "function_response", "inline_data"}


def _part(part: types.Part) -> tuple[list[Any], dict[str, Any]]:
    left = part.model_dump(mode="json", exclude_none=True, exclude=_TAKEN)
    if part.text is not None:
        text = jsonable.writable(part.text)
        return [wire.Part(thought=text) if part.thought else wire.Part(text=text)], left
    if part.function_call is not None:
        call = part.function_call
        fields: dict[str, Any] = {"name": jsonable.writable(call.name or "?")}
        if call.id:
            fields["id"] = jsonable.writable(call.id)
        if call.args is not None:
            fields["args"] = _text(call.args)
        return [wire.Part(function_call=fields)], left
    if part.function_response is not None:
        answer = part.function_response
        result = tool_result(answer.name or "?", answer.id, answer.response)
        return [wire.Part(function_response=result)], left
    if part.inline_data is not None and part.inline_data.data is not None:
        return [_inline(part.inline_data)], left
    return ([] if left else [_other("empty", {})]), left


def _inline(blob: types.Blob) -> Any:
    mime_type = jsonable.writable(blob.mime_type or "application/octet-stream")
    fields: dict[str, object] = {"mime_type": mime_type, "data": blob.data}
    if name := getattr(blob, "display_name", None):
        fields["display_name"] = jsonable.writable(name)
    return wire.Part(inline_data=fields)


def _other(kind: str, value: object) -> Any:
    return wire.Part(other={"kind": kind, "json": _text(value)})


def _shown(part: Any) -> str:
    kind = part.WhichOneof("kind")
    if kind == "function_call":
        return f"a call of {part.function_call.name}"
    return part.other.kind if kind == "other" else str(kind)


def _adk_part(part: Any, made_id: str) -> types.Part | None:
    kind = part.WhichOneof("kind")
    if kind == "text":
        return types.Part(text=part.text)
    if kind == "thought":
        return types.Part(text=part.thought, thought=True)
    if kind == "function_call":
        call = part.function_call
        args = _read(call.args) if call.HasField("args") else {}
        # ADK's prefix for generated ids. ADK removes such ids before the next request, so no model
        # sees them.
        call_id = call.id if call.HasField("id") and call.id else made_id
        return types.Part(
            function_call=types.FunctionCall(id=call_id, name=call.name, args=args)
        )
    if kind == "inline_data":
        data = part.inline_data
        return types.Part(inline_data=types.Blob(mime_type=data.mime_type, data=data.data))
    if kind == "other":
        return types.Part.model_validate({part.other.kind: _read(part.other.json)})
    # A function response is not part of a model's response.
    return None


def _read(text: str) -> Any:
    """The value of a JSON text, without loss.

    Raises:
      ValueError: a number is beyond Python's floats, or a key is repeated.
    """
    return json.loads(text, parse_float=_finite, object_pairs_hook=_distinct)


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"{text} is beyond the range of a float")
    return number


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"the key {next(key for key in keys if keys.count(key) > 1)!r} is repeated")
    return members


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
        "name": jsonable.writable(declaration.name or "?"),
        "description": jsonable.writable(declaration.description or ""),
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
    """The JSON Schema if there is one, else the vendor's schema, which the host's forms also read."""
    wanted = json_schema if json_schema is not None else schema
    if wanted is None or isinstance(wanted, (dict, bool)):
        return wanted
    if isinstance(wanted, types.Schema):
        return wanted.model_dump(mode="json", exclude_none=True)
    kind: Any = wanted
    return TypeAdapter(kind).json_schema()


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
    # Tools without declarations, such as the model's built-in search, are sent unchanged.
    others: list[object] = []
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
