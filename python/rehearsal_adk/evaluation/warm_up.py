"""Runs a case of an agent of its own, so that what a first case takes time for is done before the fork.

google-adk imports hundreds of modules only when an agent first runs and calls a tool, pydantic builds models when they
are first used, and Python adapts its code to what it does. Without this, the process of every case would do all that
again, and would copy the memory that it changes.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import json
import os
import platform
import socket
import sys
from collections.abc import AsyncGenerator
from functools import partial
from typing import Any

from google.adk.agents.llm_agent import LlmAgent
from google.adk.flows.llm_flows import auto_flow  # For agents with sub-agents.
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.models.registry import LLMRegistry
from google.adk.tools.agent_tool import AgentTool
from google.adk.tools.function_tool import FunctionTool
from google.genai import types

from rehearsal_adk import adk_private
from rehearsal_adk.evaluation import endpoints, given_model, output_schema, unseen
from rehearsal_adk.evaluation.case_run import CaseRun
from rehearsal_adk.loading import LoadedAgent

_NAME = "rehearsal_warm_up"
_CASES = 8
"""How often Python 3.11 runs a function before it adapts its code."""


class _Model(BaseLlm):
    """Calls the tool ``wait`` twice, and then says something."""

    async def generate_content_async(
        self, llm_request: Any, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        waited = sum(
            1 for content in llm_request.contents for part in content.parts if part.function_call
        )
        if waited == 2 or "wait" not in llm_request.tools_dict:
            part = types.Part(text="Done")
        else:
            call = types.FunctionCall(name="wait", args={"turns": waited})
            part = types.Part(function_call=call)
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
    platform.processor()
    # Not `asyncio.run`: after it, an agent that gets its loop at import finds none.
    loop = asyncio.new_event_loop()
    try:
        for _ in range(_CASES):
            loop.run_until_complete(_case())
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()


def uncompiled() -> list[str]:
    """The files of imported modules of which Python has kept no compiled form, as it does where it may write."""
    if sys.dont_write_bytecode:
        return []
    modules = [(getattr(one, "__file__", None), getattr(one, "__cached__", None)) for one in sys.modules.values()]
    return [file for file, cached in modules if file and cached and not os.path.exists(cached)]


def note_missing_modules() -> None:
    """Lets google-adk find at once that an optional module cannot be imported.

    It tries to import this one at each run, and each time Python compiles it up to the import that fails.
    Call this when the subject is imported, which may have brought the package along.
    """
    name = "google.adk.agents.remote_a2a_agent"
    if name not in sys.modules and importlib.util.find_spec("a2a") is None:
        sys.modules[name] = None  # type: ignore[assignment]


def declare(root: Any) -> None:
    """Lets google-adk and the gate find the declarations of the agent's functions, of which they read the signatures.

    Call this when the subject is imported.
    """
    for function in unseen.functions(root):
        tool = FunctionTool(function)
        with contextlib.suppress(Exception):  # A case that gets there meets it again.
            adk_private.DECLARATION.of(tool)()
            output_schema.of(tool)


def load_models(root: Any, name: str | None) -> None:
    """Imports what the models need that the agents name themselves, or the model of this name. What is raised, a case that
    asks the model meets again."""
    named = LLMRegistry.new_llm
    of_agents = [agent for agent in unseen.agents(root) if isinstance(agent, LlmAgent)]
    models = [lambda: named(name)] if name else [partial(given_model.own, it) for it in of_agents]
    for model in models:
        with contextlib.suppress(Exception):
            # google-adk imports LiteLLM, which takes many seconds, when it first asks.
            if type(model()).__name__ == "LiteLlm":
                adk_private.IMPORT_LITELLM.value()()


def model_ports(root: Any) -> list[int]:
    """The TCP ports that requests of models may need: of those that the agents name, and of services."""
    own = []
    for agent in unseen.agents(root):
        if isinstance(agent, LlmAgent):
            with contextlib.suppress(Exception):  # A case that asks the model meets it again.
                own.append(given_model.own(agent))
    return endpoints.ports(own)


async def _case() -> None:
    model = _Model(model=_NAME)
    helper = LlmAgent(name="helper", model=model)
    agent = LlmAgent(name=_NAME, model=model, tools=[wait, AgentTool(agent=helper)])
    loaded = LoadedAgent(app_name=_NAME, entry="root_agent", root=agent, app=None)
    ours, engines = socket.socketpair()
    case = asyncio.ensure_future(CaseRun(loaded).serve(ours))
    reader, writer = await asyncio.open_connection(sock=engines)
    await _be_the_engine(reader, writer)
    writer.close()
    await case


async def _be_the_engine(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Opens the case, runs it once, and lets its tools run and its models be asked."""

    def send(message: dict[str, Any]) -> None:
        writer.write(json.dumps(message).encode() + b"\n")

    opening = {
        "state": {},
        "tools": ["wait"],
        "real": [],
        "sealed": [],
        "declared": [],
        "stateful": [],
        "others_stateful": False,
        "answers_others": False,
        "model_timeout_ms": 60_000,
        "check_models": False,
        "allow": [],
    }
    send({"id": 1, "method": "open", "params": opening})
    send({"id": 2, "method": "run", "params": {"text": "Wait"}})
    while line := await reader.readline():
        message = json.loads(line)
        if "method" not in message:
            if message["id"] == 2:
                return
        elif "id" in message:
            is_tool = message["method"] == "tool"
            send({"id": message["id"], "result": {"do": "run"} if is_tool else {}})
