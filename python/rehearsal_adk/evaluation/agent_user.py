"""Runs an agent of google-adk as a user agent of one case, with its own tools and models.

The arguments are the agent's folder and, if the case gives it one, the name of its model at every depth. Standard input
has a line for each message to the agent: ``{"id", "heard", "prompt"}``. ``heard`` is the conversation before it, as
pairs of what the agent under test said and what the user answered; it is null for a message that is not part of the
conversation. Standard output has one line for each answer: ``{"id", "calls", "usage"}`` with the agent's final ``text``
or the ``error`` in place of it. All messages go to one session.
"""

from __future__ import annotations

import asyncio
import functools
import json
import sys
from typing import Any, BinaryIO

from rehearsal_adk import adk_private, faults, jsonable, loading
from rehearsal_adk.evaluation import current, pipes

USER = "user"


def main() -> None:
    """Serves until standard input ends."""
    lines, out = pipes.own()
    sys.dont_write_bytecode = True
    folder, *model = sys.argv[1:]
    user = AgentUser(folder, *model)
    with lines, out, current.running(user):
        asyncio.run(_serve(user, lines, out))


async def _serve(user: AgentUser, lines: BinaryIO, out: BinaryIO) -> None:
    read = functools.partial(asyncio.get_running_loop().run_in_executor, None, lines.readline)
    # One after the other: they are turns of one session.
    while line := await read():
        call = json.loads(line)
        answer = await user.answer(call["heard"], call["prompt"])
        out.write(jsonable.lenient({"id": call["id"], **answer}) + b"\n")
        out.flush()


class AgentUser:
    """The agent and its session."""

    def __init__(self, folder: str, model: str | None = None) -> None:
        self._folder = folder
        self._model_name = model
        self._model: Any = None
        self._root: Any = None
        self._runner: Any = None
        self._session_id = ""
        self._notes: Any = None
        self._heard = 0
        self._answered: list[str] = []

    async def answer(self, heard: list[tuple[str, str]] | None, prompt: str) -> dict[str, Any]:
        """What the agent answers to the prompt, with its calls and what its models took."""
        answer: dict[str, Any]
        try:
            if self._runner is None:
                await self._open()
            if heard is not None:
                await self._hear(heard)
            answer = {"text": await self._said(prompt)}
            if heard is not None:
                self._answered.append(prompt)
        except BaseException as error:  # Every message gets an answer, whatever the agent does.
            answer = {"error": faults.describe(error)}
        calls, usage = self._notes.taken() if self._notes else ([], [])
        return {**answer, "calls": calls, "usage": usage}

    def model_of(self, agent: Any) -> Any:
        """The model that the case gives the agents; None if they have their own."""
        return self._model(agent) if self._model is not None else None

    async def _open(self) -> None:
        from google.adk.artifacts.in_memory_artifact_service import InMemoryArtifactService
        from google.adk.memory.in_memory_memory_service import InMemoryMemoryService
        from google.adk.runners import Runner
        from google.adk.sessions.in_memory_session_service import InMemorySessionService

        loading.adk_version()
        adk_private.check("evaluation")
        from rehearsal_adk.evaluation import agent_user_notes, given_model

        if self._model_name is not None:
            given_model.install()
        notes = agent_user_notes.Notes()
        agent_user_notes.unwrap_state_changes(notes)
        loaded = loading.load(self._folder)
        if self._model_name is not None:
            # Now the agent's `.env` is loaded, which may have the key.
            self._model = given_model.chosen(None, {"named": self._model_name})
        self._root = loaded.root
        root = {"app": loaded.app} if loaded.app is not None else {"agent": loaded.root}
        runner = Runner(
            app_name=loaded.app_name,
            session_service=InMemorySessionService(),
            artifact_service=InMemoryArtifactService(),
            memory_service=InMemoryMemoryService(),
            **root,
        )
        # First, so that no plugin of the agent answers before it.
        runner.plugin_manager.plugins.insert(0, notes)
        session = await runner.session_service.create_session(app_name=loaded.app_name, user_id=USER)
        self._session_id = session.id
        self._notes, self._runner = notes, runner

    async def _hear(self, heard: list[tuple[str, str]]) -> None:
        """Adds to the session what others have answered for the user since."""
        new, self._heard = heard[self._heard :], len(heard)
        for prompt, said in new:
            if prompt in self._answered:
                self._answered.remove(prompt)
                continue
            await self._append(USER, "user", prompt)
            await self._append(self._root.name, "model", said)

    async def _append(self, author: str, role: str, text: str) -> None:
        from google.adk.events.event import Event
        from google.genai import types

        sessions = self._runner.session_service
        session = await sessions.get_session(
            app_name=self._runner.app_name, user_id=USER, session_id=self._session_id
        )
        content = types.Content(role=role, parts=[types.Part(text=text)])
        await sessions.append_event(session, Event(author=author, content=content))

    async def _said(self, prompt: str) -> str:
        """The last final response of the turn."""
        from google.genai import types

        said = ""
        reason = "its turn ended without a text"
        message = types.Content(role="user", parts=[types.Part(text=prompt)])
        async for event in self._runner.run_async(
            user_id=USER, session_id=self._session_id, new_message=message
        ):
            if event.partial:
                continue
            text = _text(event)
            if event.long_running_tool_ids:
                waiting = [one.name for one in event.get_function_calls() if one.id in event.long_running_tool_ids]
                reason = f"it waits for the response to a call of {', '.join(waiting)}, which nobody gives a user agent"
            elif event.is_final_response() and text:
                said = text
            elif event.error_code and not text:
                reason = f"the model of {event.author} gave no answer ({event.error_code}: {event.error_message})"
                said = ""
        if not said:
            raise faults.Fault("NoAnswer", f"{self._root.name} gave no answer: {reason}")
        return said


def _text(event: Any) -> str:
    parts = event.content.parts or () if event.content else ()
    return "".join(part.text for part in parts if part.text and not part.thought).strip()


if __name__ == "__main__":
    main()
