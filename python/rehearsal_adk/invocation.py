"""The start and the end of an invocation, as in ADK's runner.

An invocation starts with the user's query and ends with the final response. The callbacks of plugins
and agents run as in the runner. An exception from a callback becomes a notice.
"""

from __future__ import annotations

from rehearsal_adk import adk_private, model_call, tree
from rehearsal_adk.session import RehearsalSession, finishes_task


async def begin(session: RehearsalSession, text: str) -> None:
    """Stores the user's query as the invocation's content and as a session event.

    After a final response, this begins the next turn, with the agent that ADK's runner would choose.
    Runs the plugins' ``on_user_message`` and ``before_run``, then ``before_agent`` of plugins and
    agents.
    """
    from google.adk.events.event import Event
    from google.genai import types

    message = types.Content(role="user", parts=[types.Part(text=text)])
    if session.over:
        session.next_turn()
        session.agent = tree.next_agent(session.loaded.root, session.agent)
    session.user_content = message
    context = session.invocation()
    if session.has_run:
        with session.noticed("on_user_message_callback"):
            replaced = await session.plugin_manager.run_on_user_message_callback(
                user_message=message, invocation_context=context
            )
            if replaced is not None:
                message = replaced
                _notice_rewritten(session, text, message)
    session.user_content = context.user_content = message
    query_event = Event(invocation_id=session.invocation_id, author="user", content=message)
    await session.append(context, query_event, from_user=True)
    if session.has_run:
        await _before_run(session, context)
    # In a later turn, ADK's runner starts with the active agent itself.
    is_llm = tree.is_llm(session.loaded.root)
    await enter(session, [session.agent] if is_llm else tree.lineage(session.agent))


def _notice_rewritten(session: RehearsalSession, text: str, message) -> None:
    """Tells the person what the model gets in place of their message."""
    parts = message.parts or []
    given = "".join(part.text or "" for part in parts)
    if given == text and len(parts) == 1:
        return
    others = sum(part.text is None for part in parts)
    more = f", and {others} other part{'' if others == 1 else 's'}" if others else ""
    session.notice(f"A plugin rewrote the message \"{text}\". The model gets \"{given}\"{more}.")


async def _before_run(session: RehearsalSession, context) -> None:
    with session.noticed("before_run_callback"):
        answer = await session.plugin_manager.run_before_run_callback(invocation_context=context)
        if answer is not None:
            session.notice(
                "A plugin's before_run_callback returned a response. ADK would end the run here."
            )
            session.differ(
                "a plugin's before_run_callback responds instead of the agent, so google-adk would not use your "
                f"response: {model_call.WITHOUT_CALLBACK}"
            )


async def enter(session: RehearsalSession, agents: list, worked=None) -> None:
    """Runs the before-agent callbacks of agents that start to run, outermost first."""
    for agent in agents:
        handle = adk_private.BEFORE_AGENT.get(agent)
        if handle is None:
            continue
        context = session.invocation(worked)
        context.agent = agent
        with session.noticed(f"before_agent_callback of {agent.name}"):
            event = await handle(context)
            if event is not None:
                await session.append(context, event)
            if context.end_invocation:
                session.notice(
                    f"The before_agent_callback of {agent.name} responds instead of the agent. "
                    "ADK would not call the model."
                )
                session.differ(
                    f"the before_agent_callback of {agent.name} responds instead of the agent, so google-adk "
                    f"would not use your response: {model_call.WITHOUT_CALLBACK}"
                )


async def end(session: RehearsalSession, text: str) -> None:
    """Appends the final response as the model's last event and ends the run.

    Runs the after-model callbacks, saves the response under ``output_key``, then runs ``after_agent`` of
    plugins and agents, innermost first, and the plugins' ``after_run``.
    """
    from google.genai import types

    session.over = True
    agent = session.agent
    context = session.invocation()
    content = types.Content(role="model", parts=[types.Part(text=text)])
    event = await model_call.after(session, context, content)
    event.id = session.final_event_id
    save = adk_private.SAVE_OUTPUT.get(agent)
    if save is not None:
        with session.noticed(f"output_key of {agent.name}"):
            save(event)
    with session.noticed("on_event_callback"):
        await session.append(context, event)
    for one in reversed(_running(session)):
        handle = adk_private.AFTER_AGENT.get(one)
        if handle is None:
            continue
        context = session.invocation()
        context.agent = one
        with session.noticed(f"after_agent_callback of {one.name}"):
            event = await handle(context)
            if event is not None:
                await session.append(context, event)
    if not session.has_run:
        return
    with session.noticed("after_run_callback"):
        await session.plugin_manager.run_after_run_callback(invocation_context=session.invocation())


def _running(session: RehearsalSession) -> list:
    """The agents that are still running in ADK at the final response, outermost first.

    Below an ``LlmAgent`` root, ADK runs no after-agent callbacks for an agent that transferred away
    or whose task is finished. Below any other root, such an agent continues when the agent that it
    transferred to ends.
    """
    if any(finishes_task(event) for event in session.session.events):
        return []
    line = tree.lineage(session.agent)
    if not tree.is_llm(session.loaded.root):
        return line
    left = [place for place, one in enumerate(line[:-1]) if tree.is_llm(one)]
    return line[left[-1] + 1 :] if left else line
