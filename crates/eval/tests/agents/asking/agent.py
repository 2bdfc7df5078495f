"""An agent whose tool asks for a key."""

from fastapi.openapi.models import APIKey, APIKeyIn
from google.adk.agents import LlmAgent
from google.adk.auth.auth_credential import AuthCredential, AuthCredentialTypes
from google.adk.auth.auth_tool import AuthConfig
from google.adk.tools import ToolContext

KEY = AuthConfig(
    auth_scheme=APIKey(**{"in": APIKeyIn.header, "name": "X-Key"}),
    raw_auth_credential=AuthCredential(auth_type=AuthCredentialTypes.API_KEY),
)


def open_account(tool_context: ToolContext) -> dict:
    """Opens the account."""
    credential = tool_context.get_auth_response(KEY)
    if credential is None:
        tool_context.request_credential(KEY)
        return {"status": "waits for a key"}
    return {"opened_with": credential.api_key}


root_agent = LlmAgent(name="asking", model="gemini-2.5-flash", tools=[open_account])
