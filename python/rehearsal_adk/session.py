"""One rehearsal's services, events, state and what a call changed.

Each rehearsal has in-memory services of its own, so that ``app:`` and ``user:`` state, artifacts
and memory of one tab never show in another's golden trace. Its events go through the session
service as ADK's runner sends them, plugins' ``on_event_callback`` included; what begins and ends the
run around them is in ``invocation``.

A call works on a copy of the session. The copy takes the session's place when the call succeeded;
when it failed or was cancelled only its events do, for under ADK the state written by a tool that
raises is never committed. A thread that was left behind keeps writing into the copy, unheard.
"""

from __future__ import annotations

import base64
import contextlib
import copy
import logging
import warnings
from typing import Any

from rehearsal_adk import jsonable, tree
from rehearsal_adk.faults import Fault, message_of
from rehearsal_adk.loading import LoadedAgent

logger = logging.getLogger("rehearsal_adk")


class RehearsalSession:
    """The worker's share of one rehearsal."""

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
        self.artifact_service = _recording_artifacts(self._saved)
        self.memory_service = InMemoryMemoryService()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # That it is experimental is ADK's affair, not the author's.
            self.credential_service = InMemoryCredentialService()
        self.plugin_manager = PluginManager(plugins=[self.observer, *loaded.plugins])
        self.run_config = RunConfig()
        self.session: Any = None
        self.user_content: Any = None
        self.tools: dict = {}
        self.last_view: dict | None = None
        self.max_result_bytes = 0
        """The longest result that is sent; set by the worker."""
        self.running: str | None = None
        """The call that runs now."""
        self.asked: Any = None
        """While the model is asked: the actions of its response, to which callbacks write."""
        self.seen: dict | None = None
        """The view of the request that the callbacks of the last model call left, if any run."""
        self.ended = False
        """A tool ended the run: the model is asked no more."""
        self.over = False
        """The final response came."""
        self.started: set[str] = set()
        """Every call id ever used here, so that none is used twice."""
        self._notices: list[str] = []
        self._notices_told = 0
        self._state_texts: dict[str, jsonable.JsonBytes] = {}
        self._new_events: list = []
        self._touched = False

    @property
    def invocation_id(self) -> str:
        """One rehearsal is one invocation: this id stands in its events and in the golden trace."""
        return f"{self.id}_inv_0"

    @property
    def final_event_id(self) -> str:
        """The id of the final response's event, by which a rebuilt session knows that it is over."""
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
        # The service drops `temp:` keys, which live as long as the invocation: so does a rehearsal.
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
            if self.user_content is None and event.author == "user" and event.content:
                self.user_content = event.content
            self.ended = self.ended or ends_run(event)
            self.over = self.over or event.id == self.final_event_id
        # The recorded state is the truth: appending replayed older deltas over it.
        self.session.state.clear()
        self.session.state.update(final)
        text = restore.get("user_text")
        if self.user_content is None and text is not None:
            self.user_content = types.Content(role="user", parts=[types.Part(text=text)])
        # The callbacks before the model's turn ran where the session was before.
        if self.goes_on:
            self.asked = EventActions()

    @property
    def goes_on(self) -> bool:
        """Whether ADK would ask the model next, once no call is under way."""
        return self.user_content is not None and not self.ended and not self.over

    def invocation(self, session=None):
        """A real invocation context for the agent in charge, over this session's services."""
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
        """The session for one call to work on: the same history, a state of its own."""
        try:
            state = copy.deepcopy(self.session.state)
        except Exception as error:  # State may hold live objects; then it is shared.
            logger.debug("The state cannot be copied: %s", error)
            state = dict(self.session.state)
        return self.session.model_copy(update={"state": state, "events": list(self.session.events)})

    def keep(self, worked) -> None:
        """The call succeeded: what it made becomes the session."""
        self.session = worked

    def keep_events_only(self, worked) -> None:
        """The call failed: its events stay in the history, its state is not committed."""
        self.session = self.session.model_copy(update={"events": list(worked.events)})

    async def append(self, context, event, from_user: bool = False) -> None:
        """Appends an event as the runner does: plugins see it first, unless it is the user's."""
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
        """Something the person should know beside the view."""
        if text not in self._notices:
            self._notices.append(text)

    @property
    def notices(self) -> list[str]:
        """Everything noticed so far."""
        return list(self._notices)

    @contextlib.contextmanager
    def noticed(self, what: str):
        """What is raised inside becomes a notice."""
        try:
            yield
        except Exception as error:
            logger.exception("The %s failed", what)
            self.notice(
                f"The {what} raised {type(error).__name__}: {message_of(error)}. "
                "ADK would end the run here."
            )

    def view_may_have_changed(self) -> bool:
        """Whether the last delta, or an instruction made by a function, can show in the view.

        A view costs a few milliseconds and asks every toolset for its tools, so it is not made
        after a call that changed nothing the view depends on.
        """
        made_by_function = callable(getattr(self.agent, "instruction", None))
        return self._touched or made_by_function

    def state_text(self) -> jsonable.JsonBytes:
        """The whole state as JSON."""
        return jsonable.compose(self._state_texts)

    def remember_state(self) -> dict[str, jsonable.JsonBytes]:
        """Takes the state as it is now for the known one, and returns what changed since before."""
        before = self._state_texts
        now = {str(key): jsonable.lenient(value) for key, value in self.session.state.items()}
        changed = {key: text for key, text in now.items() if before.get(key) != text}
        changed.update({key: jsonable.JsonBytes(b"null") for key in before if key not in now})
        self._state_texts = now
        return changed

    def take_delta(self) -> jsonable.JsonBytes:
        """What changed since the last delta: state, artifacts and events, as the host records it."""
        events, self._new_events = self._new_events, []
        changed = self.remember_state()
        saved = self._saved.copy()
        self._saved.clear()
        self._touched = bool(changed or saved) or len(self._notices) != self._notices_told
        self._notices_told = len(self._notices)
        return jsonable.compose(
            {
                "state": jsonable.compose(changed),
                "artifacts": [_artifact_record(*one) for one in saved],
                "events": jsonable.listed([event_text(event) for event in events]),
            }
        )


def ends_run(event) -> bool:
    """Whether ADK asks the model no more after this response of a tool."""
    actions = event.actions
    if actions.transfer_to_agent or actions.requested_tool_confirmations:
        return False
    if actions.skip_summarization or getattr(actions, "set_model_response", None) is not None:
        return True
    return finishes_task(event)


def finishes_task(event) -> bool:
    """Whether an agent in task mode is told here that its task is done."""
    try:
        from google.adk.agents.llm.task._finish_task_tool import is_finish_task_terminal_fr
    except ImportError:  # It has moved, or there is no task mode yet.
        return False
    return is_finish_task_terminal_fr(event)


def event_text(event) -> jsonable.JsonBytes:
    """An ADK event as JSON that ``Event.model_validate`` reads back."""
    try:
        plain = event.model_dump(mode="json", by_alias=True, exclude_none=True)
    except Exception:  # A response may hold an object that has no JSON form.
        plain = event.model_dump(mode="python", by_alias=True, exclude_none=True)
    return jsonable.lenient(plain)


def _recording_artifacts(saved: list):
    """ADK's in-memory artifact service, which notes in ``saved`` whatever it is given."""
    from google.adk.artifacts.in_memory_artifact_service import InMemoryArtifactService

    class RecordingArtifacts(InMemoryArtifactService):
        async def save_artifact(self, *, filename, artifact, **rest):
            version = await super().save_artifact(filename=filename, artifact=artifact, **rest)
            saved.append((filename, version, artifact))
            return version

    return RecordingArtifacts()


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
