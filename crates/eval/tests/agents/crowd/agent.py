"""An agent that keeps what it is given wherever Python code can keep something."""

import asyncio
import os
import sys

from google.adk.agents import LlmAgent
from google.adk.tools import ToolContext
from google.genai import types
from pydantic import PrivateAttr

MODULE: list[str] = []
FILE = "who.txt"


class Agent(LlmAgent):
    """An agent with a field of its own."""

    _field: list[str] = PrivateAttr(default_factory=list)


class Place:
    """A class with an attribute that all its objects share."""

    shared: list[str] = []


def _closure():
    kept: list[str] = []

    def keep(who: str) -> list[str]:
        kept.append(who)
        return list(kept)

    return keep


_keep = _closure()


async def remember(who: str, tool_context: ToolContext) -> dict:
    """Keeps a name everywhere."""
    MODULE.append(who)
    Place.shared.append(who)
    root_agent._field.append(who)
    _keep(who)
    os.environ["WHO"] = os.environ.get("WHO", "") + who
    for scope in ("", "user:", "app:"):
        tool_context.state[f"{scope}met"] = tool_context.state.get(f"{scope}met", []) + [who]
    await tool_context.save_artifact(FILE, types.Part(text=who))
    await tool_context.save_artifact(f"user:{FILE}", types.Part(text=who))
    return {"remembered": who}


async def meet(place: str, cases: int) -> dict:
    """Waits until this many cases wait here."""
    descriptor = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.write(descriptor, b".")
    os.close(descriptor)
    while os.path.getsize(place) < cases:
        await asyncio.sleep(0.1)
    return {"met": cases}


async def recall(who: str, tool_context: ToolContext) -> dict:
    """Returns everything that was kept, with this name added last where that is possible."""
    text = await tool_context.load_artifact(FILE)
    of_user = await tool_context.load_artifact(f"user:{FILE}")
    return {
        "module": MODULE,
        "class": Place.shared,
        "agent": root_agent._field,
        "closure": _keep(who),
        "environment": os.environ["WHO"],
        "state": [tool_context.state[f"{scope}met"] for scope in ("", "user:", "app:")],
        "given": [tool_context.state[f"{scope}who"] for scope in ("", "user:", "app:")],
        "artifacts": [text.text, of_user.text],
        "messages": [
            part.text
            for event in tool_context.session.events
            if event.author == "user"
            for part in event.content.parts
        ],
    }


def imported() -> list[str]:
    """Returns the modules that were imported after this one, but for those of Rehearsal."""
    return sorted(
        name
        for name, module in sys.modules.items()
        if module and name not in _MODULES and not name.startswith("rehearsal_adk.")
    )


def importer() -> int:
    """Returns the number of the process that imported the agent."""
    return os.getppid()


root_agent = Agent(
    name="crowd", model="gemini-2.5-flash", tools=[remember, meet, recall, imported, importer]
)
_MODULES = set(sys.modules)
