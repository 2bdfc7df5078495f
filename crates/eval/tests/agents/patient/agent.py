"""A patient, who is a user of other agents. Its model answers as the prompt has it, and counts what it hears."""

import os

from google.adk.agents import LlmAgent
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.genai import types

from rehearsal_adk.eval import with_state_change


def reveal_condition(condition: str, tool_context) -> dict:
    """Call it when you mention a condition from your history."""
    tool_context.state["told"] = condition
    return with_state_change({"noted": condition}, {"patient": {"revealed": [condition]}})


def leave() -> None:
    """Ends everything."""
    os._exit(7)


class Patient(BaseLlm):
    """The model."""

    model: str = "patient-1"

    async def generate_content_async(self, llm_request, stream=False):
        """One response."""
        last = llm_request.contents[-1].parts[-1]
        heard = len(llm_request.contents)
        if last.function_response:
            part = types.Part(text=f"I have {last.function_response.response['noted']} ({heard})")
        elif "history" in last.text:
            call = types.FunctionCall(name="reveal_condition", args={"condition": "hypertension"})
            part = types.Part(function_call=call)
        elif "leave" in last.text:
            part = types.Part(function_call=types.FunctionCall(name="leave", args={}))
        elif "Goodbye" in last.text:
            part = types.Part(text="Thanks. </finished>")
        elif "cannot be used" in last.text:
            part = types.Part(text='{"confirmed": true}')
        elif "book" in last.text:
            part = types.Part(text="Yes, please")
        elif "fail" in last.text:
            raise RuntimeError("not in the mood")
        elif "nothing" in last.text:
            part = types.Part(text="")
        else:
            part = types.Part(text=f'{{"answer": {heard}}}')
        usage = types.GenerateContentResponseUsageMetadata(
            prompt_token_count=10, candidates_token_count=5
        )
        content = types.Content(role="model", parts=[part])
        yield LlmResponse(content=content, usage_metadata=usage)


root_agent = LlmAgent(name="patient", model=Patient(), tools=[reveal_condition, leave])
