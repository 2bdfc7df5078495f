"""Captures a tool's result before ADK wraps it.

ADK wraps a result that is not a dict into ``{"result": ...}``, so 5 and ``{"result": 5}`` become the
same. This plugin is first in the plugin manager and stores the original result. It returns ``None``,
so all other plugins and callbacks run unchanged.
"""

from __future__ import annotations

from google.adk.plugins.base_plugin import BasePlugin

from rehearsal_adk.media import media_in

NOTHING = object()
"""Marks that there is no result."""


class ToolObserver(BasePlugin):
    """Stores the result of the watched call."""

    def __init__(self) -> None:
        super().__init__(name="rehearsal_tool_observer")
        self._watched: str | None = None
        self.returned: object = NOTHING
        self.actions = None

    @property
    def returned_at_all(self) -> bool:
        """Whether the watched call returned a result."""
        return self.returned is not NOTHING

    def watch(self, call_id: str) -> None:
        """Watches this call instead of the last one."""
        self._watched = call_id
        self.returned = NOTHING
        self.actions = None

    async def after_tool_callback(self, *, tool, tool_args, tool_context, result):
        """Stores the result, unless it belongs to a nested agent's tool."""
        if tool_context.function_call_id == self._watched:
            self.returned = result
            self.actions = tool_context.actions
        return None

    def result_of(self, response: dict, parts: object) -> object:
        """The call's result, given the response and the media parts that ADK built from it.

        This is the tool's original result, unless a callback replaced it.
        """
        returned = self.returned
        if returned is NOTHING:
            return response
        if parts and media_in(returned):
            return returned
        if isinstance(returned, dict):
            return response if _differs(returned, response) else returned
        if len(response) == 1 and response.get("result", NOTHING) is returned:
            return returned
        return response


def _differs(returned: dict, response: dict) -> bool:
    if returned.keys() == response.keys():
        return any(returned[key] is not response[key] for key in returned)
    # ADK removes a screenshot from a result. The rest is a subset of the original.
    return not all(key in returned and returned[key] is response[key] for key in response)
