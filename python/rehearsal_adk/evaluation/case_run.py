"""One eval case of an ADK agent: the runner, its sessions and state, and the engine's requests.

The engine sends ``open``, then ``run`` for each message or set of responses, and
between them ``change_state``. While the runner runs, the case asks the engine about each tool call and, if
the model is given, about each model call, and tells it each event.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import socket
from collections.abc import Iterable
from typing import Any, cast

from rehearsal_adk import faults, jsonable
from rehearsal_adk.evaluation import (
    barrier,
    current,
    forked,
    given_model,
    own_models,
    request_changes,
    service_tools,
    unseen,
    usage,
)
from rehearsal_adk.evaluation.peer import Peer
from rehearsal_adk.faults import Fault
from rehearsal_adk.loading import LoadedAgent

USER = "user"


class CaseRun:
    """The agent in one case."""

    def __init__(self, loaded: LoadedAgent) -> None:
        self._loaded = loaded
        self._peer: Any = None
        self._runner: Any = None
        self._session_id = ""
        self._known: frozenset[str] = frozenset()
        self._real: frozenset[str] = frozenset()
        self._sealed: frozenset[str] = frozenset()
        self._declared: frozenset[str] = frozenset()
        self._answers_others = False
        self._stateful: frozenset[str] = frozenset()
        self._others_stateful = False
        self._turns: dict[asyncio.AbstractEventLoop, asyncio.Lock] = {}
        self._running: asyncio.Task[dict[str, Any]] | None = None
        self._broken_off: BaseException | None = None
        self._exit: BaseException | None = None
        self._node_calls: dict[str, dict[str, Any]] = {}
        self._model_calls: set[tuple[str, str]] = set()
        self._offered: set[str] = set()
        self._code_calls: dict[str, tuple[str, str]] = {}
        self._replaced: set[tuple[str, str]] = set()
        self._loop: Any = None
        self._forked: Any = None
        self._model: given_model.ModelOf | None = None
        self.model_timeout_ms = 0
        self.changes = request_changes.RequestChanges({})
        self.allowed: frozenset[str] = frozenset()
        self._model_requests = itertools.count(1)
        self._called: dict[str, str] = {}
        self._unanswered: dict[str, str] = {}
        self._long_running: dict[str, dict[str, Any]] = {}

    async def serve(self, connection: socket.socket) -> bool:
        """Serves the engine until it closes the connection. Returns whether it has released the process before, for
        another case."""
        reader, writer = await asyncio.open_connection(sock=connection, limit=1 << 28)
        self._loop = asyncio.get_running_loop()
        self._peer = Peer(reader, writer)
        self._forked = forked.Forked(self._loop, self._take_from_forked)
        methods = {"open": self._open, "run": self._run, "change_state": self._change_state}
        with current.running(self), contextlib.closing(self._forked), contextlib.closing(writer):
            for what, where in barrier.refused_at_import:
                self.refused(what, where)
            is_released: bool = await self._peer.serve(methods)
        return is_released

    async def _open(self, params: dict[str, Any]) -> dict[str, Any]:
        from google.adk.artifacts.in_memory_artifact_service import InMemoryArtifactService
        from google.adk.memory.in_memory_memory_service import InMemoryMemoryService
        from google.adk.runners import Runner
        from google.adk.sessions.in_memory_session_service import InMemorySessionService

        self._known = frozenset(params["tools"])
        self._real = frozenset(params["real"])
        self._sealed = frozenset(params["sealed"])
        self._declared = frozenset(params["declared"])
        self._stateful = frozenset(params["stateful"])
        self._others_stateful = params["others_stateful"]
        self._answers_others = params["answers_others"]
        self.model_timeout_ms = params["model_timeout_ms"]
        self.allowed = frozenset(params["allow"])
        try:
            self._model = given_model.chosen(self._peer, params.get("model"))
        except given_model.UnusableModelError as error:
            return {"unusable_model": str(error)}
        has_own = self._model is None or (params["model"] or {}).get("fork", True) is None
        if has_own and params["check_models"]:
            unusable = own_models.unusable(self._loaded.root, self._loaded.plugins)
            if unusable is not None:
                return {"unusable_own_model": unusable}
        self.changes = request_changes.RequestChanges(params.get("changes") or {})
        unchangeable = self.changes.instruct(self._loaded.root)
        if unchangeable is not None:
            return {"unchangeable": unchangeable}
        app = self._loaded.app
        root = {"app": app} if app is not None else {"agent": self._loaded.root}
        self._runner = Runner(
            app_name=self._loaded.app_name,
            session_service=InMemorySessionService(),
            artifact_service=InMemoryArtifactService(),
            memory_service=InMemoryMemoryService(),
            **root,
        )
        session = await self._runner.session_service.create_session(
            app_name=self._loaded.app_name, user_id=USER, state=params["state"]
        )
        self._session_id = session.id
        return {"state": await self._state()}

    async def _run(self, params: dict[str, Any]) -> dict[str, Any]:
        self._broken_off = None
        self._running = asyncio.ensure_future(self._turn(params))
        if self._exit is not None:  # Between the turns.
            self._running.cancel()
        try:
            ended = await self._running
        except asyncio.CancelledError as error:
            self._broken_off = self._broken_off or error
        except (SystemExit, KeyboardInterrupt) as error:
            self._exit = error
        finally:
            self._running = None
            if self._forked.read():
                await asyncio.sleep(0)  # The engine hears of it before it gets the answer.
        if self._exit is not None:
            raise _exit(self._exit) from self._exit
        if self._broken_off is not None:
            raise _cancellation(self._broken_off)
        return ended

    async def _turn(self, params: dict[str, Any]) -> dict[str, Any]:
        from google.genai import types

        if "text" in params:
            parts = [types.Part(text=params["text"])]
        elif "parts" in params:
            # As google-adk reads eval sets: in JSON, bytes are base64.
            parts = [types.Part.model_validate_json(jsonable.strict(part)) for part in params["parts"]]
        else:
            parts = [
                types.Part(
                    function_response=types.FunctionResponse(
                        id=one["call_id"], name=one["name"], response=_mapping(one["response"])
                    )
                )
                for one in params["responses"]
            ]
        pending: dict[str, dict[str, Any]] = {}
        self._unanswered.clear()
        async for event in self._runner.run_async(
            user_id=USER,
            session_id=self._session_id,
            new_message=types.Content(role="user", parts=parts),
        ):
            self._report(event)
            for call in event.get_function_calls():
                self._called[call.id] = call.name
                if call.id in (event.long_running_tool_ids or ()):
                    pending[call.id] = self._long_running[call.id] = {
                        "call_id": call.id,
                        "name": call.name,
                        "tool": self._asker(event, call),
                        "args": call.args,
                    }
            for response in event.get_function_responses():
                # To google-adk it is an interim result: a client may send another one after the turn.
                if waiting := self._long_running.get(response.id):
                    pending[response.id] = {**waiting, "interim": response.response}
        for unanswered in self._unanswered.values():
            return {"unanswered": unanswered}
        for asking in list(pending.values()):
            if blocked := _asked_for(asking):
                pending.pop(blocked, None)
        return {"pending": list(pending.values()), "state": await self._state()}

    def _asker(self, event: Any, call: Any) -> str:
        """Who waits: the tool or the node for which google-adk waits under a name of its own."""
        args = call.args or {}
        asker = None
        if call.name == "adk_request_confirmation":
            asker = (args.get("originalFunctionCall") or {}).get("name")
        elif call.name == "adk_request_credential":
            # A toolset that lists its tools belongs to no call.
            asker = self._called.get(args.get("functionCallId", ""))
        elif call.name == "adk_request_input" and "interruptId" in args:
            asker = event.node_info.name  # A node. Without it, the tool of that name was called.
        return asker or str(call.name)

    async def _change_state(self, params: dict[str, Any]) -> dict[str, Any]:
        from google.adk.events.event import Event
        from google.adk.events.event_actions import EventActions

        session = await self._session()
        await self._runner.session_service.append_event(
            session, Event(author=USER, actions=EventActions(state_delta=params["changes"]))
        )
        return {"state": await self._state()}

    async def _session(self) -> Any:
        return await self._runner.session_service.get_session(
            app_name=self._loaded.app_name, user_id=USER, session_id=self._session_id
        )

    async def _state(self) -> dict[str, Any]:
        state, replaced = jsonable.plain(dict((await self._session()).state))
        self._note_replaced("state", replaced)
        return cast(dict[str, Any], state)

    def _note_replaced(self, of: str, replaced: list[jsonable.Replaced]) -> None:
        """Tells the engine of values that have no form in JSON; of those in the state once."""
        for one in replaced:
            if of != "state" or (of, one.place) not in self._replaced:
                self._replaced.add((of, one.place))
                self._peer.tell("replaced", {"in": of, "place": one.place, "value": one.value})

    # What the gate asks.

    def names(self, tool: str) -> bool:
        """Whether the case names this tool."""
        return tool in self._known

    def knows(self, tool: str) -> bool:
        """Whether the case says what happens to calls of this tool."""
        return self._answers_others or self.names(tool)

    def wants_declaration(self, tool: str) -> bool:
        """Whether the engine's answer for this tool depends on its declaration."""
        return tool in self._declared | self._peer.taken_tools or (self._answers_others and not self.names(tool))

    def wants_state(self, tool: str) -> bool:
        """Whether the engine's answer for this tool depends on the state of the session, or changes it."""
        return tool in self._stateful or (self._others_stateful and not self.names(tool))

    def turn_of(self, tool: str) -> contextlib.AbstractAsyncContextManager[Any]:
        """See the gate. An agent may call tools in threads, on loops of their own, which are not kept in order."""
        turn = self._turns.setdefault(asyncio.get_running_loop(), asyncio.Lock())
        # Without a mock before it, a tool that runs has the order that it has without the gate.
        follows = turn.locked() and (tool in self._real or tool in self._sealed)
        return turn if follows or self.wants_state(tool) else contextlib.nullcontext()

    async def decide(self, call: dict[str, Any]) -> dict[str, Any]:
        """The engine's decision about a call."""
        tool = call["tool"]
        runs_anyway = tool in self._real or tool in self._sealed
        if runs_anyway and tool not in self._peer.taken_tools:
            # Nothing is awaited, so that calls that are made at the same time run in the order that they have without
            # the gate.
            self._peer.tell("tool", call)
            return {"do": "run", "sealed": tool in self._sealed}
        decision: dict[str, Any] = await self._peer.ask("tool", call)
        return decision

    def observe(self, event: Any, context: Any) -> None:
        """Reports events of other runners; the runner of the case yields its own."""
        if context.session.id != self._session_id:
            self._report(event, inner=True)

    def note_raised(self, agent: Any) -> None:
        """Forgets what google-adk noted of an error of an agent that is used as a tool: a callback or a plugin may handle
        the error, which otherwise ends the run."""
        for one in unseen.agents(agent):
            self._unanswered.pop(getattr(one, "name", ""), None)

    def note_model_call(self, call_id: str, tool: str) -> None:
        """Notes the call of a model, which the events of google-adk show."""
        self._model_calls.add((call_id, tool))

    def is_of_model(self, call_id: str | None, tool: str) -> bool:
        """Whether a model made this call."""
        return (call_id, tool) in self._model_calls

    def note_code_call(self, call: dict[str, Any], author: str, invocation_id: str) -> None:
        """Tells the engine of a call that code of the subject makes."""
        self._code_calls[call["call_id"]] = (author, invocation_id)
        self._tell(author=author, invocation_id=invocation_id, inner=True, calls=[call])

    def note_code_result(self, call: dict[str, Any], result: Any) -> None:
        """Tells the engine what that call gave."""
        response = {"call_id": call["call_id"], "name": call["name"], "response": _mapping(result)}
        author, invocation_id = self._code_calls.pop(call["call_id"])
        self._tell(author=author, invocation_id=invocation_id, inner=True, responses=[response])

    def note_node_call(self, path: str, call: dict[str, Any], invocation_id: str) -> None:
        """Tells the engine that a node of a workflow is called, whose output google-adk shows later."""
        self._node_calls[path] = call
        workflow = _node_name(path.rpartition("/")[0])
        self._tell(author=workflow, invocation_id=invocation_id, inner=True, calls=[call])

    def break_off(self, error: BaseException) -> None:
        """Ends the run, because that of an agent in it was canceled by nobody who waits for it."""
        self._broken_off = self._broken_off or error
        self.stop()

    def exited(self, error: BaseException) -> None:
        """Ends the run, because code of the agent ended the loop, which ends its program."""
        self._exit = self._exit or error
        self.stop()

    def stop(self) -> None:
        """Cancels the run, from whatever thread."""
        if self._running is not None:
            self._loop.call_soon_threadsafe(self._running.cancel)

    # What the models of agents ask.

    def model_of(self, agent: Any) -> Any:
        """The model that the case gives this agent; None if the agent has its own."""
        model = self._model(agent) if self._model is not None else None
        if self._peer.is_agent_taken and not isinstance(model, (given_model.GivenModel, given_model.Person)):
            return given_model.taken(self._peer, agent, model)
        return model

    def note_offered(self, llm_request: Any) -> None:
        """Tells the engine of the tools that a model may call. Those of a toolset only a request shows."""
        if new := set(llm_request.tools_dict) - self._offered:
            self._offered |= new
            self._loop.call_soon_threadsafe(self._peer.tell, "offered", {"tools": sorted(new)})

    def note_model_request(self, agent: str) -> None:
        """Tells the engine that the model of an agent is asked for the agent's next response."""
        if asyncio.get_running_loop() is self._loop:
            # Before the event that has the response.
            self._peer.tell("model_asked", {"agent": agent})
        else:
            self._loop.call_soon_threadsafe(self._peer.tell, "model_asked", {"agent": agent})

    async def check_tools(self, llm_request: Any, model: Any) -> None:
        """Ends the run, and never returns, if the model's service would run a tool that the case does not allow."""
        finding = service_tools.refused(llm_request, self._loaded.root, self.allowed, model)
        if finding is not None:
            self._loop.call_soon_threadsafe(self._peer.tell, "unseen", finding)
            self.stop()
            await asyncio.Event().wait()

    async def begin_model_request(self, model: str, attempt: int) -> int | None:
        """Waits until a request to this model may be made, and returns its number. It is None in the loop of another
        thread, for which the loop of the case may wait: such a request is not counted, and not repeated."""
        if asyncio.get_running_loop() is not self._loop:
            return None
        number = next(self._model_requests)
        begun = {"request": number, "model": model, "attempt": attempt}
        await self._peer.ask("model_begins", begun)
        return number

    async def fail_model_request(self, number: int | None, failure: dict[str, Any]) -> bool:
        """Whether a request that failed is to be made again, which is after the wait that it needs."""
        if number is None:
            return False
        answer = await self._peer.ask("model_failed", {"request": number, **failure})
        return bool(answer["again"])

    def end_model_request(self, number: int | None, succeeded: bool) -> None:
        """Lets the next request begin."""
        if number is not None:
            self._peer.tell("model_ended", {"request": number, "succeeded": succeeded})

    def note_usage_apart(self, asked_by: str, model: str, response: Any) -> None:
        """Tells the engine what a request took apart from the agents' turns. No event has it."""
        self._peer.tell(
            "usage_apart",
            {"asked_by": asked_by, "usage": usage.of(response, response.model_version or model)},
        )

    # What the barrier says.

    def forbidden(self, what: str, where: str) -> None:
        """Tells the engine what was tried and where, and ends the run."""
        if self._forked.is_here():
            self._forked.say("forbidden", what, where)
            return
        self._loop.call_soon_threadsafe(
            self._peer.tell, "forbidden", {"what": what, "where": where}
        )
        self.stop()

    def refused(self, what: str, where: str) -> None:
        """Tells the engine what a library tried that can do without it, and where."""
        if self._forked.is_here():
            self._forked.say("refused", what, where)
            return
        self._loop.call_soon_threadsafe(self._peer.tell, "refused", {"what": what, "where": where})

    def _take_from_forked(self, method: str, what: str, where: str) -> None:
        {"forbidden": self.forbidden, "refused": self.refused}[method](what, where)

    def _report(self, event: Any, inner: bool = False) -> None:
        if event.partial:
            return
        self._note_unanswered(event)
        texts = (
            part.text
            for part in (event.content.parts or () if event.content else ())
            if part.text and not part.thought
        )
        responses = [
            {"call_id": one.id, "name": one.name, "response": one.response}
            for one in event.get_function_responses()
        ]
        outputs = []
        for path in _nodes_with_output(event):
            if call := self._node_calls.pop(path, None):
                response = {"call_id": call["call_id"], "name": call["name"]}
                responses.append({**response, "response": _mapping(event.output)})
            else:
                outputs.append({"node": _node_name(path), "output": event.output})
        self._tell(
            author=event.author,
            invocation_id=event.invocation_id,
            inner=inner,
            text="".join(texts),
            calls=[
                {"call_id": one.id, "name": one.name, "args": one.args or {}}
                for one in event.get_function_calls()
            ],
            responses=responses,
            outputs=outputs,
            state=event.actions.state_delta if event.actions else {},
            usage=usage.of(event, event.model_version or self._model_name(event.author)),
        )

    def _tell(
        self,
        *,
        author: str,
        invocation_id: str,
        inner: bool = False,
        text: str = "",
        calls: Iterable[dict[str, Any]] = (),
        responses: Iterable[dict[str, Any]] = (),
        outputs: Iterable[dict[str, Any]] = (),
        state: Any = None,
        usage: dict[str, Any] | None = None,
    ) -> None:
        """Tells the engine of an event, and of the values in it that have no form in JSON."""
        noted: list[tuple[str, list[jsonable.Replaced]]] = []

        def plain(of: str, value: Any) -> Any:
            value, replaced = jsonable.plain(value)
            noted.append((of, replaced))
            return value

        self._peer.tell(
            "event",
            {
                "author": author,
                "invocation_id": invocation_id,
                "inner": inner,
                "text": plain(f"the message of {author}", text),
                "calls": [
                    {**one, "args": plain(f"the arguments of {one['name']}", one["args"])}
                    for one in calls
                ],
                "responses": [
                    {**one, "response": plain(f"the result of {one['name']}", one["response"])}
                    for one in responses
                ],
                "outputs": [
                    {**one, "output": plain(f"the output of {one['node']}", one["output"])}
                    for one in outputs
                ],
                "state": plain("state", state or {}),
                "usage": usage,
            },
        )
        for of, replaced in noted:
            self._note_replaced(of, replaced)

    def _note_unanswered(self, event: Any) -> None:
        """Notes why the model of an agent gave no answer, if the event says so, until it gives one. google-adk ends the
        agent's part of the turn there, without an error."""
        if event.content is not None and event.content.parts:
            self._unanswered.pop(event.author, None)
        elif event.error_code and not self._is_function(event.author):
            message = f": {event.error_message}" if event.error_message else ""
            reason = f"the model of {event.author} gave no answer ({event.error_code}{message})"
            self._unanswered[event.author] = reason

    def _is_function(self, author: str) -> bool:
        """Whether a function wrote an event, as a node of a workflow or as a generator that is a tool. google-adk notes its
        error, which a retry or a callback may handle."""
        agents = {getattr(agent, "name", None) for agent in unseen.agents(self._loaded.root)}
        return author in self._known and author not in agents

    def _model_name(self, author: str) -> str:
        """The name of the agent's model, for a service that names none in its responses."""
        for agent in unseen.agents(self._loaded.root):
            if getattr(agent, "name", None) == author and hasattr(agent, "canonical_model"):
                return str(agent.canonical_model.model)
        return ""


def _asked_for(waiting: dict[str, Any]) -> str | None:
    """The call that cannot go on before what waits is responded to: a confirmation or a credential. What google-adk gave
    the model for it meanwhile is no result of the tool."""
    args = waiting["args"] or {}
    if waiting["name"] == "adk_request_confirmation":
        return (args.get("originalFunctionCall") or {}).get("id")
    return args.get("functionCallId") if waiting["name"] == "adk_request_credential" else None


def _exit(error: BaseException) -> Fault:
    """What a run raises in which code of the agent ended its program."""
    kind = type(error).__name__
    did = f"called sys.exit({error.code!r})" if isinstance(error, SystemExit) else f"raised {kind}"
    return Fault(kind, f"code of the agent {did}, which ends its process", error)


def _cancellation(error: BaseException) -> Fault:
    """What a run raises that code of the agent canceled."""
    reason = faults.message_of(error)
    return Fault(
        "CancelledError",
        f"the agent's run broke off: its code raised CancelledError{reason and f' ({reason})'}. A timeout or a "
        "task group of a library may let it out; catch it in the tool or callback where it is raised",
        error,
    )


def _nodes_with_output(event: Any) -> list[str]:
    """The paths of the workflow's nodes of which the event has the output, such as ``flow@1/draft@1``."""
    if getattr(event, "output", None) is None:
        return []
    return list(event.node_info.output_for or [event.node_info.path])


def _node_name(path: str) -> str:
    """The name of the node at a path, without the number of its run."""
    return path.rpartition("/")[2].partition("@")[0]


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {"result": value}
