"""OpenAI's Chat Completions, with its own client."""

from __future__ import annotations

import json

import pytest

from endpoint_fixture import (  # noqa: F401 - two of them are fixtures
    CHAT_TOOL,
    DAYS,
    PIXEL,
    Weather,
    asking,
    declared,
    endpoint,
    host,
    openai,
    parallel,
    results,
    thought,
)
from live_host import PATIENCE, call, text, needs_binary

pytestmark = needs_binary


def test_chat_tools_in_parallel_and_their_results(endpoint):
    client = endpoint.openai()
    asked = {
        "model": "gpt-test",
        "messages": [
            {"role": "system", "content": "Be short."},
            {"role": "user", "content": "Rain?"},
        ],
        "tools": [CHAT_TOOL],
        "tool_choice": "required",
        "temperature": 0.10,
    }
    first = asking(lambda: client.chat.completions.create(**asked))
    endpoint.person.wait_for_turn()
    request = endpoint.person.request()
    assert request.system_instruction == "Be short."
    assert declared(request) == "forecast"
    assert json.loads(request.generation_config) == {"tool_choice": "required", "temperature": 0.1}
    assert endpoint.person.events()[0].agent_name == "planner"
    endpoint.person.answer(*parallel())
    choice = first.result(PATIENCE).choices[0]
    assert choice.finish_reason == "tool_calls"
    assert choice.message.content == "Let me look."
    calls = choice.message.tool_calls
    assert [json.loads(one.function.arguments).get("days") for one in calls] == [DAYS, None]
    assert len({one.id for one in calls}) == 2

    asked["messages"] += [choice.message.model_dump(exclude_none=True)]
    asked["messages"] += [
        {"role": "tool", "tool_call_id": one.id, "content": f"clear {index}"}
        for index, one in enumerate(calls)
    ]
    asked["tool_choice"] = "auto"
    second = asking(lambda: client.chat.completions.create(**asked))
    endpoint.person.wait_for_turn()
    assert results(endpoint.person.request()) == [
        ("forecast", '"clear 0"'),
        ("forecast", '"clear 1"'),
    ]
    endpoint.person.answer(thought("Both clear."), text("No rain."))
    answered = second.result(PATIENCE)
    assert answered.choices[0].message.content == "No rain."
    assert answered.choices[0].message.reasoning_content == "Both clear."
    assert answered.choices[0].finish_reason == "stop"
    assert answered.usage.total_tokens == 0, "nobody counted, and some clients read it unasked"


def test_chat_streams_structures_and_shows_pictures(endpoint):
    client = endpoint.openai()
    picture = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}"}}
    message = {"role": "user", "content": [{"type": "text", "text": "What is it?"}, picture]}

    def stream():
        chunks = client.chat.completions.create(
            model="m", messages=[message], tools=[CHAT_TOOL], stream=True
        )
        return list(chunks)

    chunks = asking(stream)
    endpoint.person.wait_for_turn()
    parts = endpoint.person.request().contents[0].parts
    assert parts[1].inline_data.data == b"\x89PNG pixel"
    endpoint.person.answer(*parallel())
    deltas = [chunk.choices[0].delta for chunk in chunks.result(PATIENCE)]
    assert "".join(delta.content or "" for delta in deltas) == "Let me look."
    calls = [one for delta in deltas for one in delta.tool_calls or []]
    assert [one.index for one in calls] == [0, 1]

    structured = asking(
        lambda: client.chat.completions.parse(
            model="m", messages=[{"role": "user", "content": "Lisbon?"}], response_format=Weather
        )
    )
    endpoint.person.wait_for_turn()
    schema = json.loads(endpoint.person.request().output_schema)
    assert schema["properties"]["dry"]["type"] == "boolean"
    endpoint.person.answer(text('{"city": "Lisbon", "dry": true}'))
    parsed = structured.result(PATIENCE).choices[0].message.parsed
    assert parsed == Weather(city="Lisbon", dry=True)


def test_openai_object_is_checked_and_a_stream_has_its_usage(endpoint, host):
    client = endpoint.openai()

    def stream():
        return list(
            client.chat.completions.create(
                model="m",
                messages=[{"role": "user", "content": "Rain?"}],
                response_format={"type": "json_object"},
                stream=True,
                stream_options={"include_usage": True},
            )
        )

    streamed = asking(stream)
    turn = endpoint.person.wait_for_turn()
    place = {"session": endpoint.session_id, "turn": turn.turn_id}
    assert host.page("check_live_value", place=place, target="Output", value=["no object"])
    assert not host.page("check_live_value", place=place, target="Output", value={"dry": True})
    endpoint.person.answer(text('{"dry": true}'))
    *chunks, last = streamed.result(PATIENCE)
    assert last.choices == [] and last.usage.total_tokens == 0
    assert [chunk.usage for chunk in chunks] == [None] * len(chunks)


def test_openai_errors_name_the_field_and_models_are_listed(endpoint):
    client = endpoint.openai(max_retries=2)
    with pytest.raises(openai.BadRequestError) as refused:
        client.chat.completions.create(model="m", messages=[{"role": "robot", "content": "x"}])
    assert refused.value.param == "messages[0].role"
    assert "must be system, developer, user, assistant or tool" in refused.value.message
    with pytest.raises(openai.NotFoundError):
        client.embeddings.create(model="m", input="x")
    assert [model.id for model in client.models.list()] == ["person"]

    cancelled = asking(
        lambda: client.chat.completions.create(
            model="m", messages=[{"role": "user", "content": "x"}]
        )
    )
    turn = endpoint.person.wait_for_turn()
    endpoint.person.call("CancelTurn", turn_id=turn.turn_id, reason="not now")
    with pytest.raises(openai.UnprocessableEntityError, match="not now"):
        cancelled.result(PATIENCE)
    assert endpoint.kinds() == ["request", "cancelled"], "and it was not asked again"


def test_a_custom_tool_of_chat_takes_a_text(endpoint):
    client = endpoint.openai()
    tool = {"type": "custom", "custom": {"name": "shell", "description": "Runs a line."}}
    create = client.chat.completions.create
    messages = [{"role": "user", "content": "Go."}]
    asked = asking(lambda: create(model="m", messages=messages, tools=[tool]))
    endpoint.person.answer(call("shell", {"input": "ls"}))
    (made,) = asked.result(PATIENCE).choices[0].message.tool_calls
    assert (made.type, made.custom.name, made.custom.input) == ("custom", "shell", "ls")
