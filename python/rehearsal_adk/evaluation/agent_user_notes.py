"""What an agent that is a user agent does: its calls with the changes that they make, and what its models take."""

from __future__ import annotations

import functools
from typing import Any

from google.adk.plugins.base_plugin import BasePlugin
from google.adk.tools.function_tool import FunctionTool

from rehearsal_adk import adk_private, faults
from rehearsal_adk.eval import StateChange
from rehearsal_adk.evaluation import usage

Taken = tuple[list[dict[str, Any]], list[dict[str, Any]]]


class Notes(BasePlugin):
    """Notes the calls and the tokens of the agent and of agents that it uses as tools."""

    def __init__(self) -> None:
        super().__init__(name="rehearsal_agent_user")
        self._calls: list[dict[str, Any]] = []
        self._usage: list[dict[str, Any]] = []
        self._changing: dict[str, dict[str, Any]] = {}

    def taken(self) -> Taken:
        """The calls and the tokens since the last time."""
        # Those that are left are of an agent that is used as a tool without the plugins of its caller.
        taken = [*self._calls, *self._changing.values()], self._usage
        self._calls, self._usage, self._changing = [], [], {}
        return taken

    def note_changes(self, call_id: str, call: dict[str, Any]) -> None:
        """Notes a call that changes the state of the agent under test."""
        self._changing[call_id] = call

    async def after_model_callback(self, *, callback_context: Any, llm_response: Any) -> None:
        """Notes the tokens."""
        if llm_response.partial:
            return
        agent = adk_private.INVOCATION_CONTEXT.of(callback_context).agent
        model = llm_response.model_version or str(getattr(agent.canonical_model, "model", ""))
        if used := usage.of(llm_response, model):
            self._usage.append(used)

    async def after_tool_callback(
        self, *, tool: Any, tool_args: dict[str, Any], tool_context: Any, result: Any
    ) -> None:
        """Notes a call."""
        self._note(tool, tool_args, tool_context, result)

    async def on_tool_error_callback(
        self, *, tool: Any, tool_args: dict[str, Any], tool_context: Any, error: Exception
    ) -> None:
        """Notes a call that failed."""
        self._note(tool, tool_args, tool_context, {"error": faults.message_of(error) or type(error).__name__})

    def _note(self, tool: Any, args: dict[str, Any], context: Any, result: Any) -> None:
        changing = self._changing.pop(context.function_call_id, None)
        changes = changing["changes"] if changing else {}
        self._calls.append({"name": tool.name, "args": args, "result": result, "changes": changes})


def unwrap_state_changes(notes: Notes) -> None:
    """Lets functions that are tools return `with_state_change`. The agent gets the result alone."""
    run = FunctionTool.run_async

    @functools.wraps(run)
    async def run_async(self: Any, *, args: dict[str, Any], tool_context: Any) -> Any:
        result = await run(self, args=args, tool_context=tool_context)
        if isinstance(result, StateChange):
            call = {"name": self.name, "args": args, "result": result.result, "changes": result.changes}
            notes.note_changes(tool_context.function_call_id, call)
            return result.result
        return result

    FunctionTool.run_async = run_async  # type: ignore[method-assign]
