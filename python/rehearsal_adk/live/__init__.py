"""Live sessions: a person responds to an agent's model calls at a Rehearsal host.

``plugin``    the callbacks for google-adk
``client``    the gRPC client, with retries
``convert``   converts between ADK's types and messages
``messages``  message classes from the proto descriptors
``faults``    the errors
"""
