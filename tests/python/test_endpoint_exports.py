"""What an agent behind an endpoint did becomes an eval case."""

from __future__ import annotations

import threading

import pytest

from endpoint_fixture import (  # noqa: F401 - two of them are fixtures
    ANTHROPIC_TOOL,
    CHAT_TOOL,
    GEMINI_TOOL,
    NO_CALLING,
    RESPONSES_TOOL,
    anthropic,
    asking,
    endpoint,
    host,
)
from google.genai import types
from live_host import PATIENCE, call, text, needs_binary

pytestmark = needs_binary


def looks_it_up(endpoint, vendor, ask_again):
    """An agent that calls `forecast`, shows the model what it answered, and gets a text."""
    message = {"role": "user", "content": "Rain?"}
    if vendor == "chat":
        create = endpoint.openai().chat.completions.create
        made = create(model="m", messages=[message], tools=[CHAT_TOOL]).choices[0].message
        (one,) = made.tool_calls
        ask_again()
        result = {"role": "tool", "tool_call_id": one.id, "content": '{"sky": "clear"}'}
        said = [message, made.model_dump(exclude_none=True), result]
        return create(model="m", messages=said, tools=[CHAT_TOOL]).choices[0].message.content
    if vendor == "responses":
        create = endpoint.openai().responses.create
        made = create(model="m", input="Rain?", tools=[RESPONSES_TOOL])
        (one,) = made.output
        ask_again()
        result = {"type": "function_call_output", "call_id": one.call_id, "output": "clear"}
        return create(model="m", previous_response_id=made.id, input=[result]).output_text
    if vendor == "anthropic":
        create = endpoint.anthropic().messages.create
        asked = {"model": "m", "max_tokens": 9, "tools": [ANTHROPIC_TOOL]}
        made = create(**asked, messages=[message])
        (one,) = made.content
        ask_again()
        block = {"type": "tool_result", "tool_use_id": one.id, "content": "clear"}
        used = {"role": "assistant", "content": [one.model_dump()]}
        said = [message, used, {"role": "user", "content": [block]}]
        return create(**asked, messages=said).content[0].text
    client = endpoint.gemini()
    config = types.GenerateContentConfig(
        tools=[GEMINI_TOOL], automatic_function_calling=NO_CALLING
    )
    generate = client.models.generate_content
    said = [types.Content(role="user", parts=[types.Part(text="Rain?")])]
    made = generate(model="m", contents=said, config=config)
    (one,) = made.function_calls
    ask_again()
    result = types.FunctionResponse(id=one.id, name=one.name, response={"sky": "clear"})
    answered = types.Content(role="user", parts=[types.Part(function_response=result)])
    said += [made.candidates[0].content, answered]
    return generate(model="m", contents=said, config=config).text


@pytest.mark.parametrize(
    ("vendor", "kept"),
    [
        ("chat", {"result": '{"sky": "clear"}'}),
        ("responses", {"result": "clear"}),
        ("anthropic", {"result": "clear"}),
        ("gemini", {"sky": "clear"}),
    ],
)
def test_exports_tool_results_as_adk_stores_them(host, endpoint, vendor, kept):
    from google.adk.evaluation.eval_case import get_all_tool_calls_with_responses
    from google.adk.evaluation.eval_set import EvalSet

    runs = threading.Event()
    asked = asking(lambda: looks_it_up(endpoint, vendor, runs.set))
    endpoint.person.answer(call("forecast", {"city": "Lisbon"}))
    assert runs.wait(PATIENCE)
    endpoint.person.wait_for_turn()
    endpoint.person.answer(text("No rain."))
    assert asked.result(PATIENCE) == "No rain."
    endpoint.person.call("CompleteSession")
    plan = host.page("plan_live_export", session=endpoint.session_id)
    turns = [turn["answer"] for run in plan["runs"] for turn in run["turns"]]
    receipt = host.page("export_live_session", session=endpoint.session_id, turns=turns)
    exported = EvalSet.model_validate_json((host.folder / receipt["path"]).read_text())
    (turn,) = exported.eval_cases[0].conversation
    ((used, response),) = get_all_tool_calls_with_responses(turn.intermediate_data)
    assert (used.name, used.args) == ("forecast", {"city": "Lisbon"})
    assert response.response == kept
    assert turn.user_content.parts[0].text == "Rain?"
    assert turn.final_response.parts[0].text == "No rain."
