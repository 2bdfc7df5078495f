"""An agent of another framework, which knows nothing of who answers."""

from __future__ import annotations

import asyncio

import pytest

from endpoint_desk import (  # noqa: F401 - two of them are fixtures
    Weather,
    asking,
    desk,
    host,
    openai,
    results,
)
from live_host import PATIENCE, call, text, needs_binary

pytestmark = needs_binary


@pytest.mark.parametrize("api", ["responses", "chat"])
def test_an_agent_of_another_framework(desk, api):
    agents = pytest.importorskip("agents")
    agents.set_tracing_disabled(True)

    @agents.function_tool
    def forecast(city: str) -> str:
        """Tells the weather."""
        return f"clear in {city}"

    async def run():
        client = openai.AsyncOpenAI(base_url=f"{desk.url}/v1", api_key="none")
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
    desk.person.up()
    request = desk.person.request()
    assert request.system_instruction == "Answer about the weather."
    assert "dry" in request.output_schema
    desk.person.answer(call("forecast", {"city": "Lisbon"}), call("forecast", {"city": "Porto"}))
    desk.person.up()
    assert results(desk.person.request()) == [
        ("forecast", '"clear in Lisbon"'),
        ("forecast", '"clear in Porto"'),
    ]
    desk.person.answer(text('{"city": "Lisbon", "dry": true}'))
    assert asked.result(PATIENCE) == Weather(city="Lisbon", dry=True)
