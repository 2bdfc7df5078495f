"""Finds models that the agents name themselves and that cannot be asked: unknown to google-adk, or without a key.

Otherwise this shows only when the agent first asks. What is looked at sends nothing. Models of other classes than
google-adk's, and agents whose model a callback or a plugin may replace, are left to the run.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterator
from typing import Any

from google.adk.agents.llm_agent import LlmAgent
from google.adk.models.google_llm import Gemini
from google.adk.plugins.base_plugin import BasePlugin

from rehearsal_adk import adk_private, faults
from rehearsal_adk.evaluation import given_model, unseen

_BEGINNINGS = ("gemini", "gemma", "claude", "gpt", "openai", "anthropic", "ollama", "vertex_ai", "azure")
"""How the names of models begin that google-adk knows."""


def unusable(root: Any, plugins: list[Any]) -> str | None:
    """Why a model that an agent at any depth names cannot be asked, and the remedy; None if there is none."""
    if any(_replaces(type(plugin), BasePlugin) for plugin in plugins):
        return None
    for agent in unseen.agents(root):
        if not isinstance(agent, LlmAgent) or agent.before_model_callback:
            continue
        for message in _of_agent(agent):
            return f"{message} Or give the case another model with `model`."
    return None


def near(name: str) -> str:
    """A hint at the name that was meant, to stand behind an error; empty if none is near."""
    beginning, rest = re.fullmatch(r"([^-/:]*)(.*)", name, re.DOTALL).groups()  # type: ignore[union-attr]
    found = difflib.get_close_matches(beginning, _BEGINNINGS, 1)
    return f" Did you mean {found[0]}{rest}?" if found and found[0] != beginning else ""


def _of_agent(agent: LlmAgent) -> Iterator[str]:
    named = f"the agent {agent.name} names the model "
    try:
        model = given_model.own(agent)
        adk_private.check_model(model)
    except Exception as error:
        name = agent.model if isinstance(agent.model, str) else type(agent.model).__name__
        reason = faults.reason_of(error).rstrip(".")
        yield f"{named}{name}, which google-adk cannot use: {reason}.{near(name)}"
        return
    if missing := _missing_key(model):
        yield f"{named}{model.model}, and its key is missing; {missing}."


def _missing_key(model: Any) -> str | None:
    """What to set, if the model's client would find no key."""
    kind = type(model)
    if isinstance(model, Gemini):
        is_own = kind.__dict__.get("api_client", Gemini.__dict__["api_client"])
        if is_own is not Gemini.__dict__["api_client"] or not kind.__module__.startswith("google.adk."):
            return None
        configured = getattr(model, "client", None) or getattr(model, "client_kwargs", None)
        if configured or _is_vertex(model.model) or _is_set("GOOGLE_API_KEY", "GEMINI_API_KEY"):
            return None
        return "set the environment variable GEMINI_API_KEY or GOOGLE_API_KEY"
    if kind.__name__ not in ("AnthropicLlm", "LiteLlm") or not kind.__module__.startswith("google.adk."):
        return None
    if kind.__name__ == "LiteLlm":
        given = adk_private.LITELLM_ARGUMENTS.of(model)
        own_client = type(model.llm_client).__name__ != "LiteLLMClient"
        if own_client or any(given.get(key) for key in ("api_key", "api_base", "custom_llm_provider")):
            return None
    try:
        given_model.open_client(model)
    except Exception as error:
        reason = faults.reason_of(error).rstrip(".")
        return reason[:1].lower() + reason[1:]
    return None


def _is_vertex(name: str) -> bool:
    """Whether Gemini is asked through Vertex AI, which has credentials of other kinds."""
    settings = (os.environ.get(f"GOOGLE_GENAI_USE_{kind}", "") for kind in ("VERTEXAI", "ENTERPRISE"))
    return name.startswith("projects/") or any(it.lower() in ("true", "1") for it in settings)


def _is_set(*names: str) -> bool:
    return any(os.environ.get(name) for name in names)


def _replaces(plugin: type, base: type) -> bool:
    return getattr(plugin, "before_model_callback", None) is not getattr(base, "before_model_callback", None)
