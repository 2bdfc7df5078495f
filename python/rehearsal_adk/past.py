"""The events of a session that the page restores after its host ended.

A worker that replaces another gets the recorded events. After the host itself ended, only the page's
history is left. This module writes the events that ADK's contents processor, the runner's choice of the
agent and the numbering of turns need. What the history lacks stays lost: events of callbacks, requests
for confirmations, and the parts of results that are images, sounds or files.
"""

from __future__ import annotations

from typing import Any

from rehearsal_adk import tree
from rehearsal_adk.loading import LoadedAgent

TRANSFER = "transfer_to_agent"
"""ADK's tool that makes another agent active."""


class _Conversation:
    """The events so far, and the agent that is active after them."""

    def __init__(self, loaded: LoadedAgent, session_id: str) -> None:
        self.root = loaded.root
        self.session_id = session_id
        self.agent = tree.first_llm(loaded.root) or loaded.root
        self.events: list[Any] = []
        self.number = 0

    def add(self, author: str, role: str, part: Any, **more: Any) -> None:
        from google.adk.events.event import Event
        from google.genai import types

        invocation_id = f"{self.session_id}_inv_{self.number}"
        content = types.Content(role=role, parts=[part])
        self.events.append(
            Event(invocation_id=invocation_id, author=author, content=content, **more)
        )

    def add_turn(self, number: int, turn: dict) -> None:
        from google.genai import types

        if number > 0:
            self.agent = tree.next_agent(self.root, self.agent)
        self.number = number
        self.add("user", "user", types.Part(text=turn["query"]))
        for call in turn["calls"]:
            self.add_call(call)
        if turn["final_response"] is not None:
            part = types.Part(text=turn["final_response"])
            event_id = f"{self.session_id}_inv_{number}_final"
            self.add(self.agent.name, "model", part, id=event_id)

    def add_call(self, call: dict) -> None:
        from google.adk.events.event_actions import EventActions
        from google.genai import types

        author, named = self.agent.name, {"id": call["call_id"], "name": call["tool"]}
        made = types.FunctionCall(**named, args=call["args"])
        self.add(author, "model", types.Part(function_call=made))
        actions = EventActions()
        if call["tool"] == TRANSFER and not call["failed"]:
            self.transfer(call["args"].get("agent_name"), actions)
        answered = types.FunctionResponse(**named, response=call["response"])
        self.add(author, "user", types.Part(function_response=answered), actions=actions)

    def transfer(self, name: object, actions: Any) -> None:
        chosen = tree.find(self.root, name) if isinstance(name, str) else None
        target = tree.first_llm(chosen) if chosen is not None else None
        if target is not None:
            self.agent = target
            actions.transfer_to_agent = name


def events(loaded: LoadedAgent, session_id: str, turns: list[dict]) -> list[Any]:
    """The events of these turns: ``{query, calls: [{call_id, tool, args, response, failed}],
    final_response|null}``."""
    conversation = _Conversation(loaded, session_id)
    for number, turn in enumerate(turns):
        conversation.add_turn(number, turn)
    return conversation.events
