"""One tool call through ADK's own function-call handling.

ADK's handling resolves the tool, runs the plugins' and the agent's tool callbacks around it, applies
the confirmation gate, and builds the response event. This module does what ADK's flow and runner do
around it: it appends session events before and after the call, and handles confirmations,
long-running calls and transfers. Any failure becomes the call's outcome and never ends the worker.
"""

from __future__ import annotations

import asyncio
import contextlib
import copy
import dataclasses
import inspect
import os
import time
from typing import Any

from rehearsal_adk import adk_private, faults, invocation, jsonable, model_call, playing, threads, tree, view
from rehearsal_adk.media import media_in
from rehearsal_adk.session import RehearsalSession, ends_run, finishes_task
from rehearsal_adk.wire import BAD_PARAMS, UNKNOWN_TOOL, Refused


@dataclasses.dataclass
class Running:
    """The cancellation state of a running call."""

    cancelled: bool = False
    left_threads: list = dataclasses.field(default_factory=list)


class _CallError(Exception):
    """Ends a call with an error type that is not an exception class of the tool."""

    def __init__(self, type_name: str, message: str) -> None:
        super().__init__(message)
        self.type_name = type_name


async def call_tool(session: RehearsalSession, call_id: str, tool: str, args: dict, running: Running):
    """Runs the tool and returns the ``CallOutcome`` as JSON."""
    from google.genai import types

    found = session.tools.get(tool)
    if found is None:
        known = ", ".join(sorted(session.tools)) or "none"
        raise Refused(UNKNOWN_TOOL, f"{session.agent.name} has no tool {tool}. Its tools: {known}.")
    if call_id in session.started:
        raise Refused(BAD_PARAMS, f"The call id {call_id} was used before in this session.")
    session.started.add(call_id)
    call = types.FunctionCall(id=call_id, name=tool, args=args)
    context = session.invocation()

    async def work():
        content = types.Content(role="model", parts=[types.Part(function_call=call)])
        event = await model_call.after(session, context, content)
        event.long_running_tool_ids = {call_id} if found.is_long_running else None
        await session.append(context, event)
        if view.runs_agent(found):
            return {"status": "confirmation", "hint": _agent_hint(found), "payload": None}
        # The tool writes to a copy, which is discarded if the tool fails.
        context.session = session.working_copy()
        return await _handle(session, context, event, call, None)

    return await _outcome(session, context, call, running, work)


async def confirm(session: RehearsalSession, call_id: str, confirmed: bool, payload, running: Running):
    """Continues a call that requested confirmation with the person's decision.

    If confirmed, the tool runs with ADK's ``ToolConfirmation``. If denied, it does not run, because
    a tool that requests confirmation itself may not check the decision. A tool that is an agent runs
    its model if confirmed, else it waits for the result that the person supplies.
    """
    from google.adk.events.event import Event
    from google.adk.tools.tool_confirmation import ToolConfirmation
    from google.genai import types

    request = _open_confirmation(session, call_id)
    event = _event_of_call(session, call_id)
    if request is None and _waiting_agent(session, call_id) is not None:
        return await _run_agent(session, event, call_id, confirmed, running)
    if request is None or event is None:
        raise Refused(BAD_PARAMS, f"The call {call_id} is not waiting for a confirmation.")
    call = next(one for one in event.get_function_calls() if one.id == call_id)
    asked = ToolConfirmation.model_validate(request.args.get("toolConfirmation") or {})
    confirmation = ToolConfirmation(
        hint=asked.hint,
        confirmed=confirmed,
        payload=payload if payload is not None else asked.payload,
    )
    answer = types.FunctionResponse(
        id=request.id,
        name=request.name,
        response=confirmation.model_dump(mode="json", by_alias=True, exclude_none=True),
    )
    context = session.invocation(session.working_copy())

    async def work():
        await session.append(
            context,
            Event(
                invocation_id=session.invocation_id,
                author="user",
                content=types.Content(role="user", parts=[types.Part(function_response=answer)]),
            ),
            from_user=True,
        )
        if not confirmed:
            raise _CallError("ConfirmationDenied", f"The person denied the call of {call.name}.")
        return await _handle(session, context, event, call, confirmation)

    return await _outcome(session, context, call, running, work)


async def supply_result(session: RehearsalSession, call_id: str, result, running: Running):
    """Records the result that the person enters for a long-running call or for a delegated task."""
    from google.adk.events.event import Event
    from google.genai import types

    event = _event_of_call(session, call_id)
    calls = event.get_function_calls() if event is not None else ()
    call = next((one for one in calls if one.id == call_id), None)
    is_task = call is not None and view.is_task(session.tools.get(call.name))
    agent_tool = _waiting_agent(session, call_id)
    waits = is_task or agent_tool or call_id in ((event and event.long_running_tool_ids) or ())
    if call is None or not waits:
        raise Refused(BAD_PARAMS, f"The call {call_id} is not waiting for a result.")
    wrapped = {"output" if is_task else "result": result}
    response = types.FunctionResponse(
        id=call_id, name=call.name, response=result if isinstance(result, dict) else wrapped
    )
    context = session.invocation(session.working_copy())

    async def work():
        event = Event(
            invocation_id=session.invocation_id,
            author=session.agent.name if agent_tool else "user",
            content=types.Content(role="user", parts=[types.Part(function_response=response)]),
        )
        if agent_tool is not None and agent_tool.skip_summarization:
            event.actions.skip_summarization = session.ended = True
        await session.append(context, event, from_user=not (is_task or agent_tool))
        if is_task:
            # ADK restarts the agent when the task returns.
            await invocation.enter(session, [session.agent], context.session)
        return {"status": "output", "result": jsonable.strict(result)}

    return await _outcome(session, context, call, running, work)


async def play(session: RehearsalSession, call_id: str, running: Running):
    """Has the person play the agent that was called, in a session of its own."""
    call = _playable(session, call_id)
    context = session.invocation(session.working_copy())
    return await _outcome(
        session, context, call, running, lambda: _begin_playing(session, context, call)
    )


async def respond_as_agent(session: RehearsalSession, call_id: str, text: str, running: Running):
    """Ends the agent that is played with its final response, the result of its call."""
    caller, call = _played(session, call_id)
    context = caller.play.context
    return await _outcome(caller, context, call, running, lambda: playing.respond(caller, text))


async def stop_playing(session: RehearsalSession, call_id: str, running: Running):
    """Ends the agent that is played without a response: its call is canceled."""
    caller, call = _played(session, call_id)

    async def work():
        await playing.stop(caller)
        raise _CallError("Cancelled", "The person canceled the call.")

    return await _outcome(caller, caller.play.context, call, running, work)


async def resume_playing(session: RehearsalSession, recorded: dict | None) -> None:
    """Restores the agents that were played in an earlier worker. Tool callbacks of their callers that run
    before the tool run again, because their state changes are not recorded before the call ends."""
    while recorded is not None:
        call = _playable(session, recorded["call_id"])
        context = session.invocation(session.working_copy())
        restore = recorded["restore"]
        members = await _begin_playing(session, context, call, restore)
        if members["status"] != "playing":
            raise faults.Fault(
                "PlayNotRestored",
                f"A callback responded instead of the agent {call.name} when its call was restored.",
            )
        session, recorded = session.play.session, restore.get("played")
        await view.look(session)


async def _begin_playing(session: RehearsalSession, context, call, recorded: dict | None = None):
    event = _event_of_call(session, call.id)

    async def handle():
        return await _handle(session, context, event, call, None)

    return await playing.begin(session, context, call, handle, recorded)


def _playable(session: RehearsalSession, call_id: str):
    """The call of an agent that can be played and has not answered."""
    tool = _waiting_agent(session, call_id)
    if tool is None or not view.can_be_played(tool):
        raise Refused(BAD_PARAMS, f"The call {call_id} is not waiting for an agent that a person acts as.")
    event = _event_of_call(session, call_id)
    return next(one for one in event.get_function_calls() if one.id == call_id)


def _played(session: RehearsalSession, call_id: str):
    """The caller of the agent that is played in this session, and its call."""
    caller = session.caller
    if caller is None or session.called_by != call_id:
        raise Refused(BAD_PARAMS, f"The agent of the call {call_id} is not played now.")
    return caller, _playable(caller, call_id)


async def _run_agent(session: RehearsalSession, event, call_id: str, runs: bool, running: Running):
    """Runs the agent that is a tool, or has the call wait for the result that the person supplies."""
    call = next(one for one in event.get_function_calls() if one.id == call_id)
    context = session.invocation(session.working_copy())

    async def work():
        if runs:
            return await _handle(session, context, event, call, None)
        return {"status": "long_running", "result": _result_text(session, None)}

    return await _outcome(session, context, call, running, work)


def _agent_hint(tool) -> str:
    model = view.model_of(tool)
    lacks = ""
    if model.startswith("gemini") and not any(map(os.environ.get, _GEMINI_ACCESS)):
        lacks = f" It would fail, because none of {', '.join(_GEMINI_ACCESS)} is set."
    play = "Act as it yourself, supply" if view.can_be_played(tool) else "Supply"
    return f"{tool.name} is an agent. {play} its result, or run its model {model}.{lacks}"


_GEMINI_ACCESS = ("GOOGLE_API_KEY", "GEMINI_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI")
"""Environment variables, one of which google-genai needs to reach Gemini."""


def _waiting_agent(session: RehearsalSession, call_id: str):
    """The tool of the call if it is an agent and has no response yet, else ``None``."""
    event = _event_of_call(session, call_id)
    answered = any(
        one.id == call_id
        for event in session.session.events
        for one in event.get_function_responses()
    )
    if event is None or answered:
        return None
    call = next(one for one in event.get_function_calls() if one.id == call_id)
    tool = session.tools.get(call.name)
    return tool if view.runs_agent(tool) else None


async def _handle(session: RehearsalSession, context, call_event, call, confirmation) -> dict:
    """Runs the call and appends the events that the flow would yield. Returns the outcome's members."""
    from google.adk.flows.llm_flows import functions

    tool = session.tools.get(call.name)
    if tool is None:
        raise _CallError("UnknownTool", f"{session.agent.name} no longer has the tool {call.name}.")
    session.observer.watch(call.id)
    by = model_call.callbacks(session, "before_tool")
    tools, ran = _observed(session.tools, call.name) if by else (session.tools, [True])
    try:
        async with _node_events_appended(session, context, tool):
            with threads.blocking_tools_in_threads():
                response = await functions.handle_function_call_list_async(
                    context,
                    [call],
                    tools,
                    None,
                    {call.id: confirmation} if confirmation is not None else None,
                )
    except ValueError as error:
        # The tool returned, but ADK could not build a response from its result.
        if getattr(error, "title", None) == "FunctionResponse" and session.observer.returned_at_all:
            raise _CallError(
                "InvalidOutput",
                f"The tool's result cannot be a function response: {error}. "
                "Return plain values: text, numbers, booleans, null, lists, and objects whose "
                "keys are text.",
            ) from error
        raise
    if not ran:
        session.differ(
            f"the {' and the '.join(by)} responds instead of the tool {call.name}, so the case has its result: leave "
            "the call out of the case, or have the callback return None there.",
            call_id=call.id,
        )
    if response is None:
        if view.is_task(tool):
            session.notice(
                f"ADK would make the agent {call.name} active until it calls finish_task, and use "
                "that call's arguments as the result. Here you supply the result. To find it, "
                f"rehearse {call.name} separately."
            )
        return await _without_response(session, context, tool)
    answered = response.get_function_responses()[0]
    parts = getattr(answered, "parts", None)
    value = session.observer.result_of(answered.response or {}, parts)
    result = _result_text(session, value)
    asked = response.actions.requested_tool_confirmations.get(call.id)
    if asked is not None:
        request = functions.generate_request_confirmation_event(context, call_event, response)
        await session.append(context, request)
        await session.append(context, response)
        return {"status": "confirmation", "hint": asked.hint or "", "payload": asked.payload}
    if finishes_task(response):
        _save_task_output(session, response, tool, call.args or {})
    for made in (functions.generate_auth_event(context, response), response):
        if made is not None:
            await session.append(context, made)
    if response.actions.requested_auth_configs:
        session.notice(
            f"{call.name} requested a credential. ADK would end the run here so that the user can "
            "log in. A rehearsal cannot log in, so the model gets only what the tool returned."
        )
    if response.actions.transfer_to_agent:
        await _transfer(session, context, response.actions.transfer_to_agent)
    elif ends_run(response):
        session.ended = True
        if getattr(response.actions, "set_model_response", None) is None:
            # The page sends the final response itself after `set_model_response`.
            session.notice(
                f"{call.name} ended the run, so ADK would not call the model again. Send the final "
                "response now: further calls could not come from a model."
            )
    return {
        "status": "long_running" if tool.is_long_running else "output",
        "result": result,
        "recording": {
            # ADK wraps everything but a dict, so also a model that is an object in JSON.
            "wrapped": not isinstance(value, dict),
            "media": media_in(value) if parts else [],
        },
    }


def _observed(tools: dict, name: str) -> tuple[dict, list]:
    """The tools with a copy of one, and a list that is not empty once that tool has run. A callback may respond
    instead of it."""
    tool, ran = tools[name], list[str]()
    observed = copy.copy(tool)

    async def run_async(**arguments):
        ran.append(name)
        return await tool.run_async(**arguments)

    observed.run_async = run_async
    return {**tools, name: observed}, ran


def _save_task_output(session: RehearsalSession, response, tool, args: dict) -> None:
    """Saves the task's output under ``output_key``, as ADK's wrapper does."""
    key = getattr(session.agent, "output_key", None)
    wrapper = adk_private.TASK_WRAPPER.get(tool)
    if key:
        response.actions.state_delta[key] = args[wrapper] if wrapper in args else args


async def _without_response(session: RehearsalSession, context, tool) -> dict:
    """The outcome of a long-running tool or task without a result: ADK builds no response event."""
    from google.adk.events.event import Event

    actions = session.observer.actions
    if actions is not None and (actions.state_delta or actions.artifact_delta):
        # ADK also keeps the tool's state changes in the invocation.
        await session.append(
            context,
            Event(
                invocation_id=session.invocation_id,
                author=session.agent.name,
                actions=actions,
            ),
        )
    observer = session.observer
    result = _result_text(session, observer.returned if observer.returned_at_all else None)
    return {"status": "long_running" if view.waits(tool) else "output", "result": result}


def _result_text(session: RehearsalSession, result: object) -> jsonable.JsonBytes:
    try:
        text, replaced = jsonable.with_null_for_nan(result)
    except jsonable.NotJson as error:
        raise _CallError("InvalidOutput", f"The tool's result is not JSON: {error}") from error
    for one in replaced:
        session.notice(
            f"The tool returned {one.value} at {one.place}, which JSON cannot hold. The model gets null there, as "
            "from google-adk."
        )
    if len(text) > session.max_result_bytes:
        raise _CallError(
            "InvalidOutput",
            f"The tool's result is {len(text):,} bytes of JSON, and the limit is "
            f"{session.max_result_bytes:,}. Return less, or save it as an artifact.",
        )
    return text


async def _transfer(session: RehearsalSession, context, name: str) -> None:
    flow = adk_private.LLM_FLOW.of(session.agent)
    chosen = adk_private.AGENT_TO_RUN.of(flow)(context, name)
    target = tree.first_llm(chosen)
    if target is None:
        raise _CallError("TransferFailed", f"The agent {name} contains no LLM agent.")
    session.agent = target
    line = tree.lineage(target)
    start = line.index(chosen) if chosen in line else -1
    await invocation.enter(session, line[start:], context.session)


async def _outcome(session: RehearsalSession, context, call, running: Running, work):
    """Runs the work and returns its result or error as a ``CallOutcome``."""
    token = threads.abandoned.set(running.left_threads)
    before, before_agent = session.innermost, session.agent
    begin = time.perf_counter()
    try:
        members = await work()
    except asyncio.CancelledError as error:
        _clear_cancel()
        if running.cancelled:
            message = "The person canceled the call."
            if running.left_threads:
                message += " Its work may still finish in the background."
            members = _error("Cancelled", message, "")
        else:
            members = _error(**_error_fields(error))
    except _CallError as error:
        trace = faults.formatted(error.__cause__) if error.__cause__ is not None else ""
        members = _error(error.type_name, str(error), trace)
    except (SystemExit, KeyboardInterrupt, threads.ToolExited) as error:
        ended = error.__cause__ or error
        members = _error(
            type(ended).__name__,
            f"The tool raised {type(ended).__name__}({ended}). "
            "A tool must return, or raise an Exception.",
            faults.formatted(ended),
        )
    except BaseException as error:  # The tool's exception becomes the call's outcome.
        members = _error(**_error_fields(error))
    duration = (time.perf_counter() - begin) * 1000
    threads.abandoned.reset(token)
    if members["status"] == "error":
        await _append_error(session, context, call, members["error"])
        session.keep_events_only(context.session)
    elif members["status"] != "playing":
        session.keep(context.session)
    asked = members["status"] in ("output", "error") and await _request_next_model_call(session)
    # The person goes on in the session of an agent that they play, or in that of its caller.
    now = session.innermost
    delta = now.take_delta()
    shown = None
    if now is not before:
        now.last_view = None
    if (
        now is not before
        or asked
        or session.agent is not before_agent
        or now.view_may_have_changed()
    ):
        shown = await _refreshed(now)
    return jsonable.compose(
        {
            "call_id": call.id,
            "status": members.pop("status"),
            "duration_ms": round(duration, 3),
            **{key: _checked(value) for key, value in members.items()},
            "delta": delta,
            "state": now.state_text(),
            "view": shown,
        }
    )


async def _request_next_model_call(session: RehearsalSession) -> bool:
    """Requests the next model call. Returns whether callbacks ran on the request."""
    if not session.goes_on:
        return False
    try:
        return await view.ask(session)
    except asyncio.CancelledError:
        _clear_cancel()
        session.notice("The before-model callbacks were canceled.")
    except Exception as error:  # The call ended, so its outcome is kept.
        session.notice(f"The model's request could not be made: {faults.message_of(error)}")
    return True


async def _refreshed(session: RehearsalSession):
    try:
        return await view.refresh(session)
    except Exception as error:  # The call ended, so its outcome is kept.
        session.notice(f"The view could not be updated: {faults.message_of(error)}")
        return None


async def _append_error(session: RehearsalSession, context, call, error: dict) -> None:
    """Appends an error response for the call: the session continues where ADK would end the run."""
    from google.adk.events.event import Event
    from google.genai import types

    answered = any(
        one.id == call.id
        for event in context.session.events
        for one in event.get_function_responses()
        if not event.actions.requested_tool_confirmations
    )
    if answered:
        return
    response = types.FunctionResponse(
        id=call.id,
        name=call.name,
        response={"error": {"type": error["type"], "message": error["message"]}},
    )
    with contextlib.suppress(Exception):  # The plugin that failed the call may raise again.
        await session.append(
            context,
            Event(
                invocation_id=session.invocation_id,
                author=session.agent.name,
                content=types.Content(role="user", parts=[types.Part(function_response=response)]),
            ),
        )


@contextlib.asynccontextmanager
async def _node_events_appended(session: RehearsalSession, context, tool):
    """Appends the events that a tool queues while it runs a workflow node, as ADK does."""
    if not _may_run_nodes(tool):
        yield
        return
    queue: asyncio.Queue = asyncio.Queue()
    adk_private.EVENT_QUEUE.set_on(context, queue)

    async def take() -> None:
        while True:
            event, taken = await queue.get()
            if not event.partial:
                await session.append(context, event)
            if taken is not None:
                taken.set()

    taking = asyncio.ensure_future(take())
    try:
        yield
    finally:
        taking.cancel()


def _may_run_nodes(tool) -> bool:
    """Whether the tool may run a workflow node: a generator function, or a custom tool class."""
    from google.adk.tools.function_tool import FunctionTool

    function: Any = getattr(tool, "func", None)
    function = inspect.unwrap(function)
    generates = inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function)
    return generates or not isinstance(tool, FunctionTool)


def _open_confirmation(session: RehearsalSession, call_id: str):
    """The unanswered request for confirmation that belongs to the call, or ``None``."""
    answered: set[str | None] = set()
    for event in reversed(session.session.events):
        answered.update(one.id for one in event.get_function_responses())
        for one in event.get_function_calls():
            original = (one.args or {}).get("originalFunctionCall")
            if (
                one.name == "adk_request_confirmation"
                and isinstance(original, dict)
                and original.get("id") == call_id
            ):
                return None if one.id in answered else one
    return None


def _event_of_call(session: RehearsalSession, call_id: str):
    for event in reversed(session.session.events):
        if any(one.id == call_id for one in event.get_function_calls()):
            return event
    return None


def _checked(value: object) -> jsonable.JsonBytes:
    return value if isinstance(value, jsonable.JsonBytes) else jsonable.lenient(value)


def _error(type_name: str, message: str, traceback: str) -> dict:
    return {
        "status": "error",
        "error": {"type": type_name, "message": faults.sendable(message), "traceback": traceback},
    }


_RESERVED_TYPES = frozenset(
    {
        "Cancelled",
        "ConfirmationDenied",
        "WorkerExited",
        "ServerExited",
        "ServerUnusable",
        "InvalidOutput",
        "InvalidArguments",
        "HostUnreachable",
        "ToolError",
    }
)
"""Error types with a fixed meaning. A tool's exception class with the same name gets its module as a
prefix."""


def _error_fields(error: BaseException) -> dict[str, str]:
    fault = faults.describe(error)
    name = fault["type"]
    if name in _RESERVED_TYPES:
        name = f"{type(error).__module__}.{name}"
    return {"type_name": name, "message": fault["message"], "traceback": fault["traceback"]}


def _clear_cancel() -> None:
    task = asyncio.current_task()
    uncancel = getattr(task, "uncancel", None)  # Python 3.11 and newer count cancel requests.
    if uncancel is not None:
        uncancel()
