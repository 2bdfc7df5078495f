"""Gemini's API, with its own client."""

from __future__ import annotations

import json

import pytest

from endpoint_fixture import (  # noqa: F401 - two of them are fixtures
    DAYS,
    GEMINI_TOOL,
    NO_CALLING,
    Weather,
    asking,
    declared,
    endpoint,
    host,
    parallel,
    results,
    thought,
)
from google.genai import errors, types
from live_host import PATIENCE, text, needs_binary

pytestmark = needs_binary


def test_gemini_tools_in_parallel_and_their_results(endpoint):
    client = endpoint.gemini()
    config = types.GenerateContentConfig(
        system_instruction="Be short.",
        tools=[GEMINI_TOOL],
        automatic_function_calling=NO_CALLING,
        tool_config=types.ToolConfig(
            function_calling_config=types.FunctionCallingConfig(mode="ANY")
        ),
    )
    said = types.Content(
        role="user",
        parts=[types.Part.from_bytes(data=b"\x89PNG", mime_type="image/png"), types.Part(text="?")],
    )
    asked = {"model": "gemini-test", "config": config}
    first = asking(lambda: client.models.generate_content(contents=[said], **asked))
    endpoint.person.wait_for_turn()
    request = endpoint.person.request()
    assert request.system_instruction == "Be short."
    assert request.model == "gemini-test"
    assert declared(request) == "forecast"
    assert request.contents[0].parts[0].inline_data.data == b"\x89PNG"
    assert "ANY" in request.generation_config
    endpoint.person.answer(thought("Two cities."), *parallel())
    response = first.result(PATIENCE)
    calls = response.function_calls
    assert [one.args.get("days") for one in calls] == [DAYS, None]
    assert response.candidates[0].content.parts[0].thought

    answers = [
        types.Part(
            function_response=types.FunctionResponse(
                id=one.id, name=one.name, response={"sky": "clear"}
            )
        )
        for one in calls
    ]
    contents = [said, response.candidates[0].content, types.Content(role="user", parts=answers)]
    asked["config"] = config.model_copy(update={"tool_config": None})
    second = asking(lambda: client.models.generate_content(contents=contents, **asked))
    endpoint.person.wait_for_turn()
    request = endpoint.person.request()
    assert [json.loads(one) for _, one in results(request)] == [{"sky": "clear"}] * 2
    assert request.contents[1].parts[0].thought == "Two cities."
    endpoint.person.answer(text("No rain."))
    assert second.result(PATIENCE).text == "No rain."


def test_gemini_streams_and_structures(endpoint):
    client = endpoint.gemini()

    def stream():
        return list(client.models.generate_content_stream(model="m", contents="Rain?"))

    streamed = asking(stream)
    endpoint.person.wait_for_turn()
    endpoint.person.answer(*parallel())
    (chunk,) = streamed.result(PATIENCE)
    assert chunk.candidates[0].content.parts[0].text == "Let me look."
    assert len(chunk.function_calls) == 2

    config = types.GenerateContentConfig(
        response_mime_type="application/json", response_schema=Weather
    )
    structured = asking(
        lambda: client.models.generate_content(model="m", contents="Lisbon?", config=config)
    )
    endpoint.person.wait_for_turn()
    assert set(json.loads(endpoint.person.request().output_schema)["properties"]) == {"city", "dry"}
    endpoint.person.answer(text('{"city": "Lisbon", "dry": true}'))
    assert structured.result(PATIENCE).parsed == Weather(city="Lisbon", dry=True)


def test_gemini_lists_models_and_takes_an_enum_as_plain_text(endpoint, host):
    for version in ["v1beta", "v1"]:
        client = endpoint.gemini(api_version=version)
        assert [model.name for model in client.models.list()] == ["models/person"]
        assert client.models.get(model="person").name == "models/person"

    config = types.GenerateContentConfig(
        response_mime_type="text/x.enum",
        response_schema={"type": "STRING", "enum": ["dry", "wet"]},
    )
    client = endpoint.gemini()
    asked = asking(
        lambda: client.models.generate_content(model="m", contents="Rain?", config=config)
    )
    turn = endpoint.person.wait_for_turn()
    place = {"session": endpoint.session_id, "turn": turn.turn_id}
    assert host.page("check_live_value", place=place, target="Output", value="snow")
    assert not host.page("check_live_value", place=place, target="Output", value="wet")
    response = {"place": place, "by": "Ann", "lease": None, "text": '"wet"', "calls": []}
    host.page("respond_to_turn", response=response)
    assert asked.result(PATIENCE).text == "wet"


def test_gemini_errors_name_the_field(endpoint):
    client = endpoint.gemini()
    with pytest.raises(errors.ClientError) as refused:
        client.models.generate_content(
            model="m", contents=[types.Content(role="robot", parts=[types.Part(text="x")])]
        )
    assert refused.value.code == 400 and refused.value.status == "INVALID_ARGUMENT"
    assert refused.value.message.startswith("contents[0].role: must be user, model or function")
    with pytest.raises(errors.ServerError, match="countTokens"):
        client.models.count_tokens(model="m", contents="x")
    cancelled = asking(
        lambda: list(client.models.generate_content_stream(model="m", contents="x"))
    )
    turn = endpoint.person.wait_for_turn()
    endpoint.person.call("CancelTurn", turn_id=turn.turn_id, reason="not now")
    with pytest.raises(Exception):  # noqa: B017 - whichever the HTTP library has for a cut stream
        cancelled.result(PATIENCE)
