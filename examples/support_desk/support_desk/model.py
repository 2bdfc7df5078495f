"""The rules that stand in for a language model, so that the example runs without a key.

They take what they read as it is. The same instruction and messages always have the same response.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator
from typing import Any

from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types


class RuleModel(BaseLlm):
    """A model that follows the rules below."""

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        contents = llm_request.contents
        asked = "\n".join(
            part.text for content in contents if content.role == "user" for part in content.parts if part.text
        )
        result = contents[-1].parts[-1].function_response
        if result is None:
            part = look_up(asked)
        elif result.name == "find_order":
            part = decide(asked, result.response, str(llm_request.config.system_instruction))
        else:
            part = types.Part(text=f"I have refunded {result.response.get('refunded')} euros.")
        yield LlmResponse(content=types.Content(role="model", parts=[part]))


def look_up(asked: str) -> types.Part:
    """The order comes first."""
    if number := number_in(asked):
        return types.Part.from_function_call(name="find_order", args={"order_id": number})
    return types.Part(text="What is the number of your order?")


def decide(asked: str, order: dict[str, Any], instruction: str) -> types.Part:
    """What the order means for what the customer asked."""
    item = order.get("item", "order")
    if error := order.get("error"):
        return types.Part(text=error)
    if "broken" not in asked:
        return types.Part(text=f"Your {item} arrives on {order.get('arrives_on', 'another day')}.")
    if order.get("days_since_delivery", 0) > 30:
        return types.Part(text=f"I am sorry, your {item} was delivered more than 30 days ago.")
    total = order.get("total", 0)
    euros = total / 100 if "cents" in instruction else total
    return types.Part.from_function_call(
        name="refund", args={"order_id": number_in(asked), "euros": euros}
    )


def number_in(text: str) -> str | None:
    """The first number of an order."""
    found = re.search(r"[A-Z]-\d+", text)
    return found and found.group()
