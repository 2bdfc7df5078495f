"""Errors of a run in which a person responds in place of the model."""

from __future__ import annotations

from typing import TypeVar

_Error = TypeVar("_Error", bound="RehearsalError")

# What grpc says about a server without HTTP/2: in plain text, and with TLS.
_HTTP1_ONLY = ("Failed parsing HTTP/2", "missing selected ALPN property")


class RehearsalError(Exception):
    """The base class of this package's errors."""

    @classmethod
    def behind(cls: type[_Error], error: BaseException | None) -> _Error | None:
        """The error of this class that caused ``error``, or ``None``.

        When a plugin raises, ADK ends the run with a ``RuntimeError`` whose cause is the plugin's
        exception.
        """
        seen: set[int] = set()
        while error is not None and id(error) not in seen:
            if isinstance(error, cls):
                return error
            seen.add(id(error))
            error = error.__cause__ or error.__context__
        return None


def behind_plugins(error: BaseException) -> BaseException:
    """The plugin's exception, if ADK wrapped it at the end of a run; otherwise ``error``."""
    while (
        type(error) is RuntimeError
        and error.__cause__ is not None
        and str(error).startswith("Error in plugin ")
    ):
        error = error.__cause__
    return error


class AddressUnusable(RehearsalError, ValueError):
    """The host's address is not valid. The message contains the address and its source."""

    def __init__(self, url: str, source: str, why: str):
        super().__init__(
            f"{source} is {url!r}, but {why}: use the host's address only, such as "
            "http://127.0.0.1:4180"
        )
        self.url = url


class RehearsalUnreachable(RehearsalError):
    """No host responds at the address."""

    def __init__(self, url: str, reason: str):
        address = "another address with REHEARSAL_SERVER_URL or RehearsalPlugin(server_url=...)"
        if any(text in reason for text in _HTTP1_ONLY):
            super().__init__(
                f"{url} does not respond over HTTP/2, which the plugin's gRPC calls need. If this is a "
                "proxy in front of the host, let it accept HTTP/2 and pass gRPC on, as Rehearsal's "
                "packaging/nginx.conf and packaging/Caddyfile do; if it is another program, set "
                f"{address}"
            )
        else:
            super().__init__(
                f"no Rehearsal host responds at {url} ({reason}): start one with `rehearsal serve`, "
                f"or set {address}"
            )
        self.url = url


class RequestRefused(RehearsalError):
    """The host rejects the request. The message contains the field and the rule."""


class AnswerUnusable(RehearsalError):
    """The response contains something that ADK has no field for. The message names the part."""


class TurnCancelled(RehearsalError):
    """A person canceled the turn."""

    def __init__(self, agent_name: str, reason: str, by: str | None):
        who = by or "somebody"
        why = f": {reason}" if reason else ""
        super().__init__(f"{who} canceled the turn of {agent_name}{why}")
        self.agent_name = agent_name
        self.reason = reason
        self.by = by
