"""An agent that uses libraries as their docs show it: at import, in a callback and in a tool without effects.

``ORDINARY`` names the modules of ``libraries`` to import. The state of a case names the one that it uses.
"""

import importlib
import inspect
import os
import traceback

from google.adk.agents import LlmAgent

FAILED = {}
LIBRARIES = {}
for name in os.environ["ORDINARY"].split(","):
    try:
        LIBRARIES[name] = importlib.import_module(f".libraries.{name}", __package__)
    except BaseException:
        FAILED[name] = traceback.format_exc()


async def use(name: str, function: str) -> object:
    if name in FAILED:
        raise ImportError(FAILED[name])
    result = getattr(LIBRARIES[name], function, lambda: None)()
    return await result if inspect.isawaitable(result) else result


async def before_agent(callback_context) -> None:
    callback_context.state["callback"] = str(await use(callback_context.state["library"], "callback"))


async def use_library(name: str) -> dict:
    """Uses a library."""
    return {"result": str(await use(name, "tool"))}


root_agent = LlmAgent(
    name="ordinary",
    model="gemini-2.5-flash",
    before_agent_callback=before_agent,
    tools=[use_library],
)
