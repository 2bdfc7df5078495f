"""A toolset over HTTP with SSE goes through google-adk."""

import socket
import subprocess
import sys

from conftest import FIXTURES, eventually

AGENT = """
import os

from google.adk.agents import LlmAgent
from google.adk.tools.mcp_tool import McpToolset
from google.adk.tools.mcp_tool.mcp_session_manager import SseConnectionParams

root_agent = LlmAgent(
    name="clock",
    model="gemini-2.5-flash",
    instruction="Wait.",
    tools=[McpToolset(connection_params=SseConnectionParams(url=os.environ["CLOCK_URL"]))],
)
"""


def test_a_toolset_over_http_with_sse(worker, tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    def is_up() -> bool:
        with socket.socket() as client:
            return client.connect_ex(("127.0.0.1", port)) == 0

    server = subprocess.Popen([sys.executable, FIXTURES / "sse_server.py", str(port)])
    try:
        eventually(is_up, seconds=60)
        folder = tmp_path / "clock"
        folder.mkdir()
        (folder / "__init__.py").write_text("from . import agent\n")
        (folder / "agent.py").write_text(AGENT)
        one = worker(folder, env={"CLOCK_URL": f"http://127.0.0.1:{port}/sse"})
        one.open()
        result = one.call("wait", seconds=3)["result"]
        assert result["content"][0]["text"] == "waited 3 s"
    finally:
        server.terminate()
        server.wait()
