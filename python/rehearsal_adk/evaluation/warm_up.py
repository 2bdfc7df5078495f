"""Runs an agent of its own once, so that google-adk imports what it imports late.

google-adk imports hundreds of modules only when an agent first runs and calls a tool. Without this, the
process of every case would import them again.
"""

from __future__ import annotations

import asyncio
import importlib.util
import platform
import sys
from collections.abc import AsyncGenerator
from typing import Any

from google.adk.agents.llm_agent import LlmAgent
from google.adk.artifacts.in_memory_artifact_service import InMemoryArtifactService
from google.adk.flows.llm_flows import auto_flow  # For agents with sub-agents.
from google.adk.memory.in_memory_memory_service import InMemoryMemoryService
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import Runner
from google.adk.sessions.in_memory_session_service import InMemorySessionService
from google.adk.tools.agent_tool import AgentTool
from google.genai import types

_NAME = "rehearsal_warm_up"


class _Model(BaseLlm):
    """Calls the tool ``wait`` once, and then says something."""

    async def generate_content_async(
        self, llm_request: Any, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        last = llm_request.contents[-1].parts[-1]
        if last.function_response or "wait" not in llm_request.tools_dict:
            part = types.Part(text="Done")
        else:
            part = types.Part(function_call=types.FunctionCall(name="wait", args={"turns": 1}))
        yield LlmResponse(
            content=types.Content(role="model", parts=[part]),
            usage_metadata=types.GenerateContentResponseUsageMetadata(
                prompt_token_count=1, candidates_token_count=1
            ),
        )


def wait(turns: int) -> dict[str, int]:
    """Waits.

    Args:
      turns: How long.
    """
    return {"waited": turns}


def warm_up() -> None:
    """Runs the agent. It starts no thread, and keeps nothing."""
    # The clients of models send it with their requests. Python asks a process for it, once.
    platform.platform()
    # Not `asyncio.run`: after it, an agent that gets its loop at import finds none.
    loop = asyncio.new_event_loop()
    try:
        loop.run_until_complete(_run())
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()


def note_missing_modules() -> None:
    """Lets google-adk find at once that an optional module cannot be imported.

    It tries to import this one at each run, and each time Python compiles it up to the import that fails.
    Call this when the subject is imported, which may have brought the package along.
    """
    name = "google.adk.agents.remote_a2a_agent"
    if name not in sys.modules and importlib.util.find_spec("a2a") is None:
        sys.modules[name] = None  # type: ignore[assignment]


async def _run() -> None:
    model = _Model(model=_NAME)
    helper = LlmAgent(name="helper", model=model)
    agent = LlmAgent(name=_NAME, model=model, tools=[wait, AgentTool(agent=helper)])
    sessions = InMemorySessionService()
    runner = Runner(
        app_name=_NAME,
        agent=agent,
        session_service=sessions,
        artifact_service=InMemoryArtifactService(),
        memory_service=InMemoryMemoryService(),
    )
    session = await sessions.create_session(app_name=_NAME, user_id=_NAME)
    message = types.Content(role="user", parts=[types.Part(text="Wait")])
    async for _ in runner.run_async(user_id=_NAME, session_id=session.id, new_message=message):
        pass
