"""Makes clients of models at import, with keys and without a request."""

import anthropic
import openai
from google import genai
from google.auth.credentials import AnonymousCredentials

GEMINI = genai.Client(api_key="key")
VERTEX = genai.Client(
    vertexai=True, project="p", location="us-central1", credentials=AnonymousCredentials()
)
OPENAI = openai.AsyncOpenAI(api_key="key")
CLAUDE = anthropic.Anthropic(api_key="key")


def callback():
    assert GEMINI.chats.create(model="gemini-2.5-flash")
    return OPENAI.platform_headers(), CLAUDE.platform_headers()
