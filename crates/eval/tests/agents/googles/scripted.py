"""A model that answers each message of the user as the file says that ``SCRIPTED_MODEL`` names.

The file is a list with one object for each message: ``{"user": TEXT, "steps": [{"text", "calls"}]}``.
Each step is one response. It is read at each request, so that one process can be given one file after
the other.
"""

from __future__ import annotations

import json
import os
from collections.abc import AsyncGenerator
from typing import Any

from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.genai import types


class Scripted(BaseLlm):
    """The model. It always says ``fixed``, if that is given."""

    model: str = "scripted"
    fixed: str = ""

    async def generate_content_async(
        self, llm_request: Any, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        """The step that follows what the conversation has so far."""
        step = {"text": self.fixed} if self.fixed else _step(llm_request.contents)
        parts = [types.Part(text=step["text"])] if step.get("text") else []
        for call in step.get("calls", []):
            function = types.FunctionCall(name=call["name"], args=call["args"])
            parts.append(types.Part(function_call=function))
        yield LlmResponse(content=types.Content(role="model", parts=parts))


def _step(contents: list[types.Content]) -> dict[str, Any]:
    with open(os.environ["SCRIPTED_MODEL"], encoding="utf-8") as file:
        turns = json.load(file)
    turn, step = -1, 0
    for content in contents:
        parts = content.parts or []
        text = "".join(part.text or "" for part in parts)
        if turn + 1 < len(turns) and content.role == "user" and text == turns[turn + 1]["user"]:
            turn, step = turn + 1, 0
        # The calls of another agent are shown as a text.
        elif any(part.function_call for part in parts) or "] called tool `" in text:
            step += 1
    steps: list[dict[str, Any]] = turns[turn]["steps"]
    return steps[step]
