"""The worker that hosts one google-adk agent for Rehearsal.

It runs in the agent author's own virtual environment, needs nothing beyond the standard library
and google-adk, and answers JSON-RPC over its standard input and output. The protocol is described
in ``docs/design/worker-protocol.md``; every module here holds one idea of it:

``wire``      lines in, lines out, and who owns which file descriptor
``worker``    which method does what, and how calls are cancelled
``loading``   an agent folder becomes a ``LoadedAgent``
``tree``      agents within agents: who is in charge, who can be found by name
``session``   one rehearsal's services, events, state and what a call changed
``view``      exactly what the model would see
``calling``   one tool call through ADK's own function-call handling
``threads``   blocking functions run in a thread of their own
``jsonable``  values as JSON text, or the reason why not
``faults``    exceptions as type, message and a traceback that starts at the author's code
"""

PROTOCOL = 1
