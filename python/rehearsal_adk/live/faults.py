"""What a run with a person in the model's place may end with."""

from __future__ import annotations

from typing import TypeVar

_Error = TypeVar("_Error", bound="RehearsalError")


class RehearsalError(Exception):
    """The base of what this package raises."""

    @classmethod
    def behind(cls: type[_Error], error: BaseException | None) -> _Error | None:
        """The error of this class that led to ``error``; ``None`` where none did.

        ADK ends a run with a ``RuntimeError`` of its own when a plugin raises, and keeps what the
        plugin raised as its cause.
        """
        seen: set[int] = set()
        while error is not None and id(error) not in seen:
            if isinstance(error, cls):
                return error
            seen.add(id(error))
            error = error.__cause__ or error.__context__
        return None


def behind_plugins(error: BaseException) -> BaseException:
    """What a plugin raised, where ADK ends a run with words of its own around it; else ``error``."""
    while (
        type(error) is RuntimeError
        and error.__cause__ is not None
        and str(error).startswith("Error in plugin ")
    ):
        error = error.__cause__
    return error


class AddressUnusable(RehearsalError, ValueError):
    """The host's address is none that can be called. The message names it and where it came from."""

    def __init__(self, url: str, source: str, why: str):
        super().__init__(
            f"{source} is {url!r}, and {why}: give the host's address alone, such as "
            "http://127.0.0.1:4180"
        )
        self.url = url


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
