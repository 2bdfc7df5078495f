"""An agent whose code calls tools that no model called: in a tool, in a callback, and in an agent of its own class."""

from google.adk.agents import BaseAgent, LlmAgent, SequentialAgent
from google.adk.events import Event
from google.adk.tools import FunctionTool, ToolContext
from google.genai import types


def book(room: str) -> dict:
    """Books a room."""
    raise RuntimeError("the real tool ran")


booking = FunctionTool(book)


async def book_all(tool_context: ToolContext) -> dict:
    """Books two rooms."""
    booked = [await booking.run_async(args={"room": room}, tool_context=tool_context) for room in "ab"]
    return {"booked": booked}


class Cleaner(BaseAgent):
    async def _run_async_impl(self, ctx):
        context = ToolContext(ctx, function_call_id="made-up")
        done = await booking.run_async(args={"room": "c"}, tool_context=context)
        yield Event(author=self.name, content=types.Content(role="model", parts=[types.Part(text=str(done))]))


clerk = LlmAgent(name="clerk", model="gemini-2.5-flash", tools=[booking, book_all])
root_agent = SequentialAgent(name="by_code", sub_agents=[clerk, Cleaner(name="cleaner")])
