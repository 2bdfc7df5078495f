"""What a tool returned, seen where ADK hands it to the plugins.

ADK wraps a result that is no dict into ``{"result": ...}``, after which 5 and ``{"result": 5}``
look alike. This plugin stands first in the plugin manager, notes the result as it was returned, and
answers nothing, so that every other plugin and callback runs as if it were not there.
"""

from __future__ import annotations

from google.adk.plugins.base_plugin import BasePlugin

NOTHING = object()
"""No result was seen."""


class ToolObserver(BasePlugin):
    """Notes the result of the call it was told to watch."""

    def __init__(self) -> None:
        super().__init__(name="rehearsal_tool_observer")
        self._watched: str | None = None
        self.returned: object = NOTHING
        self.actions = None

    @property
    def returned_at_all(self) -> bool:
        """Whether the watched call got as far as a result."""
        return self.returned is not NOTHING

    def watch(self, call_id: str) -> None:
        """Forgets the last call and waits for this one."""
        self._watched = call_id
        self.returned = NOTHING
        self.actions = None

    async def after_tool_callback(self, *, tool, tool_args, tool_context, result):
        """Notes the result, unless it belongs to a tool of an agent inside a tool."""
        if tool_context.function_call_id == self._watched:
            self.returned = result
            self.actions = tool_context.actions
        return None

    def result_of(self, response: dict) -> object:
        """The call's result, given the response that ADK built from it.

        It is what the tool returned, unless a callback put something else in its place.
        """
        returned = self.returned
        if returned is NOTHING:
            return response
        if isinstance(returned, dict):
            return response if _differs(returned, response) else returned
        if len(response) == 1 and response.get("result", NOTHING) is returned:
            return returned
        if not response and _is_media(returned):
            return returned
        return response


def _differs(returned: dict, response: dict) -> bool:
    if returned.keys() == response.keys():
        return any(returned[key] is not response[key] for key in returned)
    # ADK takes media parts out of a result; what is left is a part of what was returned.
    return not all(key in returned and returned[key] is response[key] for key in response)


def _is_media(value: object) -> bool:
    from google.genai import types

    if isinstance(value, (list, tuple)):
        return any(_is_media(item) for item in value)
    return isinstance(value, types.Part)
