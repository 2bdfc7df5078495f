"""The ``SessionView``: exactly what the model would get.

ADK's request processors assemble a request for the active agent. The view is built from that request:
the system instruction with its placeholders filled, and every declaration in order, including those
that ADK adds (``transfer_to_agent``, ``set_model_response``, ...).

The request is assembled for a session that contains only the user's query. Later events change only
the contents, which a view does not show, and some processors act on them: they execute a
confirmation, or have a model summarize a long history.

Before-model callbacks get this request with the whole conversation, once per model call, and the view
is built from the request after them. A view outside a model call runs no callbacks.
"""

from __future__ import annotations

import logging
import re
from typing import Any

from rehearsal_adk import adk_private, jsonable, loading, model_call, tree
from rehearsal_adk.faults import Fault, message_of
from rehearsal_adk.session import RehearsalSession

logger = logging.getLogger("rehearsal_adk")

_MISSING = re.compile(r"Context variable not found: `([^`]+)`")
_MAX_MISSING = 100


async def look(session: RehearsalSession, opening: bool = False) -> dict:
    """Builds the session's view outside a model call and updates ``session.tools``, where calls find
    their tools.

    Raises:
      Fault: ``opening`` is set and a toolset cannot deliver its tools.
    """
    return await _build(session, opening=opening)


async def ask(session: RehearsalSession) -> bool:
    """Opens a model call, which the person answers. Returns whether callbacks ran on the request. If so,
    ``session.seen`` is its view. Without callbacks, no request is built."""
    from google.adk.events.event_actions import EventActions

    session.asked = EventActions()
    session.seen = None
    if not tree.is_llm(session.agent) or not model_call.callbacks(session, "before_model"):
        return False
    session.seen = await _build(session, asking=True)
    return True


async def now(session: RehearsalSession) -> dict:
    """The view of the last model call's request if callbacks ran, otherwise a new view."""
    return await look(session) if session.seen is None else session.seen


async def _build(session: RehearsalSession, opening: bool = False, asking: bool = False) -> dict:
    warnings = list(session.loaded.warnings)
    agent = session.agent
    if not tree.is_llm(agent):
        warnings.append(
            f"{session.loaded.app_name} has no LLM agent: {type(agent).__name__} "
            f"{getattr(agent, 'name', '')} runs without one, so there is nothing to rehearse."
        )
        return _empty(session, warnings)
    if session.caller is not None and not _reached_by_transfer(session):
        root = session.loaded.root
        warnings.append(
            f"The tool is the {type(root).__name__} {root.name}, which does not call a model itself. "
            f"You act as its first agent that does, {agent.name}. See sub_agents for all."
        )
    owners, faults = await _toolsets(session)
    if faults and opening:
        raise faults[0]
    warnings.extend(f"{fault} Its tools are missing." for fault in faults)
    request, agent = await _request(session, warnings)
    query = _text_of(session.user_content)
    conversation = [one for one in request.contents if _text_of(one) == query]
    if asking:
        conversation = await _whole_conversation(session, agent, request, conversation)
        await model_call.before(session, agent, request)
    else:
        await _global_instructions(session, agent, request)
        warnings.extend(_changed_later(session))
    session.tools = dict(request.tools_dict)
    declared, model_side = _declarations(request)
    declared = _with_valid_names(declared, warnings)
    return {
        "app_name": session.loaded.app_name,
        "agent": {**tree.summary(session.agent), "model": _model(session.agent, request)},
        "instruction": _instruction(request, conversation),
        "instruction_template": _template(session.agent),
        "tools": [_tool(one, session, owners) for one in declared],
        "model_side_tools": model_side,
        "input_schema": _schema(agent, "input_schema", warnings),
        "output_schema": _schema(agent, "output_schema", warnings),
        "sub_agents": _sub_agents(session),
        "workflow": _workflow(session),
        "warnings": warnings,
    }


async def _whole_conversation(session: RehearsalSession, agent, request, asked: list) -> list:
    """Replaces ``asked``, the contents of the query, with ADK's contents of the whole session. Returns
    the request's contents that belong to the conversation."""
    context = session.invocation()
    context.agent = agent
    before = request.contents
    apart = [one for one in before if not _is_among(one, asked)]
    request.contents = list(apart)
    try:
        from google.adk.flows.llm_flows import contents

        async for _event in contents.request_processor.run_async(context, request):
            pass
    except Exception:  # The callbacks then get only the query.
        logger.exception("ADK could not put the conversation into the model's request")
        request.contents = before
    return [one for one in request.contents if not _is_among(one, apart)]


def _changed_later(session: RehearsalSession) -> list[str]:
    """A warning if before-model callbacks may change the request.

    Such callbacks may count calls, query services or respond in place of the model. Views are built
    more often than models are called, so a view does not run them.
    """
    by = model_call.callbacks(session, "before_model", but=_is_for_every_agent)
    if not by:
        return []
    return [
        "The model may get a different request: each model call first runs the "
        f"{' and the '.join(by)}."
    ]


def _with_valid_names(declared: list, warnings: list[str]) -> list:
    """The declarations with a valid name. Each other one adds a warning."""
    kept = []
    for one in declared:
        name = one.name or ""
        if not name.strip() or len(name.encode()) > 512 or not name.isprintable():
            warnings.append(
                f"A tool is left out: its name {name[:80]!r} is empty, too long or has characters "
                "that cannot be shown. No model could call it either: rename it."
            )
        else:
            kept.append(one)
    return kept


async def refresh(session: RehearsalSession) -> jsonable.JsonBytes | None:
    """The view as JSON if it differs from the last one sent, otherwise ``None``."""
    view = await now(session)
    if _with_notices(session, view) == session.last_view:
        return None
    return remember(session, view)


def remember(session: RehearsalSession, view: dict) -> jsonable.JsonBytes:
    """The view as JSON, with the state and all notices. Stores it as the last one sent."""
    view = session.last_view = _with_notices(session, view)
    members: dict[str, object] = {key: jsonable.lenient(value) for key, value in view.items()}
    members["state"] = session.state_text()
    return jsonable.compose(members)


def _with_notices(session: RehearsalSession, view: dict) -> dict:
    return {
        **view,
        "warnings": view["warnings"] + session.notices,
        "artifacts": list(session.artifacts),
        "runner_differences": session.differences + _unknown_differences(session),
    }


def _unknown_differences(session: RehearsalSession) -> list[dict]:
    """The callbacks of which it is not known whether they responded, because another worker ran them. They may
    have effects, so they are not run again."""
    hooks = ("before_agent", "before_model", "before_tool") if session.resumed else ()
    by = [one for hook in hooks for one in model_call.callbacks(session, hook, _is_for_every_agent)]
    if not by:
        return []
    text = (
        f"The session was reopened, so it is not known whether the {' and the '.join(by)} responded before that: "
        "try the case with `adk eval`, or start over."
    )
    return [{"text": text, "turn": None, "call_id": None}]


async def _toolsets(session: RehearsalSession) -> tuple[dict[str, str], list[Fault]]:
    """The class of the toolset that provides each tool, and the faults of toolsets that failed.

    ADK ignores such a failure and runs the agent without the tools.
    """
    from google.adk.agents.readonly_context import ReadonlyContext
    from google.adk.tools.base_toolset import BaseToolset

    owners: dict[str, str] = {}
    faults = []
    for one in session.agent.tools:
        if not isinstance(one, BaseToolset):
            owners[str(getattr(one, "name", None) or getattr(one, "__name__", ""))] = "agent"
            continue
        kind = type(one).__name__
        try:
            context = ReadonlyContext(session.invocation(_query_only(session)))
            for tool in await one.get_tools_with_prefix(context):
                owners.setdefault(tool.name, kind)
        except Exception as error:
            text = message_of(error) or "no reason given"
            faults.append(
                Fault(
                    type(error).__name__,
                    f"The toolset {kind} of the agent {session.agent.name} cannot deliver its "
                    f"tools: {text}.",
                    error,
                )
            )
    return owners, faults


async def _request(session: RehearsalSession, warnings: list[str]):
    agent = session.agent
    try:
        _ = agent.canonical_model
    except Exception as error:
        warnings.append(
            f"The model of {agent.name} cannot be resolved ({message_of(error)}). "
            "A basic model is assumed."
        )
        agent = agent.model_copy(update={"model": _stand_in_model(agent)})
    missing: dict[str, str] = {}
    while True:
        try:
            return await _assemble(session, agent, missing, warnings), agent
        except KeyError as error:
            found = _MISSING.search(str(error))
            if found is None or found.group(1) in missing or len(missing) >= _MAX_MISSING:
                return await _fallback_request(session, agent, error, warnings), agent
            name = found.group(1)
            # ADK would fail here. Show the placeholder instead of a value.
            missing[name] = "{" + name + "}"
            warnings.append(
                f"The instruction needs the state `{name}`, which is not set: ADK would end the "
                "run here. Add it to the initial state, or configure `state = { ... }` for this agent."
            )
            if session.user_content is not None:
                session.differ(
                    f"The instruction of {agent.name} needs the state `{name}`, which is not set, so google-adk "
                    "raises a KeyError: start over with it in the initial state, or write "
                    f"`{{{name}?}}` in the instruction.",
                    in_turn=False,
                )
        except Exception as error:
            logger.exception("ADK could not assemble the model's request")
            return await _fallback_request(session, agent, error, warnings), agent


async def _assemble(session, agent, missing: dict[str, str], warnings: list[str]):
    from google.adk.models.llm_request import LlmRequest

    context = session.invocation(_query_only(session, missing))
    context.agent = agent
    request = LlmRequest()
    preprocess = adk_private.PREPROCESS.of(adk_private.LLM_FLOW.of(agent))
    async for _event in preprocess(context, request):
        pass
    if context.end_invocation:
        warnings.append(
            "ADK would pause here for credentials before it calls the model. "
            "Tools that need them may be missing."
        )
    return request


async def _global_instructions(session, agent, request) -> None:
    """Applies ADK's ``GlobalInstructionPlugin``, which works in a before-model callback."""
    from google.adk.agents.callback_context import CallbackContext

    context = session.invocation(_query_only(session))
    context.agent = agent
    for plugin in session.loaded.plugins:
        if _is_for_every_agent(plugin):
            await plugin.before_model_callback(
                callback_context=CallbackContext(context), llm_request=request
            )


def _is_for_every_agent(plugin) -> bool:
    try:
        from google.adk.plugins.global_instruction_plugin import GlobalInstructionPlugin
    except ImportError:
        return False
    return isinstance(plugin, GlobalInstructionPlugin)


async def _fallback_request(session, agent, error: Exception, warnings: list[str]):
    """A request built with ADK's public API, if the flow's private parts fail or are missing."""
    from google.adk.agents.readonly_context import ReadonlyContext
    from google.adk.models.llm_request import LlmRequest
    from google.adk.tools.tool_context import ToolContext

    if not isinstance(error, adk_private.MissingName):  # The warnings have it.
        warnings.append(
            f"ADK could not assemble the model's request ({type(error).__name__}: "
            f"{message_of(error)}). The agent's own instruction and tools are shown, without "
            "what ADK adds."
        )
    context = session.invocation(_query_only(session))
    context.agent = agent
    # Some tools check the model.
    request = LlmRequest(model=agent.canonical_model.model)
    try:
        text, _ = await agent.canonical_instruction(ReadonlyContext(context))
        request.append_instructions([text])
        for tool in await agent.canonical_tools(ReadonlyContext(context)):
            await tool.process_llm_request(tool_context=ToolContext(context), llm_request=request)
    except Exception as broken:
        logger.exception("The agent's own instruction and tools cannot be read")
        warnings.append(f"{type(broken).__name__}: {message_of(broken)}")
    return request


def _query_only(session: RehearsalSession, extra: dict[str, str] | None = None):
    query = [
        event
        for event in session.session.events
        if event.author == "user" and event.invocation_id == session.invocation_id
    ][:1]
    return session.session.model_copy(
        update={"events": query, "state": {**session.session.state, **(extra or {})}}
    )


def _stand_in_model(agent):
    from google.adk.models.base_llm import BaseLlm

    class UnresolvedModel(BaseLlm):
        """A placeholder for a model that cannot be resolved."""

        async def generate_content_async(self, llm_request, stream=False):
            raise NotImplementedError("A rehearsal does not call the model.")
            yield

    return UnresolvedModel(model=str(agent.model))


def _declarations(request) -> tuple[list, list[str]]:
    declared: list[Any] = []
    model_side: list[str] = []
    for entry in request.config.tools or ():
        functions = getattr(entry, "function_declarations", None)
        declared.extend(functions or ())
        if hasattr(entry, "model_fields_set"):
            names = sorted(entry.model_fields_set - {"function_declarations"})
            model_side.extend(name for name in names if getattr(entry, name) is not None)
        elif not functions:
            model_side.append(getattr(entry, "__name__", type(entry).__name__))
    return declared, model_side


def waits(tool) -> bool:
    """Whether a call returns before its result is known."""
    return bool(getattr(tool, "is_long_running", False)) or is_task(tool)


def is_task(tool) -> bool:
    """Whether a call delegates a task to another agent until it finishes the task."""
    return bool(adk_private.DEFERS_RESPONSE.get(tool))


def runs_agent(tool) -> bool:
    """Whether a call runs another agent on its own model, unless the person supplies the result."""
    try:
        from google.adk.tools.agent_tool import AgentTool
    except ImportError:  # This ADK version has no such tool, or has it in another module.
        return False
    return isinstance(tool, AgentTool) and not is_task(tool)


def can_be_played(tool) -> bool:
    """Whether a person can play the agent that the tool is."""
    if not runs_agent(tool) or tree.first_llm(tool.agent) is None:
        return False
    if not all(name.exists() for name in adk_private.TO_ACT_AS_TOOL):
        return False
    from google.adk.tools.agent_tool import AgentTool

    return type(tool).run_async is AgentTool.run_async or is_single_turn(tool)


def is_single_turn(tool) -> bool:
    """Whether the tool is a sub-agent with ``mode="single_turn"``, which ADK runs as a part of its caller's
    run."""
    single_turn = adk_private.SINGLE_TURN_TOOL
    return single_turn.exists() and type(tool) is single_turn.value()


def model_of(tool) -> str:
    """The model of the agent that the tool runs, as the page shows it."""
    agent = tree.first_llm(tool.agent)
    return (_model(agent, None) if agent is not None else None) or "its model"


def _tool(declaration, session: RehearsalSession, owners: dict[str, str]) -> dict:
    plain = declaration.model_dump(mode="json", exclude_none=True)
    if declaration.parameters_json_schema is not None:
        kind, parameters = "json_schema", plain.get("parameters_json_schema")
    elif declaration.parameters is not None:
        # Unchanged: the form and the host read google.genai's schema type. Its conversion to JSON
        # Schema loses the order of properties, and allows only null where any_of is nullable.
        kind, parameters = "genai", plain.get("parameters")
    else:
        kind, parameters = "none", None
    tool = session.tools.get(declaration.name)
    return {
        "name": declaration.name,
        "description": declaration.description or "",
        "declaration": plain,
        "parameters": parameters,
        "parameters_kind": kind,
        "response_schema": plain.get("response_json_schema", plain.get("response")),
        "long_running": waits(tool),
        "needs_confirmation": bool(adk_private.FUNCTION_CONFIRMATION.get(tool)),
        "agent_model": model_of(tool) if runs_agent(tool) else None,
        "can_be_played": can_be_played(tool),
        "provided_by": owners.get(declaration.name, "adk"),
    }


def _instruction(request, conversation: list) -> str:
    parts = [_text_of(request.config.system_instruction)]
    # With a static instruction, ADK sends the resolved one as content of the request. Callbacks
    # may add contents too.
    parts.extend(_text_of(one) for one in request.contents if not _is_among(one, conversation))
    return "\n\n".join(part for part in parts if part)


def _is_among(content, contents: list) -> bool:
    return any(one is content for one in contents)


def _template(agent) -> str | None:
    """The agent's instruction as written, or ``None`` if a function returns it."""
    written = getattr(agent, "instruction", None)
    return written if isinstance(written, str) else None


def _text_of(content) -> str:
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, (list, tuple)):
        return "\n\n".join(filter(None, map(_text_of, content)))
    if getattr(content, "parts", None) is not None:
        return "\n".join(part.text for part in content.parts if part.text)
    return getattr(content, "text", None) or ""


def _model(agent, request) -> str | None:
    for model in (getattr(request, "model", None), getattr(agent, "model", None)):
        name = model if isinstance(model, str) else getattr(model, "model", None)
        if name:
            return str(name)
    try:
        return str(agent.canonical_model.model)
    except Exception:
        return None


def _schema(agent, field: str, warnings: list[str]):
    given = getattr(agent, field, None)
    if given is None:
        return None
    try:
        if isinstance(given, dict):
            return given
        from google.genai import types
        from pydantic import TypeAdapter

        if isinstance(given, types.Schema):
            return given.model_dump(mode="json", exclude_none=True)
        return TypeAdapter(given).json_schema()
    except Exception as error:
        warnings.append(f"The {field} of {agent.name} has no JSON Schema: {message_of(error)}")
        return None


def _sub_agents(session: RehearsalSession) -> list[dict]:
    agent, root = session.agent, session.loaded.root
    if agent is root or tree.is_llm(root):
        return [tree.summary(one) for one in tree.children(agent)]
    return [tree.summary(one) for one in tree.walk(root) if one is not root]


def _workflow(session: RehearsalSession) -> dict | None:
    """The workflow that ADK's runner would run, of which the person acts as one agent only. ``None`` if the root
    is an agent that calls a model, and for an agent that is played as a tool."""
    root = session.loaded.root
    if session.caller is not None or tree.is_llm(root):
        return None
    return {
        "name": str(getattr(root, "name", "")),
        "kind": type(root).__name__,
        "folder": loading.folder_of(session.agent),
    }


def _reached_by_transfer(session: RehearsalSession) -> bool:
    return tree.is_llm(session.loaded.root) or session.agent is not tree.first_llm(
        session.loaded.root
    )


def _empty(session: RehearsalSession, warnings: list[str]) -> dict:
    session.tools = {}
    return {
        "app_name": session.loaded.app_name,
        "agent": {**tree.summary(session.agent), "model": None},
        "instruction": "",
        "instruction_template": None,
        "tools": [],
        "model_side_tools": [],
        "input_schema": None,
        "output_schema": None,
        "sub_agents": _sub_agents(session),
        "workflow": _workflow(session),
        "warnings": warnings,
    }
