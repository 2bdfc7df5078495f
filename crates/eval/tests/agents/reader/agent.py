"""An agent of google-adk with the tools of the library's MCP server."""

import os
import sys
from pathlib import Path

from google.adk.agents import LlmAgent
from google.adk.tools.mcp_tool import McpToolset, StdioConnectionParams
from mcp import StdioServerParameters

program = Path(__file__).parents[1] / "library" / "server.py"
server = StdioServerParameters(command=sys.executable, args=[str(program)], env=dict(os.environ))
library = McpToolset(
    connection_params=StdioConnectionParams(server_params=server, timeout=60),
    tool_name_prefix="library",
)
root_agent = LlmAgent(name="reader", model="gemini-2.5-flash", tools=[library])
