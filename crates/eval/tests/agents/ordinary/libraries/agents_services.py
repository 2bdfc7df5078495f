"""Has the services and toolsets of google-adk at import."""

import json

from google.adk.artifacts import InMemoryArtifactService
from google.adk.memory import InMemoryMemoryService
from google.adk.sessions import InMemorySessionService
from google.adk.tools.openapi_tool import OpenAPIToolset

SERVICES = InMemoryArtifactService(), InMemoryMemoryService(), InMemorySessionService()
SPECIFICATION = {
    "openapi": "3.0.0",
    "info": {"title": "Cities", "version": "1"},
    "servers": [{"url": "https://example.com"}],
    "paths": {"/": {"get": {"operationId": "list", "responses": {"200": {"description": "All"}}}}},
}
TOOLS = OpenAPIToolset(spec_str=json.dumps(SPECIFICATION), spec_str_type="json")


async def callback():
    session = await SERVICES[2].create_session(app_name="a", user_id="u")
    return session.id
