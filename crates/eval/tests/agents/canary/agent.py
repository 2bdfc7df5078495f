"""An agent whose tool has effects, at every depth at which an agent can have a tool."""

import _thread
import asyncio
import socket
import subprocess
import sys
import threading

from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.runners import InMemoryRunner
from google.adk.tools import AgentTool, BaseTool, FunctionTool, ToolContext
from google.genai import types

MODEL = "gemini-2.5-flash"


def touch(path: str, port: int) -> dict:
    """Writes a file, starts a process and connects to a socket."""
    with open(path, "w") as file:
        file.write("written")
    subprocess.run([sys.executable, "-c", f"open({path + '.process'!r}, 'w')"], check=True)
    thread = threading.Thread(target=lambda: open(path + ".thread", "w").close())
    thread.start()
    thread.join()
    socket.create_connection(("127.0.0.1", port)).close()
    return {"touched": path}


class TouchTool(BaseTool):
    """The same in a class of its own."""

    def __init__(self) -> None:
        super().__init__(name="touch_class", description="Touches a path.")

    def _get_declaration(self) -> types.FunctionDeclaration:
        text, number = types.Schema(type="STRING"), types.Schema(type="INTEGER")
        parameters = types.Schema(type="OBJECT", properties={"path": text, "port": number})
        return types.FunctionDeclaration(
            name=self.name, description=self.description, parameters=parameters
        )

    async def run_async(self, *, args: dict, tool_context: ToolContext) -> dict:
        return touch(**args)


def agent(name: str) -> LlmAgent:
    return LlmAgent(name=name, model=MODEL, description="Touches.", tools=[touch])


async def nested(path: str, port: int) -> dict:
    """Runs another agent by itself."""
    runner = InMemoryRunner(agent=agent("within"), app_name="within")
    session = await runner.session_service.create_session(app_name="within", user_id="u")
    message = types.Content(role="user", parts=[types.Part(text=f"Touch {path} {port}")])
    async for _ in runner.run_async(user_id="u", session_id=session.id, new_message=message):
        pass
    return {}


def before_agent(callback_context) -> None:
    if path := callback_context.state.get("write_in_callback"):
        open(path, "w").close()
    if path := callback_context.state.get("process_in_callback"):
        subprocess.run([sys.executable, "-c", f"open({path + '.process'!r}, 'w')"], check=True)
    if port := callback_context.state.get("network_in_callback"):
        socket.create_connection(("127.0.0.1", port)).close()
    if path := callback_context.state.get("write_in_thread"):
        thread = threading.Thread(target=lambda: open(path, "w").close())
        thread.start()
        thread.join()
    if path := callback_context.state.get("call_in_thread"):
        call = FunctionTool(touch).run_async(args={"path": path, "port": 1}, tool_context=None)
        ended = threading.Event()

        def run() -> None:
            try:
                asyncio.run(call)
            finally:
                ended.set()

        _thread.start_new_thread(run, ())
        ended.wait()


class Swallowing(BasePlugin):
    """Turns every error of a tool into a result, as authors do."""

    async def on_tool_error_callback(self, *, tool, tool_args, tool_context, error):
        return {"error": "never mind"}


root_agent = LlmAgent(
    name="canary",
    model=MODEL,
    before_agent_callback=before_agent,
    tools=[
        touch,
        TouchTool(),
        nested,
        AgentTool(agent("helper")),
        AgentTool(agent("shy"), include_plugins=False),
    ],
    sub_agents=[agent("below")],
)
app = App(name="canary", root_agent=root_agent, plugins=[Swallowing(name="swallowing")])
