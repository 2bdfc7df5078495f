"""What ADK does around a model call, where a person acts in the model's place.

The model is asked when the user's query came, and again after each call's outcome. Before it is
asked, the before-model callbacks of plugins and agent see the request; once the person acted, the
after-model callbacks see the act as the model's response. Each runs once for each model call.

The person's act stands: a callback that answers in the model's place, puts something else in the
place of an answer or raises becomes a notice that says what ADK would have done.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rehearsal_adk import jsonable
from rehearsal_adk.session import RehearsalSession

_MOST_TOLD = 200
"""How many characters of a callback's own answer a notice repeats."""


def watchers(
    session: RehearsalSession, hook: str, but: Callable[[Any], bool] = lambda plugin: False
) -> list[str]:
    """Whose callbacks see a model call of the agent in charge, in ADK's order and worded for the
    reader. ``hook`` is ``before_model`` or ``after_model``; plugins that ``but`` holds for are left
    out."""
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


async def before(session: RehearsalSession, agent, request) -> bool:
    """Runs the before-model callbacks on the request, as ADK's flow does.

    Returns whether they ran: ``False`` where the flow's handling of them has moved.
    """
    flow = getattr(agent, "_llm_flow", None)
    handle = getattr(flow, "_handle_before_model_callback", None)
    if handle is None:
        return False
    context = session.invocation()
    context.agent = agent
    by = " and the ".join(watchers(session, "before_model"))
    with session.noticed(by):
        answer = await handle(context, request, _response_event(session))
        if answer:
            session.notice(
                f"In the model's place answers the {by}, with {_told(answer.content)}: ADK would "
                "take that and not ask the model. Here the model is asked, and you act for it."
            )
    return True


async def after(session: RehearsalSession, context, content) -> Any:
    """The event of what the person did in the model's place, with what the after-model callbacks
    wrote into its actions. The call counts as answered.

    A session whose model is not asked, for a tool ended the run or no query came, runs none.
    """
    event = _response_event(session)
    event.content = content
    asked, session.asked = session.asked, None
    by = watchers(session, "after_model")
    flow = getattr(session.agent, "_llm_flow", None)
    handle = getattr(flow, "_handle_after_model_callback", None)
    if asked is None or not by or handle is None:
        return event
    from google.adk.models.llm_response import LlmResponse
    from google.genai import types

    if "canonical_tools_cache" in type(context).model_fields:
        # Else every toolset is asked for its tools once more.
        context.canonical_tools_cache = list(session.tools.values())
    # A copy: a callback may change the response in place.
    response = LlmResponse(
        content=content.model_copy(deep=True), finish_reason=types.FinishReason.STOP
    )
    said = " and the ".join(by)
    with session.noticed(said):
        instead = await handle(context, response, event) or response
        if instead.content != content:
            session.notice(
                f"The answer is changed by the {said}: ADK would go on with "
                f"{_told(instead.content)}. Here what you did stands."
            )
    return event


def _response_event(session: RehearsalSession):
    """ADK's event of the model's response, to whose actions the callbacks on both sides write."""
    from google.adk.events.event import Event

    event = Event(invocation_id=session.invocation_id, author=session.agent.name)
    if session.asked is not None:
        event.actions = session.asked
    return event


def _told(content) -> str:
    """A content in a few words."""
    said = []
    for part in getattr(content, "parts", None) or ():
        if part.function_call is not None:
            arguments = jsonable.lenient(part.function_call.args or {}).decode()
            said.append(f"the call {part.function_call.name}({arguments})")
        elif part.text:
            said.append(f"“{part.text}”")
    text = ", ".join(said) or "nothing to show"
    return text if len(text) <= _MOST_TOLD else text[:_MOST_TOLD] + "…"
