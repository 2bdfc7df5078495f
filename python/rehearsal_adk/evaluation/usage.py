"""The tokens of requests to models, as the engine gets them."""

from __future__ import annotations

from typing import Any


def of(response: Any, model: str) -> dict[str, Any] | None:
    """The tokens of a request and its response, where the service says."""
    usage = response.usage_metadata
    if not usage:
        return None
    tokens = {"input": usage.prompt_token_count or 0, "output": usage.candidates_token_count or 0}
    return {"model": model, **tokens}
