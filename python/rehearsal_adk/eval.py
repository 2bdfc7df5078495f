"""What functions of an eval suite may use, such as mocks written in Python.

A mock is called with the arguments of the tool, and with ``context`` if it has a parameter of that name::

    # mocks.py, and in the suite: tools: { read: { function: mocks.py:read } }
    def read(policy_id, context):
        if policy_id == "missing":
            raise ToolError("no such policy")
        return {"policy": "Call 999.", "calls": context.state.get("calls", 0)}
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["MockContext", "ToolError"]


class ToolError(Exception):
    """Raise it in a mock for an error that the agent gets, as if the tool had raised it.

    Any other exception is the mock's own fault and ends the run.
    """


@dataclass(frozen=True)
class MockContext:
    """What a mock may know of the call."""

    call_id: str
    """The id of the call."""
    tool_name: str
    """The tool."""
    invocation_id: str
    """The invocation of the framework."""
    state: dict[str, Any]
    """The state of the session when the agent was last seen. A copy: changes have no effect."""
    now_ms: int
    """Milliseconds since the run began."""

    def now(self) -> int:
        """Milliseconds since the run began. Use it instead of a clock, so that a run can be repeated."""
        return self.now_ms
