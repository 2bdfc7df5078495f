"""ADK's requests as messages: what the model would see is there, and secrets are not."""

from __future__ import annotations

import json
import sys

import pytest

from conftest import ROOT

sys.path.append(str(ROOT / "python"))

pytest.importorskip("google.protobuf")

from google.adk.models.llm_request import LlmRequest  # noqa: E402
from google.genai import types  # noqa: E402

from rehearsal_adk.live import convert  # noqa: E402
from rehearsal_adk.live import messages as wire  # noqa: E402


def converted(parts=(), role="user", **config):
    content = types.Content(role=role, parts=list(parts))
    return convert.request(
        LlmRequest(
            model="m", contents=[content], config=types.GenerateContentConfig(**config)
        )
    )


def test_every_kind_of_part_is_kept():
    parts = [
        types.Part(text="words"),
        types.Part(text="hm", thought=True),
        types.Part(function_call=types.FunctionCall(name="f", args={"n": 2**70, "x": 1.5})),
        types.Part(function_call=types.FunctionCall(name="g")),
        types.Part(inline_data=types.Blob(mime_type="image/png", data=b"\x00\xff")),
        types.Part(file_data=types.FileData(file_uri="gs://a/b", mime_type="text/plain")),
        types.Part(
            executable_code=types.ExecutableCode(code="1+1", language=types.Language.PYTHON)
        ),
    ]
    content = converted(parts, role="model").contents[0]
    assert content.role == wire.ROLE_MODEL
    kinds = [part.WhichOneof("kind") for part in content.parts]
    assert kinds == [
        "text", "thought", "function_call", "function_call", "inline_data", "other", "other",
    ]
    assert content.parts[2].function_call.args == '{"n":1180591620717411303424,"x":1.5}'
    assert not content.parts[3].function_call.HasField("args"), "absent is not empty"
    assert content.parts[4].inline_data.data == b"\x00\xff"
    assert content.parts[5].other.kind == "file_data"
    assert json.loads(content.parts[5].other.json)["file_uri"] == "gs://a/b"
    assert json.loads(content.parts[6].other.json)["code"] == "1+1"


def test_what_tools_answered_has_a_role_of_its_own():
    answer = types.FunctionResponse(id="1", name="f", response={"result": [1, None]})
    content = converted([types.Part(function_response=answer)]).contents[0]
    assert content.role == wire.ROLE_FUNCTION
    assert content.parts[0].function_response.response == '{"result":[1,null]}'


def test_declarations_in_both_dialects():
    plain = types.FunctionDeclaration(
        name="plain", parameters_json_schema={"type": "object", "properties": {"a": {"$ref": "#"}}}
    )
    vendor = types.FunctionDeclaration(
        name="vendor", parameters=types.Schema(type="OBJECT", properties={"a": {"type": "STRING"}})
    )
    bare = types.FunctionDeclaration(name="bare", description="Nothing to say.")
    request = converted(tools=[types.Tool(function_declarations=[plain, vendor, bare])])
    declared = request.tools[0].function_declarations
    assert json.loads(declared[0].parameters)["properties"] == {"a": {"$ref": "#"}}
    assert json.loads(declared[1].parameters)["type"] == "OBJECT"
    assert not declared[2].HasField("parameters")


def test_settings_are_shown_and_secrets_are_not():
    request = converted(
        temperature=0.5,
        tools=[types.Tool(google_search=types.GoogleSearch())],
        http_options=types.HttpOptions(headers={"authorization": "Bearer secret"}),
        response_schema=types.Schema(type="STRING"),
        system_instruction=types.Content(parts=[types.Part(text="a"), types.Part(text="b")]),
    )
    settings = json.loads(request.generation_config)
    assert settings == {"temperature": 0.5, "tools": [{"google_search": {}}]}
    assert "secret" not in str(request)
    assert json.loads(request.output_schema) == {"type": "STRING"}
    assert request.system_instruction == "a\n\nb"


def test_a_request_with_nothing_in_it():
    message = convert.request(LlmRequest())
    assert message == wire.SimulatedLlmRequest()


def test_an_answer_keeps_its_digits_and_its_order():
    message = wire.HumanResponse(
        candidates=[
            {
                "role": wire.ROLE_MODEL,
                "parts": [
                    {"thought": "hm"},
                    {"text": "so"},
                    {"function_call": {"name": "f", "args": '{"n": 9007199254740993}'}},
                    {"function_call": {"id": "mine", "name": "g"}},
                ],
            }
        ]
    )
    parts = convert.response(message).content.parts
    assert parts[0].thought and parts[0].text == "hm"
    assert parts[2].function_call.args == {"n": 9007199254740993}
    assert parts[2].function_call.id.startswith("adk-"), "taken out again before the next request"
    assert (parts[3].function_call.id, parts[3].function_call.args) == ("mine", {})
