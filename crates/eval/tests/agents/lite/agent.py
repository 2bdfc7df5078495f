"""An agent whose model is LiteLLM's, and that answers in its place whether LiteLLM is imported."""

import sys

from google.adk.agents import LlmAgent
from google.adk.models import LlmResponse
from google.adk.models.lite_llm import LiteLlm
from google.genai import types


def answer(callback_context, llm_request) -> LlmResponse:
    """Answers in place of the model."""
    text = "imported" if "litellm" in sys.modules else "not imported"
    return LlmResponse(content=types.Content(role="model", parts=[types.Part(text=text)]))


root_agent = LlmAgent(
    name="lite", model=LiteLlm(model="openai/gpt-5-mini"), before_model_callback=answer
)
