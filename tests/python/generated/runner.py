"""Runs cases of generated agents with google-adk's own runner, and prints what happened.

Standard input has a JSON list of ``{"folder", "agent", "cases", "is_ordered"}``. Standard output has a JSON object of
what happened in each case, by its name: ``events``, the ``state`` at the end, and ``answers`` with what was answered to
each tool that waited. The case is null if that depends on how long models and tools take, where agents run in parallel.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import logging
import sys
import warnings
from random import Random
from typing import Any

from google.adk.plugins.base_plugin import BasePlugin
from google.adk.plugins.plugin_manager import PluginManager
from google.adk.runners import InMemoryRunner
from google.genai import types
from pydantic_core import to_jsonable_python

from comparison import normal


class Watcher(BasePlugin):
    """Notes the events of agents that are used as tools, which the runner does not yield."""

    def __init__(self) -> None:
        super().__init__(name="watcher")
        self.session_id = ""
        self.events: list[Any] = []
        self.delays: Random | None = None
        """How long models and tools take, if that is to differ."""

    async def before_model_callback(self, **_: Any) -> None:
        """Waits."""
        if self.delays:
            await asyncio.sleep(self.delays.choice([0, 0.001, 0.01]))

    async def before_tool_callback(self, **_: Any) -> None:
        """Waits."""
        if self.delays:
            await asyncio.sleep(self.delays.choice([0, 0.001, 0.01]))

    async def on_event_callback(self, *, invocation_context: Any, event: Any) -> None:
        """Notes an event of another session."""
        if invocation_context.session.id != self.session_id:
            self.events += entries(event)


watcher = Watcher()


def plain(value: Any) -> Any:
    """The value as JSON."""
    return to_jsonable_python(value, by_alias=True, bytes_mode="base64")


def watch_all_runners() -> None:
    """Adds the watcher to the plugins of every runner, also of those that exclude the plugins of their caller."""
    original = PluginManager.__init__

    def with_watcher(self: Any, plugins: Any = None, *args: Any, **kwargs: Any) -> None:
        original(self, [one for one in plugins or () if one is not watcher], *args, **kwargs)
        self.plugins.insert(0, watcher)

    PluginManager.__init__ = with_watcher


def entries(event: Any) -> list[Any]:
    """What an event says: texts, calls, results, outputs of nodes and changes."""
    if event.partial:
        return []
    noted: list[Any] = []
    parts = (event.content.parts if event.content else None) or []
    text = "".join(part.text for part in parts if part.text and not part.thought)
    if text and event.author != "user":
        noted.append(["message", event.author, text])
    if usage := event.usage_metadata:
        tokens = usage.prompt_token_count or 0, usage.candidates_token_count or 0
        noted.append(["usage", event.author, event.model_version, *tokens])
    noted += [["call", call.id, event.author, call.name, call.args or {}] for call in event.get_function_calls()]
    noted += [["result", one.id, one.name, one.response] for one in event.get_function_responses()]
    if getattr(event, "output", None) is not None:
        names = [path.split("/")[-1].split("@")[0] for path in event.node_info.output_for or [event.node_info.path]]
        output = event.output if isinstance(event.output, dict) else {"result": event.output}
        noted += [["output", name, output] for name in names]
    if event.actions.state_delta:
        noted.append(["changes", dict(event.actions.state_delta)])
    return plain(noted)


async def run(agent: Any, case: dict[str, Any], delays: Random | None = None) -> dict[str, Any]:
    """What happens in a case."""
    watcher.delays = delays
    random = Random(case["name"])
    watcher.events = events = []
    runner = InMemoryRunner(**agent)
    service = runner.session_service
    session = await service.create_session(app_name=runner.app_name, user_id="user", state=case["state"])
    watcher.session_id = session.id
    answers: dict[str, list[Any]] = {}
    messages = [said(message) for message in case["messages"]]
    message = messages.pop(0)
    waiting_before: dict[str, dict[str, Any]] = {}
    try:
        while message:
            noted = [part.text for part in message.parts if part.text]
            if noted:
                events.append(["user", "".join(noted)])
            waiting: dict[str, dict[str, Any]] = {}
            async for event in runner.run_async(user_id="user", session_id=session.id, new_message=message):
                events += entries(event)
                note_waiting(event, waiting, waiting_before)
            for one in list(waiting.values()):
                waiting.pop(one["blocks"], None)
            message = None
            if waiting:
                parts = [answer(one, answers, random) for one in waiting.values()]
                # A ledger has them as results of their calls.
                responses = [part.function_response for part in parts]
                events += [
                    ["result", one.id, one.name, one.response]
                    for one in responses
                    if not one.name.startswith("adk_request_")
                ]
                message = types.Content(role="user", parts=parts)
            elif messages:
                message = messages.pop(0)
    except Exception as error:
        events.append(["error", str(error)])
    found = await service.get_session(app_name=runner.app_name, user_id="user", session_id=session.id)
    state = plain(found.state)
    return {"events": events, "state": state, "answers": answers}


def said(message: Any) -> Any:
    """What the user says, as google-adk takes it."""
    parts = [{"text": message}] if isinstance(message, str) else message["parts"]
    return types.Content(role="user", parts=[types.Part.model_validate_json(json.dumps(part)) for part in parts])


def note_waiting(event: Any, waiting: dict[str, Any], before: dict[str, Any]) -> None:
    """Notes the calls of an event that wait for a person, and those that have returned something meanwhile."""
    for call in event.get_function_calls():
        if call.id not in (event.long_running_tool_ids or ()):
            continue
        asks, blocks = call.name, None
        if call.name == "adk_request_confirmation":
            asks, blocks = call.args["originalFunctionCall"]["name"], call.args["originalFunctionCall"]["id"]
        elif call.name == "adk_request_input":
            asks = event.node_info.name
        before[call.id] = waiting[call.id] = {"call": call, "asks": asks, "blocks": blocks}
    for response in event.get_function_responses():
        if response.id in before:
            waiting[response.id] = before[response.id]


def answer(waits: dict[str, Any], answers: dict[str, list[Any]], random: Random) -> Any:
    """The answer of a person to a call that waits."""
    call, asks = waits["call"], waits["asks"]
    if call.name == "adk_request_confirmation":
        value: Any = {"confirmed": random.random() < 0.7}
    else:
        value = random.choice([{"status": "approved", "by": "Zoë"}, {"result": 7}, {}])
    answers.setdefault(asks, []).append(value)
    return types.Part(function_response=types.FunctionResponse(id=call.id, name=call.name, response=value))


async def main() -> None:
    """Runs all cases."""
    happened = {}
    for one in json.load(sys.stdin):
        sys.path.insert(0, one["folder"])
        module = importlib.import_module(f"{one['agent']}.agent")
        app = getattr(module, "app", None)
        agent = {"app": app} if app else {"agent": module.root_agent, "app_name": one["agent"]}
        for case in one["cases"]:
            first = await run(agent, case)
            others = [] if one["is_ordered"] else [await run(agent, case, Random(seed)) for seed in range(3)]
            is_defined = all(normal(other, False) == normal(first, False) for other in others)
            happened[case["name"]] = first if is_defined else None
    json.dump(happened, sys.stdout)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    watch_all_runners()
    asyncio.run(main())
