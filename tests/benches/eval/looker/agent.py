"""An agent whose model is prepared: two calls and a text."""

from google.adk.agents import LlmAgent
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.genai import types


class Prepared(BaseLlm):
    """The model."""

    async def generate_content_async(self, llm_request, stream=False):
        calls = sum(
            1 for content in llm_request.contents for part in content.parts if part.function_call
        )
        if calls < 2:
            function = types.FunctionCall(name="look", args={"at": f"x{calls}"})
            part = types.Part(function_call=function)
        else:
            part = types.Part(text="Seen both")
        yield LlmResponse(content=types.Content(role="model", parts=[part]))


def look(at: str) -> dict:
    """Looks.

    Args:
        at: Where.
    """
    return {"seen": at}


root_agent = LlmAgent(name="looker", model=Prepared(model="prepared"), tools=[look])
