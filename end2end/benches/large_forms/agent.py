"""An agent whose tools have the largest schemas that people write; its forms are what is measured."""

from google.adk.agents import LlmAgent
from google.adk.tools import BaseTool
from google.genai import types


class Large(BaseTool):
    """A tool that is never called: its form is what counts."""

    def __init__(self, name: str, schema: dict) -> None:
        super().__init__(name=name, description="A large form.")
        self._schema = schema

    def _get_declaration(self) -> types.FunctionDeclaration:
        return types.FunctionDeclaration(
            name=self.name, description=self.description, parameters_json_schema=self._schema
        )

    async def run_async(self, *, args, tool_context):
        return args


def branch(number: int) -> dict:
    """One of 86, 15 members each: some 6,000 lines when all are laid out."""
    member = {"type": "string", "maxLength": 80}
    members = {f"m{place}": {**member, "description": f"Member {place}"} for place in range(14)}
    properties = {"kind": {"const": f"kind{number}"}, **members}
    return {"type": "object", "required": ["kind"], "properties": properties}


def field(number: int) -> dict:
    """Text and numbers in turn."""
    if number % 2 == 0:
        return {"type": "string", "maxLength": 20, "description": "Some text."}
    return {"type": "integer", "maximum": 1000}


UNION = {
    "type": "object",
    "required": ["value"],
    "properties": {"value": {"oneOf": [branch(number) for number in range(86)]}},
}
FIELDS = {"type": "object", "properties": {f"f{number}": field(number) for number in range(1000)}}
NOTHING = {"type": "object", "properties": {}}

root_agent = LlmAgent(
    name="large_forms",
    model="gemini-2.5-flash",
    instruction="Fill in.",
    tools=[
        Large("union_of_86", UNION),
        Large("thousand_fields", FIELDS),
        Large("nothing", NOTHING),
    ],
)
