"""What a run with a person in the model's place may end with."""

from __future__ import annotations


class RehearsalError(Exception):
    """The base of what this package raises."""


class RehearsalUnreachable(RehearsalError):
    """No host answers at the address."""

    def __init__(self, url: str, reason: str):
        super().__init__(
            f"no Rehearsal host answers at {url} ({reason}): start one with `rehearsal serve`, or "
            "name another with REHEARSAL_SERVER_URL or RehearsalPlugin(server_url=...)"
        )
        self.url = url


class RequestRefused(RehearsalError):
    """The host does not take the request. The message names the field and the rule."""


class AnswerUnusable(RehearsalError):
    """The answer holds what ADK has no place for. The message names the part."""


class TurnCancelled(RehearsalError):
    """Somebody decided not to answer."""

    def __init__(self, agent_name: str, reason: str, by: str | None):
        who = by or "somebody"
        why = f": {reason}" if reason else ""
        super().__init__(f"{who} cancelled the turn of {agent_name}{why}")
        self.agent_name = agent_name
        self.reason = reason
        self.by = by
