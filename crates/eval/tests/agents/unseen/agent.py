"""An agent with parts that cannot be intercepted, at several depths."""

from google.adk.agents import LlmAgent
from google.adk.code_executors import BuiltInCodeExecutor
from google.adk.tools import AgentTool, google_search
from google.adk.tools.mcp_tool import McpToolset, StdioConnectionParams
from mcp import StdioServerParameters

MODEL = "gemini-2.5-flash"

coder = LlmAgent(name="coder", model=MODEL, code_executor=BuiltInCodeExecutor())
searcher = LlmAgent(name="searcher", model=MODEL, tools=[google_search])
server = StdioConnectionParams(server_params=StdioServerParameters(command="never-started"))
librarian = LlmAgent(name="librarian", model=MODEL, tools=[McpToolset(connection_params=server)])
root_agent = LlmAgent(
    name="asker", model=MODEL, tools=[AgentTool(searcher)], sub_agents=[coder, librarian]
)
