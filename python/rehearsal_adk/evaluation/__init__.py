"""Runs one ADK agent through eval cases, with every tool intercepted.

The engine in Rust decides everything: which tool call is answered by a mock, runs or ends the case, and
what a scripted model responds. These modules run the agent and ask the engine. They need only the
standard library and google-adk. ``docs/design/eval-runs.md`` describes the protocol. The modules:

``serve``      imports the agent once and forks a process for each case
``lean_import``  imports google-adk without what a run does not need
``warm_up``    does what a first case takes time for before the fork
``huge_pages``  makes forks take less time
``case_run``   one case: the runner, its sessions and state, and the engine's requests
``gate``       intercepts tool calls, at every depth
``mock_error``  the error that a mock names
``lookup``     lets every lookup of a tool's method find the gate
``adks_own``   what is google-adk's own code, by identity
``barrier``    forbids file writes, processes and sockets outside tools that may run
``forked``     says what the barrier refuses to processes that a case forks
``carried``    lets the permission follow work into other threads
``unseen``     finds what interception cannot see
``service_tools``  finds tools in a request that the model's service runs
``given_model``  a model whose responses come from the engine
``peer``       requests and responses over one socket, in both directions
"""
