"""Anthropic's Messages, with its own client."""

from __future__ import annotations

import json

import pytest

from endpoint_fixture import (  # noqa: F401 - two of them are fixtures
    ANTHROPIC_TOOL,
    DAYS,
    PIXEL,
    Weather,
    anthropic,
    asking,
    declared,
    endpoint,
    host,
    parallel,
    results,
    thought,
)
from live_host import PATIENCE, call, text, needs_binary

pytestmark = needs_binary


def test_anthropic_tools_in_parallel_and_their_results(endpoint):
    client = endpoint.anthropic()
    picture = {"type": "base64", "media_type": "image/png", "data": PIXEL}
    messages = [
        {
            "role": "user",
            "content": [{"type": "image", "source": picture}, {"type": "text", "text": "Rain?"}],
        }
    ]
    asked = {
        "model": "claude-test",
        "max_tokens": 100,
        "system": "Be short.",
        "messages": messages,
        "tools": [ANTHROPIC_TOOL],
        "tool_choice": {"type": "any"},
    }
    first = asking(lambda: client.messages.create(**asked))
    endpoint.person.wait_for_turn()
    request = endpoint.person.request()
    assert request.system_instruction == "Be short."
    assert declared(request) == "forecast"
    assert request.contents[0].parts[0].inline_data.mime_type == "image/png"
    endpoint.person.answer(thought("Two cities."), *parallel())
    message = first.result(PATIENCE)
    assert message.stop_reason == "tool_use"
    assert [block.type for block in message.content] == ["thinking", "text", "tool_use", "tool_use"]
    assert message.content[2].input == {"city": "Lisbon", "days": DAYS}

    uses = [block for block in message.content if block.type == "tool_use"]
    blocks = [
        {"type": "tool_result", "tool_use_id": one.id, "content": "clear"} for one in uses
    ]
    messages += [
        {"role": "assistant", "content": [block.model_dump() for block in message.content]},
        {"role": "user", "content": [*blocks, {"type": "text", "text": "And now?"}]},
    ]
    asked["tool_choice"] = {"type": "auto"}
    second = asking(lambda: client.messages.create(**asked))
    endpoint.person.wait_for_turn()
    request = endpoint.person.request()
    assert results(request) == [("forecast", '"clear"')] * 2
    assert request.contents[-1].parts[0].text == "And now?"
    endpoint.person.answer(text("No rain."))
    message = second.result(PATIENCE)
    assert message.content[0].text == "No rain." and message.stop_reason == "end_turn"


def test_the_vendors_tool_runner_sends_the_whole_conversation(endpoint):
    client = endpoint.anthropic()

    @anthropic.beta_tool
    def forecast(city: str) -> str:
        """Tells the weather.

        Args:
            city: Where.
        """
        return f"clear in {city}"

    messages = [{"role": "user", "content": "Rain in Lisbon?"}]
    runner = client.beta.messages.tool_runner(
        model="m", max_tokens=100, tools=[forecast], messages=messages
    )
    ended = asking(runner.until_done)
    endpoint.person.wait_for_turn()
    endpoint.person.answer(call("forecast", {"city": "Lisbon"}))
    endpoint.person.wait_for_turn()
    request = endpoint.person.request()
    assert request.contents[0].parts[0].text == "Rain in Lisbon?"
    assert results(request) == [("forecast", '"clear in Lisbon"')]
    endpoint.person.answer(text("No rain."))
    assert ended.result(PATIENCE).content[0].text == "No rain."


def test_anthropic_streams_and_structures(endpoint):
    client = endpoint.anthropic()
    asked = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "Rain?"}]}

    def stream():
        with client.messages.stream(**asked, tools=[ANTHROPIC_TOOL]) as events:
            return events.get_final_message()

    streamed = asking(stream)
    endpoint.person.wait_for_turn()
    endpoint.person.answer(thought("Two cities."), *parallel())
    message = streamed.result(PATIENCE)
    assert message.content[1].text == "Let me look."
    assert message.content[2].input == {"city": "Lisbon", "days": DAYS}
    assert message.stop_reason == "tool_use"

    schema = {**Weather.model_json_schema(), "additionalProperties": False}
    output = {"format": {"type": "json_schema", "schema": schema}}
    structured = asking(lambda: client.messages.create(**asked, output_config=output))
    endpoint.person.wait_for_turn()
    assert json.loads(endpoint.person.request().output_schema) == schema
    endpoint.person.answer(text('{"city": "Lisbon", "dry": true}'))
    assert Weather.model_validate_json(structured.result(PATIENCE).content[0].text).dry


def test_anthropic_errors_name_the_field(endpoint):
    client = endpoint.anthropic(max_retries=2)
    unknown = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "x"}
    with pytest.raises(anthropic.BadRequestError) as refused:
        client.messages.create(
            model="m", max_tokens=9, messages=[{"role": "user", "content": [unknown]}]
        )
    error = refused.value.body["error"]
    assert error["type"] == "invalid_request_error"
    assert error["message"].startswith("messages[0].content[0].tool_use_id: must be the id of a call")
    assert [model.id for model in client.models.list()] == ["person"]

    def stream():
        asked = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "x"}]}
        with client.messages.stream(**asked) as events:
            return events.get_final_message()

    cancelled = asking(stream)
    turn = endpoint.person.wait_for_turn()
    endpoint.person.call("CancelTurn", turn_id=turn.turn_id, reason="not now")
    with pytest.raises(anthropic.APIStatusError, match="not now"):
        cancelled.result(PATIENCE)
