"""Agents of other frameworks, and of google-adk without the plugin: none knows who answers."""

from __future__ import annotations

import asyncio
import json
import time

import pytest

from endpoint_fixture import (  # noqa: F401 - two of them are fixtures
    DAYS,
    FORECAST,
    Weather,
    asking,
    endpoint,
    host,
    openai,
    results,
)
from live_host import PATIENCE, call, text, needs_binary

pytestmark = needs_binary


@pytest.mark.parametrize("api", ["responses", "chat"])
def test_an_agent_of_another_framework(endpoint, api):
    agents = pytest.importorskip("agents")
    agents.set_tracing_disabled(True)

    @agents.function_tool
    def forecast(city: str) -> str:
        """Tells the weather."""
        return f"clear in {city}"

    async def run():
        client = openai.AsyncOpenAI(base_url=f"{endpoint.url}/v1", api_key="none")
        models = {
            "responses": agents.OpenAIResponsesModel,
            "chat": agents.OpenAIChatCompletionsModel,
        }
        model = models[api](model="gpt-test", openai_client=client)
        agent = agents.Agent(
            name="weather",
            instructions="Answer about the weather.",
            model=model,
            tools=[forecast],
            output_type=Weather,
        )
        return (await agents.Runner.run(agent, "Is it dry in Lisbon?")).final_output

    asked = asking(lambda: asyncio.run(run()))
    endpoint.person.wait_for_turn()
    request = endpoint.person.request()
    assert request.system_instruction == "Answer about the weather."
    assert "dry" in request.output_schema
    endpoint.person.answer(call("forecast", {"city": "Lisbon"}), call("forecast", {"city": "Porto"}))
    endpoint.person.wait_for_turn()
    assert results(endpoint.person.request()) == [
        ("forecast", '"clear in Lisbon"'),
        ("forecast", '"clear in Porto"'),
    ]
    endpoint.person.answer(text('{"city": "Lisbon", "dry": true}'))
    assert asked.result(PATIENCE) == Weather(city="Lisbon", dry=True)


LITELLM = [("openai/gpt-test", "/v1"), ("anthropic/claude-test", ""), ("gemini/gem-test", "/v1beta")]


@pytest.fixture
def litellm(monkeypatch):
    # Else it fetches a list of prices when it is imported.
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    return pytest.importorskip("litellm")


@pytest.mark.parametrize(("model", "path"), LITELLM)
def test_litellm_with_each_vendors_protocol(litellm, endpoint, model, path):
    def complete(**options):
        messages = [{"role": "user", "content": "Rain?"}]
        asked = {"model": model, "messages": messages, "api_key": "none", **options}
        return litellm.completion(api_base=endpoint.url + path, **asked)

    def streamed():
        return "".join(chunk.choices[0].delta.content or "" for chunk in complete(stream=True))

    function = {"name": "forecast", "parameters": FORECAST}
    calling = asking(lambda: complete(tools=[{"type": "function", "function": function}]))
    endpoint.person.answer(call("forecast", {"city": "Lisbon", "days": DAYS}))
    (made,) = calling.result(PATIENCE).choices[0].message.tool_calls
    assert made.function.name == "forecast"
    assert json.loads(made.function.arguments) == {"city": "Lisbon", "days": DAYS}
    streaming = asking(streamed)
    endpoint.person.answer(text("No rain."))
    assert streaming.result(PATIENCE) == "No rain."


@pytest.mark.parametrize("kind", ["gemini", "litellm"])
def test_google_adk_without_the_plugin(litellm, endpoint, kind, monkeypatch):
    from google.adk.agents import LlmAgent
    from google.adk.models.google_llm import Gemini
    from google.adk.models.lite_llm import LiteLlm
    from google.adk.runners import InMemoryRunner

    monkeypatch.setenv("GOOGLE_API_KEY", "none")

    def forecast(city: str) -> dict:
        """Tells the weather."""
        return {"sky": f"clear in {city}"}

    if kind == "gemini":
        model = Gemini(model="gem-test", base_url=endpoint.url)
    else:
        model = LiteLlm(model="openai/gpt-test", api_base=f"{endpoint.url}/v1", api_key="none")
    agent = LlmAgent(name="weather", model=model, tools=[forecast])

    async def run():
        runner = InMemoryRunner(agent, app_name="app")
        return (await runner.run_debug("Rain?", quiet=True))[-1].content.parts[0].text

    asked = asking(lambda: asyncio.run(run()))
    endpoint.person.answer(call("forecast", {"city": "Lisbon"}))
    until = time.monotonic() + PATIENCE
    while endpoint.kinds().count("request") < 2:
        assert time.monotonic() < until
        time.sleep(0.05)
    ((name, answer),) = results(endpoint.person.request())
    assert name == "forecast" and "clear in Lisbon" in answer
    endpoint.person.answer(text("No rain."))
    assert asked.result(PATIENCE) == "No rain."
