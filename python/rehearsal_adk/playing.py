"""Playing an agent that is a tool: the person acts as the agent that was called.

ADK's function-call handling runs the tool as it always does, up to the point where ``AgentTool`` would
run the agent on its model. There the handling waits for the person's final response, which becomes the
tool's result. The callbacks of the caller, its state and its artifacts therefore come in ADK's order.

Meanwhile the person acts in a ``RehearsalSession`` of the agent. As under ``AgentTool``, it begins with
the caller's state, its artifacts are the caller's, and only its result and its state reach the caller's
session. The played agent may have agents as tools too, so played sessions form a chain.

A sub-agent with ``mode="single_turn"`` is a tool too. ADK runs it within the run and the session of its
caller. Here it has a session of its own as well, whose state reaches the caller with the result: the caller
waits until then, so it cannot notice. Its events are not among the caller's, whose model ADK does not show
them.
"""

from __future__ import annotations

import asyncio
import copy
import dataclasses
import json
import types
from typing import Any

from rehearsal_adk import adk_private, invocation, view
from rehearsal_adk.faults import message_of
from rehearsal_adk.session import RehearsalSession


@dataclasses.dataclass
class Play:
    """An agent that the person plays."""

    call_id: str
    """The call of the agent."""
    tool: Any
    """The tool that was called."""
    context: Any
    """The context of the caller, with the working copy of its session."""
    session: RehearsalSession
    """The session of the agent."""
    responded: asyncio.Future
    """Done once the agent's run has ended."""
    handling: asyncio.Task
    """ADK's handling of the call."""


async def begin(caller: RehearsalSession, context, call, handle, recorded: dict | None = None) -> dict:
    """Starts the handling of the call with ``handle``, up to the start of the agent. Returns the members
    of the outcome: those of the handling if a callback responds instead of the tool.

    ``recorded`` restores the agent's session in place of starting it.
    """
    tool = caller.tools[call.name]
    loop = asyncio.get_running_loop()
    begun, responded = loop.create_future(), loop.create_future()

    async def run_async(*, args: dict, tool_context):
        if view.is_single_turn(tool):
            invalid = _invalid_input(tool.agent, args)
            if invalid is not None:
                return invalid
        elif tool.skip_summarization:
            tool_context.actions.skip_summarization = True
        nested = await _opened(caller, call.id, tool, args, tool_context, recorded)
        begun.set_result(nested)
        await responded
        return _result(tool, nested, tool_context)

    played = copy.copy(tool)
    played.run_async = run_async
    tools, caller.tools = caller.tools, {**caller.tools, call.name: played}
    handling = asyncio.ensure_future(handle())
    try:
        await asyncio.wait({handling, begun}, return_when=asyncio.FIRST_COMPLETED)
    except asyncio.CancelledError:
        handling.cancel()
        raise
    finally:
        caller.tools = tools
    if handling.done():
        return await handling
    caller.play = Play(call.id, tool, context, begun.result(), responded, handling)
    return {"status": "playing", "rejected": None}


async def respond(caller: RehearsalSession, text: str) -> dict:
    """Ends the played agent with its final response, and the handling of its call. Returns the members of
    the outcome. A response that violates the agent's output schema is rejected, and the person goes on.
    """
    play = caller.play
    rejected = _violation(play.tool.agent, text)
    if rejected is not None:
        return {"status": "playing", "rejected": rejected}
    caller.play = None
    try:
        await invocation.end(play.session, text)
        play.responded.set_result(None)
        return await play.handling
    except BaseException:
        play.handling.cancel()
        raise


async def stop(caller: RehearsalSession) -> None:
    """Ends the handling of the call whose agent is played, and of all calls within it."""
    play, caller.play = caller.play, None
    if play is not None:
        await stop(play.session)
        play.handling.cancel()
        await asyncio.gather(play.handling, return_exceptions=True)


async def _opened(caller, call_id: str, tool, args: dict, tool_context, recorded: dict | None):
    """The session of the agent, as ``AgentTool`` makes it."""
    plugins = list(caller.loaded.plugins) if tool.include_plugins else []
    loaded = dataclasses.replace(
        caller.loaded, root=tool.agent, app=types.SimpleNamespace(plugins=plugins)
    )
    nested = RehearsalSession(loaded, f"{caller.id}_{call_id}", caller.user_id)
    nested.caller, nested.called_by = caller, call_id
    nested.has_run = not view.is_single_turn(tool)
    nested.max_result_bytes = caller.max_result_bytes
    nested.artifact_service = adk_private.FORWARDING_ARTIFACTS.value()(tool_context)
    nested.artifacts = caller.artifacts
    nested.credential_service = caller.credential_service
    if recorded is not None:
        await nested.open({}, recorded)
    else:
        content = _request(tool, args)
        state = {
            key: value
            for key, value in tool_context.state.to_dict().items()
            if not key.startswith(("_adk", "temp:"))
        }
        await nested.open(state, None)
        # The host has no record of this session, so the first delta has the whole state.
        nested.forget_state()
        await invocation.begin(nested, content)
        await view.ask(nested)
    return nested


def _invalid_input(agent, args: dict) -> str | None:
    """What ADK returns in place of running the single-turn agent if the arguments do not fit, else
    ``None``."""
    input_schema = adk_private.INPUT_SCHEMA.value()(agent)
    if input_schema:
        try:
            input_schema.model_validate(args)
        except Exception as error:
            return f"Error validating input: {error}"
    return None


def _request(tool, args: dict) -> str:
    """The user's message to the agent, as ADK's tool writes it."""
    input_schema = adk_private.INPUT_SCHEMA.value()(tool.agent)
    if view.is_single_turn(tool):
        from google.adk.utils.content_utils import to_user_content

        given = input_schema.model_validate(args) if input_schema else args.get("request", "")
        parts = to_user_content(adk_private.VALIDATE_INPUT.of(tool.agent)(given)).parts or ()
        return "".join(part.text or "" for part in parts)
    if input_schema:
        return input_schema.model_validate(args).model_dump_json(exclude_none=True)
    if "request" in args:
        return args["request"]
    return json.dumps(args, ensure_ascii=False, sort_keys=True)


def _violation(agent, text: str) -> str | None:
    """Why the text violates the agent's output schema, or ``None``."""
    output_schema = adk_private.OUTPUT_SCHEMA.value()(agent)
    if not output_schema:
        return None
    try:
        adk_private.VALIDATE_SCHEMA.value()(output_schema, text)
    except Exception as error:
        return message_of(error)
    return None


def _result(tool, nested: RehearsalSession, tool_context) -> Any:
    """The tool's result, with the agent's state in the caller's, as ``AgentTool`` returns it."""
    last, state = None, tool_context.state
    if view.is_single_turn(tool):
        # ADK has changed it with the agent's own events, before the result.
        state = adk_private.INVOCATION_CONTEXT.of(tool_context).session.state
    for event in nested.session.events:
        state.update(event.actions.state_delta)
        # Those that another worker recorded, too.
        tool_context.actions.artifact_delta.update(event.actions.artifact_delta)
        if event.content:
            last = event.content
    parts = (last.parts if last is not None else None) or ()
    joined = "" if view.is_single_turn(tool) else "\n"
    text = joined.join(part.text for part in parts if part.text and not part.thought)
    output_schema = adk_private.OUTPUT_SCHEMA.value()(tool.agent)
    return adk_private.VALIDATE_SCHEMA.value()(output_schema, text) if output_schema else text
