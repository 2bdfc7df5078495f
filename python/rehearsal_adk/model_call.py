"""The callbacks around a model call, where a person responds in place of the model.

The model is called after the user's query and after each tool call's outcome. The before-model
callbacks of plugins and agent get the request, and the after-model callbacks get the person's action
as the model's response. Each runs once per model call.

The person's action is kept. If a callback returns a response, replaces one or raises, a notice says
what ADK would have done, and the export names it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rehearsal_adk import adk_private, jsonable
from rehearsal_adk.session import RehearsalSession

WITHOUT_CALLBACK = "leave the turn out of the case, or have the callback return None there."
"""What a person can do about a callback that responds."""

_MAX_SUMMARY_CHARS = 200
"""How many characters of a callback's response a notice shows."""


def callbacks(
    session: RehearsalSession, hook: str, but: Callable[[Any], bool] = lambda plugin: False
) -> list[str]:
    """Descriptions of the callbacks that run for a model call of the active agent, in ADK's order.
    ``hook`` is such as ``before_model``. Plugins for which ``but`` returns true are omitted."""
    from google.adk.plugins.base_plugin import BasePlugin

    name = f"{hook}_callback"
    by = [
        f"{name} of the plugin {plugin.name}"
        for plugin in session.loaded.plugins
        if getattr(getattr(plugin, name), "__func__", None) is not getattr(BasePlugin, name)
        and not but(plugin)
    ]
    if getattr(session.agent, f"canonical_{hook}_callbacks", None):
        by.append(f"{name} of {session.agent.name}")
    return by


async def before(session: RehearsalSession, agent, request) -> None:
    """Runs the before-model callbacks on the request, as ADK's flow does."""
    handle = adk_private.BEFORE_MODEL.of(adk_private.LLM_FLOW.of(agent))
    context = session.invocation()
    context.agent = agent
    by = " and the ".join(callbacks(session, "before_model"))
    with session.noticed(by):
        answer = await handle(context, request, _response_event(session))
        if answer:
            session.notice(
                f"The {by} responds instead of the model, with {_summary(answer.content)}. ADK "
                "would use that response and skip the model call. Here you respond as the model."
            )
            session.differ(
                f"the {by} responds instead of the model, so google-adk would not use your response: "
                f"{WITHOUT_CALLBACK}"
            )


async def after(session: RehearsalSession, context, content) -> Any:
    """The event of the person's action, with the actions that the after-model callbacks set. The
    model call counts as answered.

    No callbacks run if no model call is open: a tool ended the run, or there is no query yet.
    """
    event = _response_event(session)
    event.content = content
    asked, session.asked = session.asked, None
    by = callbacks(session, "after_model")
    if asked is None or not by:
        return event
    from google.adk.models.llm_response import LlmResponse
    from google.genai import types

    if "canonical_tools_cache" in type(context).model_fields:
        # Without the cache, ADK would list every toolset's tools again.
        context.canonical_tools_cache = list(session.tools.values())
    # A copy: a callback may change the response in place.
    response = LlmResponse(
        content=content.model_copy(deep=True), finish_reason=types.FinishReason.STOP
    )
    said = " and the ".join(by)
    handle = adk_private.AFTER_MODEL.of(adk_private.LLM_FLOW.of(session.agent))
    with session.noticed(said):
        instead = await handle(context, response, event) or response
        if instead.content != content:
            session.notice(
                f"The {said} changes the response. ADK would continue with "
                f"{_summary(instead.content)}. Here your response is kept."
            )
            session.differ(
                f"the {said} changes the response, so google-adk would not use yours: {WITHOUT_CALLBACK}"
            )
    return event


def _response_event(session: RehearsalSession):
    """ADK's event of the model's response. Before-model and after-model callbacks share its actions."""
    from google.adk.events.event import Event

    event = Event(invocation_id=session.invocation_id, author=session.agent.name)
    if session.asked is not None:
        event.actions = session.asked
    return event


def _summary(content) -> str:
    """A short description of a content."""
    said = []
    for part in getattr(content, "parts", None) or ():
        if part.function_call is not None:
            arguments = jsonable.lenient(part.function_call.args or {}).decode()
            said.append(f"the call {part.function_call.name}({arguments})")
        elif part.text:
            said.append(f"“{part.text}”")
    text = ", ".join(said) or "nothing to show"
    return text if len(text) <= _MAX_SUMMARY_CHARS else text[:_MAX_SUMMARY_CHARS] + "…"
