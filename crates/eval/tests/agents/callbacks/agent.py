"""An agent with callbacks and a plugin around its tools."""

from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.plugins.base_plugin import BasePlugin


def find(name: str) -> dict:
    """Finds a person.

    Args:
      name: Who.
    """
    raise RuntimeError(f"{name} was looked up")


def before(tool, args, tool_context):
    args["name"] = args["name"].upper()


def after(tool, args, tool_context, tool_response):
    return {**tool_response, "checked": True}


class Noting(BasePlugin):
    """Notes in the state which tools were called."""

    async def before_tool_callback(self, *, tool, tool_args, tool_context):
        tool_context.state["noted"] = tool.name


root_agent = LlmAgent(
    name="callbacks",
    model="gemini-2.5-flash",
    tools=[find],
    before_tool_callback=before,
    after_tool_callback=after,
)
app = App(name="callbacks", root_agent=root_agent, plugins=[Noting(name="noting")])
