"""One rehearsal's services, events and state, and the changes of each call.

Each rehearsal has its own in-memory services, so that ``app:`` and ``user:`` state, artifacts and
memory of one tab never appear in the golden trace of another. Its events go through the session
service as in ADK's runner, including the plugins' ``on_event_callback``. ``invocation`` starts and
ends the run.

A call works on a copy of the session. The copy replaces the session if the call succeeds. If it fails
or is canceled, only its events are kept, because ADK never commits the state changes of a tool that
raises. Later changes by an abandoned thread go to the copy and are lost.
"""

from __future__ import annotations

import base64
import contextlib
import copy
import logging
import warnings
from typing import Any

from rehearsal_adk import adk_private, jsonable, tree
from rehearsal_adk.faults import Fault, message_of
from rehearsal_adk.loading import LoadedAgent

logger = logging.getLogger("rehearsal_adk")


class RehearsalSession:
    """One rehearsal in the worker."""

    def __init__(self, loaded: LoadedAgent, session_id: str, user_id: str) -> None:
        from google.adk.agents.run_config import RunConfig
        from google.adk.auth.credential_service.in_memory_credential_service import (
            InMemoryCredentialService,
        )
        from google.adk.memory.in_memory_memory_service import InMemoryMemoryService
        from google.adk.plugins.plugin_manager import PluginManager
        from google.adk.sessions.in_memory_session_service import InMemorySessionService

        from rehearsal_adk.observer import ToolObserver

        self.loaded = loaded
        self.id = session_id
        self.user_id = user_id
        self.agent = tree.first_llm(loaded.root) or loaded.root
        self.observer = ToolObserver()
        self.session_service = InMemorySessionService()
        self._saved: list = []
        self.artifacts: list[dict] = []
        """What the page lists of each saved version of an artifact, in order."""
        self.artifact_service = _recording_artifacts(self._saved, self.artifacts)
        self.memory_service = InMemoryMemoryService()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # ADK warns that the service is experimental.
            self.credential_service = InMemoryCredentialService()
        self.plugin_manager = PluginManager(plugins=[self.observer, *loaded.plugins])
        self.run_config = RunConfig()
        self.session: Any = None
        self.user_content: Any = None
        self.tools: dict = {}
        self.last_view: dict | None = None
        self.max_result_bytes = 0
        """The maximum size of a result in bytes of JSON; set by the worker."""
        self.running: str | None = None
        """The id of the running call, or the name of the running step."""
        self.asked: Any = None
        """While a model call is open: the actions of its response, which callbacks change."""
        self.seen: dict | None = None
        """The view of the last model call's request after its callbacks, if any ran."""
        self.ended = False
        """Whether a tool ended the run, so that no model call follows."""
        self.over = False
        """Whether the final response of the current turn was sent."""
        self.play: Any = None
        """The agent that the person plays for a call of this session, if any; see ``playing``."""
        self.caller: RehearsalSession | None = None
        """The session whose call is played here, if any."""
        self.called_by: str | None = None
        """The id of that call."""
        self.differences: list[dict] = []
        """What ADK's runner would do otherwise, for the export: see ``differ``."""
        self.resumed = False
        """Whether another worker ran an earlier part of the session."""
        self.has_run = True
        """Whether the agent has a run of its own, or is a part of its caller's: then no callbacks of
        plugins around a run are called."""
        self.turn = 0
        """The number of the current turn, from 0. Each turn is an invocation."""
        self.started: set[str] = set()
        """All call ids of the session, to reject duplicates."""
        self._notices: list[str] = []
        self._notices_reported = 0
        self._differences_reported = 0
        self._state_texts: dict[str, jsonable.JsonBytes] = {}
        self._new_events: list = []
        self._touched = False

    @property
    def innermost(self) -> "RehearsalSession":
        """The session that the person acts in: that of the innermost agent that is played."""
        session = self
        while session.play is not None:
            session = session.play.session
        return session

    @property
    def invocation_id(self) -> str:
        """The id of the current turn's invocation in events."""
        return f"{self.id}_inv_{self.turn}"

    @property
    def final_event_id(self) -> str:
        """The id of the final response's event. A turn with this event is over."""
        return f"{self.invocation_id}_final"

    async def open(self, state: dict, restore: dict | None) -> None:
        """Creates the session, or rebuilds it from what the host recorded.

        Raises:
          Fault: the restore names an agent that is not in the tree.
        """
        given = dict((restore or {}).get("state", state) or {})
        self.session = await self.session_service.create_session(
            app_name=self.loaded.app_name, user_id=self.user_id, session_id=self.id, state=given
        )
        # The service drops `temp:` keys, which last for one invocation, as a rehearsal does.
        self.session.state.update(given)
        if restore:
            await self._rebuild(restore)
        self.remember_state()

    async def _rebuild(self, restore: dict) -> None:
        from google.adk.events.event import Event
        from google.adk.events.event_actions import EventActions
        from google.genai import types

        name = restore.get("agent")
        if name:
            agent = tree.find(self.loaded.root, name)
            if agent is None:
                raise Fault(
                    "UnknownAgent",
                    f"The session was with the agent {name}, which is no longer in the tree of "
                    f"{self.loaded.app_name}. Start the rehearsal again.",
                )
            self.agent = agent
        for artifact in restore.get("artifacts") or ():
            await self.artifact_service.save_artifact(
                app_name=self.loaded.app_name,
                user_id=self.user_id,
                session_id=self.id,
                filename=artifact["filename"],
                artifact=_part_of(artifact),
            )
        self._saved.clear()
        final = dict(self.session.state)
        for recorded in restore.get("events") or ():
            event = Event.model_validate(recorded)
            await self.session_service.append_event(session=self.session, event=event)
            self.started.update(call.id for call in event.get_function_calls() if call.id)
            if self._begins_turn(event):
                if self.user_content is not None:
                    self.next_turn()
                self.user_content = event.content
            self.ended = self.ended or ends_run(event)
            self.over = self.over or event.id == self.final_event_id
        # Appending the events applied their state deltas. Restore the recorded state.
        self.session.state.clear()
        self.session.state.update(final)
        text = restore.get("user_text")
        if self.user_content is None and text is not None:
            self.user_content = types.Content(role="user", parts=[types.Part(text=text)])
        self.resumed = self.user_content is not None
        # The before-model callbacks ran in the earlier worker.
        if self.goes_on:
            self.asked = EventActions()

    def _begins_turn(self, event) -> bool:
        """Whether a restored event is a user's query."""
        is_first = self.user_content is None or self.over
        return is_first and event.author == "user" and bool(event.content)

    def next_turn(self) -> None:
        """Begins the next turn. Notices and `temp:` state last for one."""
        self.turn += 1
        self.over = self.ended = False
        self.asked = self.seen = None
        self._notices.clear()
        self._notices_reported = 0
        for key in [key for key in self.session.state if key.startswith("temp:")]:
            del self.session.state[key]

    @property
    def goes_on(self) -> bool:
        """Whether ADK would call the model next, once no tool call is running."""
        return self.user_content is not None and not self.ended and not self.over

    def invocation(self, session=None):
        """An ADK invocation context for the active agent, with this session's services."""
        from google.adk.agents.invocation_context import InvocationContext

        return InvocationContext(
            session_service=self.session_service,
            artifact_service=self.artifact_service,
            memory_service=self.memory_service,
            credential_service=self.credential_service,
            plugin_manager=self.plugin_manager,
            invocation_id=self.invocation_id,
            agent=self.agent,
            user_content=self.user_content,
            session=session if session is not None else self.session,
            run_config=self.run_config,
            resumability_config=getattr(self.loaded.app, "resumability_config", None),
        )

    def working_copy(self):
        """A copy of the session for one call, with the same history and its own state."""
        try:
            state = copy.deepcopy(self.session.state)
        except Exception as error:  # State with objects that cannot be copied is shared.
            logger.debug("The state cannot be copied: %s", error)
            state = dict(self.session.state)
        return self.session.model_copy(update={"state": state, "events": list(self.session.events)})

    def keep(self, worked) -> None:
        """Replaces the session with the copy of a call that succeeded."""
        self.session = worked

    def keep_events_only(self, worked) -> None:
        """Keeps the events of a call that failed, without its state changes."""
        self.session = self.session.model_copy(update={"events": list(worked.events)})

    async def append(self, context, event, from_user: bool = False) -> None:
        """Appends an event as the runner does: after the plugins' callbacks, unless it is the user's."""
        if not from_user:
            replaced = await self.plugin_manager.run_on_event_callback(
                invocation_context=context, event=event
            )
            if replaced is not None:
                event = event.model_copy(
                    update={
                        name: getattr(replaced, name)
                        for name in replaced.model_fields_set - {"id", "invocation_id", "timestamp"}
                    }
                )
        await self.session_service.append_event(session=context.session, event=event)
        self._new_events.append(event)

    def notice(self, text: str) -> None:
        """Adds a warning to the view, once."""
        if text not in self._notices:
            self._notices.append(text)

    def differ(self, text: str, in_turn: bool = True, call_id: str | None = None) -> None:
        """Adds a difference between this session and a run of ADK's runner, once: a sentence with the way out.
        With ``in_turn``, a case without this turn does not have it. With ``call_id``, neither does a case without
        that call."""
        said = f"In turn {self.turn + 1}, {text}" if in_turn else text
        one = {"text": said, "turn": self.turn if in_turn else None, "call_id": call_id}
        if one not in self.differences:
            self.differences.append(one)

    @property
    def notices(self) -> list[str]:
        """All notices of the session."""
        return list(self._notices)

    @contextlib.contextmanager
    def noticed(self, what: str):
        """Turns an exception in the block into a notice."""
        try:
            yield
        except Exception as error:
            logger.exception("The %s failed", what)
            self.notice(
                f"The {what} raised {type(error).__name__}: {message_of(error)}. "
                "ADK would end the run here."
            )
            self.differ(
                f"the {what} raised {type(error).__name__}, where google-adk ends the run: leave the turn out of "
                "the case, or handle the exception."
            )

    def view_may_have_changed(self) -> bool:
        """Whether the last delta, or an instruction from a function, may have changed the view.

        Building a view takes a few milliseconds and lists every toolset's tools, so it is skipped
        after a call that changes nothing in the view.
        """
        made_by_function = callable(getattr(self.agent, "instruction", None))
        return self._touched or made_by_function

    def state_text(self) -> jsonable.JsonBytes:
        """The whole state as JSON."""
        return jsonable.compose(self._state_texts)

    def remember_state(self) -> dict[str, jsonable.JsonBytes]:
        """Stores the current state as the known one and returns the changes since the last one."""
        before = self._state_texts
        now = {str(key): jsonable.lenient(value) for key, value in self.session.state.items()}
        changed = {key: text for key, text in now.items() if before.get(key) != text}
        changed.update({key: jsonable.JsonBytes(b"null") for key in before if key not in now})
        self._state_texts = now
        return changed

    def forget_state(self) -> None:
        """Makes the next delta contain the whole state."""
        self._state_texts = {}

    def take_delta(self) -> jsonable.JsonBytes:
        """The changes of state, artifacts and events since the last delta, as the host records them: those
        of the outermost session, and within them those of each agent that is played."""
        session, delta = self, self._own_delta(None)
        while session.caller is not None:
            played = {"call_id": session.called_by, "agent": session.agent.name, "delta": delta}
            session = session.caller
            delta = session._own_delta(jsonable.compose(played))
            # An artifact of a played agent is its caller's.
            self._touched = self._touched or session._touched
        return delta

    def _own_delta(self, played: jsonable.JsonBytes | None) -> jsonable.JsonBytes:
        events, self._new_events = self._new_events, []
        changed = self.remember_state()
        saved = self._saved.copy()
        self._saved.clear()
        said = len(self._notices) != self._notices_reported
        differs = len(self.differences) != self._differences_reported
        self._touched = bool(changed or saved) or said or differs
        self._notices_reported = len(self._notices)
        self._differences_reported = len(self.differences)
        members = {
            "state": jsonable.compose(changed),
            "artifacts": [_artifact_record(*one) for one in saved],
            "events": jsonable.listed([event_text(event) for event in events]),
        }
        return jsonable.compose(members if played is None else {**members, "played": played})


def ends_run(event) -> bool:
    """Whether ADK ends the run after this tool response."""
    actions = event.actions
    if actions.transfer_to_agent or actions.requested_tool_confirmations:
        return False
    if actions.skip_summarization or getattr(actions, "set_model_response", None) is not None:
        return True
    return finishes_task(event)


def finishes_task(event) -> bool:
    """Whether this event finishes the task of an agent in task mode."""
    return adk_private.FINISHES_TASK.exists() and adk_private.FINISHES_TASK.value()(event)


def event_text(event) -> jsonable.JsonBytes:
    """An ADK event as JSON that ``Event.model_validate`` reads back."""
    try:
        plain = event.model_dump(mode="json", by_alias=True, exclude_none=True)
    except Exception:  # A response may contain an object without a JSON form.
        plain = event.model_dump(mode="python", by_alias=True, exclude_none=True)
    return jsonable.lenient(plain)


def _recording_artifacts(saved: list, listed: list):
    """ADK's in-memory artifact service that also adds each saved artifact to both lists."""
    from google.adk.artifacts.in_memory_artifact_service import InMemoryArtifactService

    class RecordingArtifacts(InMemoryArtifactService):
        async def save_artifact(self, *, filename, artifact, **rest):
            version = await super().save_artifact(filename=filename, artifact=artifact, **rest)
            saved.append((filename, version, artifact))
            listed.append(_artifact_facts(filename, version, artifact))
            return version

    return RecordingArtifacts()


def _artifact_facts(filename: str, version: int, part) -> dict:
    record = _artifact_record(filename, version, part)
    if record["data_base64"] is not None:
        size = len(base64.b64decode(record["data_base64"]))
    else:
        size = len((record["part"].get("text") or "").encode())
    return {
        "filename": filename,
        "version": version,
        "mime_type": record["mime_type"],
        "bytes": size,
    }


def _artifact_record(filename: str, version: int, part) -> dict:
    record = {"filename": filename, "version": version, "mime_type": None, "data_base64": None}
    if isinstance(part, dict):
        from google.genai import types

        part = types.Part.model_validate(part)
    blob = getattr(part, "inline_data", None)
    if blob is not None and blob.data is not None:
        record["mime_type"] = blob.mime_type
        record["data_base64"] = base64.b64encode(blob.data).decode("ascii")
    else:
        record["mime_type"] = "text/plain" if part.text is not None else None
        record["part"] = part.model_dump(mode="json", exclude_none=True)
    return record


def _part_of(record: dict):
    from google.genai import types

    if record.get("data_base64") is not None:
        return types.Part(
            inline_data=types.Blob(
                data=base64.b64decode(record["data_base64"]), mime_type=record.get("mime_type")
            )
        )
    return types.Part.model_validate(record["part"])
