"""Connects google-adk to a Rehearsal host, in two ways.

``RehearsalPlugin``, in ``live``, sends the model calls of an agent that runs anywhere to a person.

The other modules are the worker that hosts one agent for rehearsals. It runs in the agent author's
virtual environment, needs only the standard library and google-adk, and serves JSON-RPC over
standard input and output. ``docs/design/worker-protocol.md`` describes the protocol. The modules:

``wire``        reads and writes lines, and owns the file descriptors
``worker``      the methods, and cancellation
``adk_private`` every private name of google-adk that is used, and whether it exists
``loading``     loads an agent folder as a ``LoadedAgent``
``tree``        sub-agents: which one is active, and lookup by name
``session``     one rehearsal's services, events, state and changes per call
``view``        the request that the model would get
``invocation``  the start of a run with the user's message, and its end with the final response
``model_call``  the callbacks around a model call
``calling``     a tool call through ADK's own function-call handling
``threads``     runs blocking functions in their own thread
``jsonable``    converts values to JSON text, or reports why it cannot
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

__version__ = "0.1.0"

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
    """Imports the plugin on first use, because the worker needs neither it nor gRPC."""
    if name == "RehearsalPlugin":
        try:
            from .live.plugin import RehearsalPlugin
        except ModuleNotFoundError as error:
            # The wheel with the program needs them only for its extra `adk`.
            if (error.name or "").partition(".")[0] not in ("google", "grpc"):
                raise
            raise ModuleNotFoundError(
                f"RehearsalPlugin needs google-adk and gRPC, and {error.name} is missing: run "
                "python -m pip install google-adk grpcio protobuf",
                name=error.name,
            ) from None

        return RehearsalPlugin
    if name in __all__:
        from .live import faults

        return getattr(faults, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
