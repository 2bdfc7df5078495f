"""The prompt of a simulated user, as the installed google-adk writes it."""

from __future__ import annotations

from typing import Any


def prompt(scenario: dict[str, Any], custom_instructions: Any, stop_signal: str, history: str) -> str | None:
    """The prompt for the user's next message, with ``history`` where the conversation so far belongs.

    None if this google-adk cannot be asked, because packages for its evaluation are not installed.

    Raises `ValueError` where google-adk refuses the scenario or the instructions.
    """
    try:
        from google.adk.evaluation.conversation_scenarios import ConversationScenario
        from google.adk.evaluation.simulation import llm_backed_user_simulator_prompts as prompts
    except ImportError:
        return None
    of = ConversationScenario.model_validate(scenario)
    return prompts.get_llm_backed_user_simulator_prompt(
        conversation_plan=of.conversation_plan,
        conversation_history=history,
        stop_signal=stop_signal,
        custom_instructions=custom_instructions,
        user_persona=of.user_persona,
    )
