"""Two ways from google-adk to a Rehearsal host.

``RehearsalPlugin`` sends the model calls of an agent that runs anywhere to a person: ``live``.

The rest is the worker that hosts one agent for rehearsals. It runs in the agent author's own virtual environment, needs nothing beyond the standard library
and google-adk, and answers JSON-RPC over its standard input and output. The protocol is described
in ``docs/design/worker-protocol.md``; every module here holds one idea of it:

``wire``        lines in, lines out, and who owns which file descriptor
``worker``      which method does what, and how calls are cancelled
``loading``     an agent folder becomes a ``LoadedAgent``
``tree``        agents within agents: who is in charge, who can be found by name
``session``     one rehearsal's services, events, state and what a call changed
``view``        exactly what the model would see
``invocation``  how a run begins with the user's query and ends with the final response
``model_call``  the callbacks around a model call
``calling``     one tool call through ADK's own function-call handling
``threads``     blocking functions run in a thread of their own
``jsonable``    values as JSON text, or the reason why not
``faults``      exceptions as type, message and a traceback that starts at the author's code
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .live.faults import (
        AddressUnusable,
        AnswerUnusable,
        RehearsalError,
        RehearsalUnreachable,
        RequestRefused,
        TurnCancelled,
    )
    from .live.plugin import RehearsalPlugin

PROTOCOL = 1

__all__ = [
    "PROTOCOL",
    "AddressUnusable",
    "AnswerUnusable",
    "RehearsalError",
    "RehearsalPlugin",
    "RehearsalUnreachable",
    "RequestRefused",
    "TurnCancelled",
]


def __getattr__(name: str) -> object:
    """The plugin, when it is asked for: the worker needs neither it nor gRPC."""
    if name == "RehearsalPlugin":
        from .live.plugin import RehearsalPlugin

        return RehearsalPlugin
    if name in __all__:
        from .live import faults

        return getattr(faults, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
