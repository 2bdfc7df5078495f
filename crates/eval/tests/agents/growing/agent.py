"""An agent whose tools nobody knows beforehand: a toolset and a callback add them, and an agent used as a tool has its own."""

from google.adk.agents import LlmAgent
from google.adk.tools import AgentTool, FunctionTool
from google.adk.tools.base_toolset import BaseToolset

MODEL = "gemini-2.5-flash"


def seats(flight: str) -> dict:
    """Counts the free seats of a flight."""
    raise RuntimeError("the real tool ran")


def book(flight: str) -> dict:
    """Books a seat on a flight."""
    raise RuntimeError("the real tool ran")


def weather(city: str) -> str:
    """Says how the weather is."""
    raise RuntimeError("the real tool ran")


class Flights(BaseToolset):
    """Has its tools only when it is asked."""

    async def get_tools(self, readonly_context=None):
        """The tool."""
        return [FunctionTool(seats)]


async def add_booking(callback_context, llm_request):
    """Adds a tool to the request."""
    llm_request.append_tools([FunctionTool(book)])


forecaster = LlmAgent(name="forecaster", model=MODEL, description="Forecasts.", tools=[weather])
root_agent = LlmAgent(
    name="growing",
    model=MODEL,
    tools=[Flights(), AgentTool(forecaster)],
    before_model_callback=add_booking,
)
