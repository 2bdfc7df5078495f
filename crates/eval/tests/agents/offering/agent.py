"""An agent with a toolset of its own, of which only a request of its model shows the tools."""

from google.adk.agents import LlmAgent
from google.adk.tools import FunctionTool
from google.adk.tools.base_toolset import BaseToolset


def find_room(date: str) -> str:
    """Finds a free room."""
    return f"301 on {date}"


class Rooms(BaseToolset):
    """Tools for rooms."""

    async def get_tools(self, readonly_context=None):
        """All of them."""
        return [FunctionTool(find_room)]


root_agent = LlmAgent(name="clerk", model="gemini-2.5-flash", tools=[Rooms()])
