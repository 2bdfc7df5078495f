"""OpenAI's Responses, with its own client."""

from __future__ import annotations

import json

from endpoint_fixture import (  # noqa: F401 - two of them are fixtures
    DAYS,
    RESPONSES_TOOL,
    Weather,
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


def test_responses_go_on_from_the_one_before(endpoint):
    client = endpoint.openai()
    first = asking(
        lambda: client.responses.create(
            model="m", instructions="Be short.", input="Rain?", tools=[RESPONSES_TOOL]
        )
    )
    endpoint.person.wait_for_turn()
    assert declared(endpoint.person.request()) == "forecast"
    endpoint.person.answer(thought("Two cities."), *parallel())
    response = first.result(PATIENCE)
    assert [item.type for item in response.output] == [
        "reasoning",
        "message",
        "function_call",
        "function_call",
    ]
    assert response.output_text == "Let me look."
    calls = [item for item in response.output if item.type == "function_call"]
    assert json.loads(calls[0].arguments)["days"] == DAYS

    answers = [
        {"type": "function_call_output", "call_id": one.call_id, "output": "clear"} for one in calls
    ]
    second = asking(
        lambda: client.responses.parse(
            model="m", previous_response_id=response.id, input=answers, text_format=Weather
        )
    )
    endpoint.person.wait_for_turn()
    request = endpoint.person.request()
    assert request.contents[0].parts[0].text == "Rain?", "what was said before is shown"
    assert results(request) == [("forecast", '"clear"')] * 2
    assert "dry" in request.output_schema
    endpoint.person.answer(text('{"city": "Porto", "dry": false}'))
    assert second.result(PATIENCE).output_parsed == Weather(city="Porto", dry=False)


def test_responses_stream(endpoint):
    client = endpoint.openai()

    def stream():
        with client.responses.stream(model="m", input="Rain?", tools=[RESPONSES_TOOL]) as events:
            seen = [event.type for event in events]
            return seen, events.get_final_response()

    asked = asking(stream)
    endpoint.person.wait_for_turn()
    endpoint.person.answer(thought("Two cities."), *parallel())
    seen, response = asked.result(PATIENCE)
    assert seen[0] == "response.created" and seen[-1] == "response.completed"
    assert seen.count("response.function_call_arguments.done") == 2
    assert response.output_text == "Let me look."
    assert response.usage.total_tokens == 0


def test_a_custom_tool_of_responses_takes_a_text(endpoint):
    client = endpoint.openai()
    grammar = {"type": "grammar", "syntax": "regex", "definition": "[a-z ]+"}
    shell = {"type": "custom", "name": "shell", "description": "Runs a line.", "format": grammar}
    asked = {"model": "m", "tools": [shell]}
    first = asking(lambda: client.responses.create(**asked, input="Go."))
    endpoint.person.wait_for_turn()
    (declaration,) = endpoint.person.request().tools[0].function_declarations
    schema = json.loads(declaration.parameters)
    assert declaration.name == "shell" and schema["required"] == ["input"]
    assert "[a-z ]+" in schema["properties"]["input"]["description"]
    endpoint.person.answer(call("shell", {"input": "ls -l"}))
    response = first.result(PATIENCE)
    (item,) = response.output
    assert (item.type, item.name, item.input) == ("custom_tool_call", "shell", "ls -l")

    def stream():
        result = {"type": "custom_tool_call_output", "call_id": item.call_id, "output": "none"}
        go_on = {**asked, "previous_response_id": response.id, "input": [result]}
        with client.responses.stream(**go_on) as events:
            seen = [event.type for event in events]
            return seen, events.get_final_response()

    second = asking(stream)
    endpoint.person.wait_for_turn()
    assert results(endpoint.person.request()) == [("shell", '"none"')]
    endpoint.person.answer(call("shell", {"input": "ls"}))
    seen, response = second.result(PATIENCE)
    assert "response.custom_tool_call_input.done" in seen
    assert response.output[0].input == "ls"


def test_keeps_developer_messages_in_the_input_as_text(endpoint):
    client = endpoint.openai()
    said = [
        {"role": "developer", "content": "Say where."},
        {"role": "user", "content": "Rain?"},
        {"role": "system", "content": [{"type": "input_text", "text": "Be short."}]},
    ]
    create = client.responses.create
    asked = asking(lambda: create(model="m", instructions="Be kind.", input=said))
    endpoint.person.wait_for_turn()
    request = endpoint.person.request()
    assert request.system_instruction == "Be kind."
    (developer,), (user,), (system,) = [content.parts for content in request.contents]
    assert (developer.other.kind, developer.other.json) == ("developer", '"Say where."')
    assert user.text == "Rain?"
    assert (system.other.kind, system.other.json) == ("system", '"Be short."')
    endpoint.person.answer(text("In Lisbon, no."))
    assert asked.result(PATIENCE).output_text == "In Lisbon, no."
