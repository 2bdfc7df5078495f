"""An agent that has effects at import, in a callback and in its tools, in the ways that it is given.

``EFFECTS_AT_IMPORT`` names a JSON file with canaries by the names of ways.
"""

import importlib.util
import json
import os
import tempfile

from google.adk.agents import LlmAgent
from google.adk.tools import ToolContext

from .ways import attempt, attempt_now

# Here they take their time once, and not in each process of a case.
for package in ("numpy", "pandas", "grpc", "tokenizers", "cffi"):
    if importlib.util.find_spec(package):
        importlib.import_module(package)

if named := os.environ.get("EFFECTS_AT_IMPORT"):
    with open(named) as file:
        AT_IMPORT = {way: attempt_now(way, canary) for way, canary in json.load(file).items()}
    # The import is at fault for what it tried, whatever it caught.
    raise RuntimeError(f"at_import {json.dumps(AT_IMPORT)}")


async def before_agent(callback_context) -> None:
    state = callback_context.state
    if state.get("in_writable_folder"):
        os.chdir(tempfile.gettempdir())
    if way := state.get("way"):
        state["outcome"] = await attempt(way, state["canary"])


async def touch(way: str, canary: dict, tool_context: ToolContext) -> dict:
    """Has an effect."""
    tool_context.state["outcome"] = await attempt(way, canary)
    return {}


root_agent = LlmAgent(
    name="effects", model="gemini-2.5-flash", before_agent_callback=before_agent, tools=[touch]
)
