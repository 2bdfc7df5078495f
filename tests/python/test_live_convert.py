"""ADK's requests as messages: what the model would see is there, and secrets are not."""

from __future__ import annotations

import asyncio
import json
import sys

import pytest

from conftest import ROOT

sys.path.append(str(ROOT / "python"))

pytest.importorskip("google.protobuf")

import grpc  # noqa: E402
from google.adk.models.llm_request import LlmRequest  # noqa: E402
from google.genai import types  # noqa: E402

from rehearsal_adk import RehearsalPlugin  # noqa: E402
from rehearsal_adk.live import client, convert  # noqa: E402
from rehearsal_adk.live import messages as wire  # noqa: E402
from rehearsal_adk.live.faults import AnswerUnusable, RequestRefused  # noqa: E402


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


def test_tool_results_have_their_own_role():
    answer = types.FunctionResponse(id="1", name="f", response={"result": [1, None]})
    content = converted([types.Part(function_response=answer)]).contents[0]
    assert content.role == wire.ROLE_FUNCTION
    assert content.parts[0].function_response.response == '{"result":[1,null]}'


def test_other_content_of_a_tool_follows_its_result():
    def answered(picture):
        given = types.FunctionResponsePart(
            inline_data=types.FunctionResponseBlob(mime_type="image/png", data=picture)
        )
        answer = types.FunctionResponse(name="f", response={"ok": True}, parts=[given])
        return converted([types.Part(function_response=answer)]).contents[0]

    content = answered(b"one")
    assert content.role == wire.ROLE_FUNCTION
    kinds = [part.WhichOneof("kind") for part in content.parts]
    assert kinds == ["function_response", "inline_data"]
    assert content.parts[1].inline_data.data == b"one"
    assert answered(b"two") != content, "a new picture is another request"


def test_keeps_the_metadata_of_a_part():
    video = types.Part(
        inline_data=types.Blob(mime_type="video/mp4", data=b"x"),
        video_metadata=types.VideoMetadata(start_offset="40s"),
    )
    parts = converted([video]).contents[0].parts
    assert [part.WhichOneof("kind") for part in parts] == ["inline_data", "other"]
    assert (parts[1].other.kind, json.loads(parts[1].other.json)) == (
        "video_metadata",
        {"start_offset": "40s"},
    )


def test_a_lone_surrogate_does_not_end_the_run():
    half = "a\ud83d"
    parts = [
        types.Part(text=half),
        types.Part(function_call=types.FunctionCall(name="f", args={"x": half})),
    ]
    request = converted(parts, role="model", system_instruction=half)
    assert request.contents[0].parts[0].text == "a\ufffd"
    assert json.loads(request.contents[0].parts[1].function_call.args) == {"x": "a\ufffd"}
    assert request.system_instruction == "a\ufffd"
    fields = convert.tool_result("f", None, half)
    assert json.loads(fields["response"]) == "a\ufffd"


@pytest.mark.parametrize(
    "part, named",
    [
        ({"function_call": {"name": "f", "args": "[1]"}}, "a call of f"),
        ({"function_call": {"name": "f", "args": '{"x": 1e400}'}}, "a call of f"),
        ({"function_call": {"name": "f", "args": '{"x": 1, "x": 2}'}}, "a call of f"),
        ({"function_call": {"name": "f", "args": '{"x": ' + "[" * 9999 + "]" * 9999 + "}"}}, "a call of f"),
        ({"other": {"kind": "hologram", "json": "{}"}}, "hologram"),
    ],
)
def test_rejects_a_response_that_adk_cannot_read(part, named):
    parts = [{"text": "so"}, part]
    message = wire.HumanResponse(candidates=[{"role": wire.ROLE_MODEL, "parts": parts}])
    with pytest.raises(AnswerUnusable, match=f"part 1 of the response .{named}.") as raised:
        convert.response(message, "t")
    assert "https://" not in str(raised.value) and "\n" not in str(raised.value)


def test_loops_that_have_ended_are_forgotten():
    plugin = RehearsalPlugin(server_url="http://127.0.0.1:9")

    async def once():
        plugin._client()

    for _ in range(30):
        asyncio.run(once())
    assert len(plugin._clients) == 1


def test_a_host_that_fails_each_time_ends_the_run(monkeypatch, caplog):
    monkeypatch.setattr(client, "SHORTEST_PAUSE", 0.0)

    async def failing():
        live = client.LiveClient("http://127.0.0.1:9", "session", None)
        tries = []

        async def call():
            tries.append(1)
            raise grpc.aio.AioRpcError(
                grpc.StatusCode.INTERNAL, grpc.aio.Metadata(), grpc.aio.Metadata(), "broken"
            )

        with pytest.raises(RequestRefused, match="failed 10 times in a row.*broken"):
            await live._persist(call)
        await live.close()
        return len(tries)

    with caplog.at_level("WARNING", "rehearsal_adk"):
        assert asyncio.run(failing()) == client.MAX_DOUBTS
    assert len(caplog.records) == client.MAX_DOUBTS - 1, "each try is told"


def test_converts_declarations_in_both_schema_dialects():
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


def test_converts_an_empty_request():
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
    parts = convert.response(message, "t").content.parts
    assert parts[0].thought and parts[0].text == "hm"
    assert parts[2].function_call.args == {"n": 9007199254740993}
    assert parts[2].function_call.id == "adk-t-0", "taken out again before the next request"
    assert (parts[3].function_call.id, parts[3].function_call.args) == ("mine", {})
