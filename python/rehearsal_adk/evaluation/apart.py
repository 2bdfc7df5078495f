"""Requests to an agent's model apart from the agent's turns, such as that for a summary of the events."""

from __future__ import annotations

import sys
from typing import Any

_LABEL = "adk_agent_name"
"""The label that google-adk gives a request just before an agent's model is asked."""

_OURS = "rehearsal_adk."


def asker(llm_request: Any) -> str | None:
    """The module that asks a model apart from the agents' turns; None for a request of a turn."""
    if agent(llm_request) is not None:
        return None
    frame = sys._getframe(1)
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).startswith(_OURS):
        frame = frame.f_back
    return str(frame.f_globals.get("__name__"))


def agent(llm_request: Any) -> str | None:
    """The agent for a turn of which this request is; None for another request."""
    labels = getattr(getattr(llm_request, "config", None), "labels", None) or {}
    name: str | None = labels.get(_LABEL)
    return name
