"""Live sessions: an agent's model calls, answered by a person at a Rehearsal host.

``plugin``    what google-adk calls, and what it is given back
``client``    the host over gRPC, with patience
``convert``   ADK's requests and answers as messages, and back
``messages``  the messages themselves, from the contract's descriptors
``faults``    what a run may end with
"""
