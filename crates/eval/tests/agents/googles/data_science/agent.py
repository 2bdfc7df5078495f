"""The agent of Google's eval set data-science: its tool runs another agent."""

from google.adk.agents import LlmAgent
from google.adk.tools import ToolContext
from google.adk.tools.agent_tool import AgentTool
from scripted import Scripted

_db_agent = LlmAgent(name="db_agent", model=Scripted(fixed="Canada, Finland, Italy"))


async def call_db_agent(question: str, tool_context: ToolContext) -> str:
    """Asks the agent of the database."""
    tool = AgentTool(agent=_db_agent)
    return await tool.run_async(args={"request": question}, tool_context=tool_context)


root_agent = LlmAgent(name="db_ds_multiagent", model=Scripted(), tools=[call_db_agent])
