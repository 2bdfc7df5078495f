"""Names a model of LiteLLM and counts tokens."""

from google.adk.models.lite_llm import LiteLlm

MODEL = LiteLlm(model="openai/gpt-4o")


def callback():
    import litellm

    return litellm.token_counter(model="gpt-4o", text="How many tokens?")
