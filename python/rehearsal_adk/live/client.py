"""The gRPC client for one event loop. It waits for days and retries after errors.

Every call can be repeated: the client creates the ids, and the host returns the first reply to a
repeated message.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

import grpc
import grpc.aio

from rehearsal_adk import __version__

from . import messages as wire
from .faults import AddressUnusable, RehearsalUnreachable, RequestRefused, TurnCancelled

log = logging.getLogger("rehearsal_adk")

# The timeout of the first call in seconds, long enough for a host that is starting.
FIRST_TIMEOUT = 10.0
# The timeout of the call that finds out why the first one failed, in seconds.
DIAGNOSIS_TIMEOUT = 1.0
# The first and the longest pause between retries in seconds, before random jitter.
SHORTEST_PAUSE, LONGEST_PAUSE = 0.2, 15.0

# The limit of consecutive failures that may be permanent: about a minute.
MAX_DOUBTS = 10

# The host is down, overloaded or restarting: send the same message again.
_RETRYABLE = {
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.CANCELLED,
    grpc.StatusCode.DEADLINE_EXCEEDED,
    grpc.StatusCode.RESOURCE_EXHAUSTED,
}
# A broken connection, or an error that may be permanent.
_MAYBE_RETRYABLE = {grpc.StatusCode.UNKNOWN, grpc.StatusCode.INTERNAL}

# The pages of a host, whose addresses people copy in place of the host's.
_PAGES = {"live", "rehearse", "evalsets", "reports", "login"}

_OPTIONS = [
    ("grpc.max_receive_message_length", -1),
    ("grpc.max_send_message_length", -1),
    # Detects a host that is gone, also on an idle connection.
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.keepalive_timeout_ms", 20_000),
    ("grpc.http2.max_pings_without_data", 0),
    # By default, gRPC's pauses between connections grow to two minutes.
    ("grpc.initial_reconnect_backoff_ms", 200),
    ("grpc.max_reconnect_backoff_ms", 5_000),
    # Connect directly, ignoring proxy settings in the environment.
    ("grpc.enable_http_proxy", 0),
]


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


class LiveClient:
    """Calls of one session, on one event loop."""

    def __init__(
        self, url: str, session_id: str, description: str | None, token: str | None = None
    ):
        self.url = url
        own = ("x-rehearsal-plugin", __version__)
        self._metadata = (own, ("authorization", f"Bearer {token}")) if token else (own,)
        self.session_id = session_id
        self._description = description
        # gRPC connects to a host; a path below which it is served belongs to each method's name.
        self._base_path = urlsplit(url).path
        self._channel = _channel(url)
        self._opened: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Opens the session, once for all callers.

        Raises:
          RehearsalUnreachable: no host responds at the address.
        """
        if self._opened is None or (self._opened.done() and self._opened.exception()):
            self._opened = asyncio.create_task(self._open())
        await asyncio.shield(self._opened)

    async def _open(self) -> None:
        fields = {"session_id": self.session_id}
        if self._description:
            fields["description"] = self._description
        asked = wire.message("CreateSessionRequest")(**fields)
        try:
            await self._call("CreateSession", asked, FIRST_TIMEOUT, wait_for_ready=True)
        except grpc.aio.AioRpcError as error:
            if error.code() in _RETRYABLE | _MAYBE_RETRYABLE:
                raise RehearsalUnreachable(self.url, await self._why_not(asked)) from error
            raise self._refused(error) from error

    async def _why_not(self, asked: Any) -> str:
        """Why no host responds. Waiting for a connection reports a timeout only."""
        try:
            await self._call("CreateSession", asked, DIAGNOSIS_TIMEOUT)
        except grpc.aio.AioRpcError as error:
            if error.code() is not grpc.StatusCode.DEADLINE_EXCEEDED:
                return error.details() or error.code().name.lower()
        return f"no response within {FIRST_TIMEOUT:g} s"

    def _refused(self, error: grpc.aio.AioRpcError, said: str = "") -> RequestRefused:
        said = said or error.details() or error.code().name.lower()
        if error.code() is grpc.StatusCode.UNAUTHENTICATED:
            said = (
                f"the host at {self.url} requires a valid token: set REHEARSAL_TOKEN or "
                "RehearsalPlugin(token=...) to one that `rehearsal token add NAME` made there"
            )
        if error.code() is grpc.StatusCode.FAILED_PRECONDITION and "/python/" in said:
            has_token = any(name == "authorization" for name, _ in self._metadata)
            url = self.url.replace("://", "://token:TOKEN@") if has_token else self.url
            said = said.replace("pip install ", f"pip install {url}")
        if said.endswith("http2 header with status: 404"):
            said = (
                f"{self.url} is not the address of a Rehearsal host. If the host is below a path, add it to "
                f"REHEARSAL_SERVER_URL or server_url: {_origin(self.url)}/PATH"
            )
        if said.endswith("http2 header with status: 403"):
            said = (
                f"the host rejects the address {self.url}: add {_origin(self.url)} to allowed_origins "
                "in its rehearsal.toml, or use the address that it prints"
            )
        return RequestRefused(said)

    async def answer(
        self,
        turn_id: str,
        agent_name: str,
        invocation_id: str,
        request: Any,
        taken: Callable[[], None],
    ) -> Any:
        """Sends the request and waits for a person's ``HumanResponse``. ``taken`` is called once the
        host has the request.

        Raises:
          RequestRefused: the host rejects the request.
          TurnCancelled: a person canceled the turn.
        """
        asked = wire.SubmitRequest(
            session_id=self.session_id,
            turn_id=turn_id,
            agent_name=agent_name,
            invocation_id=invocation_id,
            request=request,
        )
        await self._persist(lambda: self._call("SubmitRequest", asked, 60.0))
        taken()
        return await self._persist(lambda: self._outcome(turn_id, agent_name))

    async def _outcome(self, turn_id: str, agent_name: str) -> Any:
        """The turn's response, or ``None`` if the stream ended without one."""
        asked = wire.message("AwaitDecisionRequest")(session_id=self.session_id, turn_id=turn_id)
        stream = self._method("AwaitDecision", stream=True)(asked, metadata=self._metadata)
        try:
            async for update in stream:
                kind = update.WhichOneof("update")
                if kind == "answered":
                    return update.answered.response
                if kind == "cancelled":
                    cancelled = update.cancelled
                    by = cancelled.by.display_name if cancelled.HasField("by") else None
                    raise TurnCancelled(agent_name, cancelled.reason, by)
        finally:
            stream.cancel()
        return None

    async def record(self, event: Any, patience: float) -> None:
        """Records another event of the run. The run does not depend on it: if the host is down
        longer than ``patience`` seconds, the event is dropped and the log says so."""
        try:
            call = self._persist(lambda: self._call("RecordEvent", event, patience))
            await asyncio.wait_for(call, patience)
        except (asyncio.TimeoutError, RequestRefused) as error:
            log.warning("not recorded at %s: %s", self.url, error or "the host is down")

    async def cancel(self, turn_id: str, reason: str) -> None:
        """Removes the turn from the queue if the host is available."""
        asked = wire.message("CancelTurnRequest")(
            session_id=self.session_id, turn_id=turn_id, reason=reason
        )
        try:
            await self._call("CancelTurn", asked, 1.0)
        except grpc.aio.AioRpcError as error:
            log.debug("not canceled: %s", error.details())

    async def close(self) -> None:
        """Closes the connection."""
        await self._channel.close()

    async def _persist(self, call: Callable[[], Awaitable[Any]]) -> Any:
        """Calls until the reply is not ``None``.

        Raises:
          RequestRefused: the host rejects the message, or fails repeatedly.
        """
        pause, doubts = SHORTEST_PAUSE, 0
        while True:
            try:
                answer = await call()
                if answer is not None:
                    return answer
                pause, doubts = SHORTEST_PAUSE, 0
            except grpc.aio.AioRpcError as error:
                doubts = doubts + 1 if error.code() in _MAYBE_RETRYABLE else 0
                if error.code() not in _RETRYABLE | _MAYBE_RETRYABLE or doubts >= MAX_DOUBTS:
                    said = ""
                    if doubts:
                        said = f"the host failed {doubts} times in a row, see its log: "
                        said += error.details() or error.code().name.lower()
                    raise self._refused(error, said) from error
                level = logging.WARNING if doubts else logging.INFO
                log.log(level, "the host at %s: %s; retrying", self.url, error.details())
            # Jitter, so that many agents do not reconnect to a host at the same time.
            await asyncio.sleep(pause * random.uniform(0.5, 1.0))
            pause = min(pause * 2, LONGEST_PAUSE)

    def _method(self, name: str, stream: bool = False) -> Any:
        kind = self._channel.unary_stream if stream else self._channel.unary_unary
        answer = wire.message(f"{name}Response")
        return kind(
            f"{self._base_path}/{wire.SERVICE}/{name}",
            request_serializer=lambda message: message.SerializeToString(),
            response_deserializer=answer.FromString,
        )

    async def _call(
        self, name: str, asked: Any, timeout: float, wait_for_ready: bool = False
    ) -> Any:
        return await self._method(name)(
            asked, timeout=timeout, wait_for_ready=wait_for_ready, metadata=self._metadata
        )


def address(url: str, source: str) -> str:
    """The host's normalized address: scheme, host, the port if there is one, and the path below which
    the host is served, if it is not the root. ``source`` is the name of the setting.

    Raises:
      AddressUnusable: the URL is not the address of a host.
    """
    try:
        parts = urlsplit(url if "//" in url else f"//{url}", scheme="http")
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise AddressUnusable(url, source, f"{error}") from error
    if parts.scheme not in ("http", "https"):
        raise AddressUnusable(url, source, f"{parts.scheme} is neither http nor https")
    if not host or not host.strip():
        raise AddressUnusable(url, source, "it has no host")
    if parts.username is not None:
        # The message must not contain the password.
        raise AddressUnusable(f"…@{host}", source, "it contains a login")
    segments = [segment for segment in parts.path.split("/") if segment]
    if not _PAGES.isdisjoint(segments) or parts.query or parts.fragment:
        raise AddressUnusable(url, source, "it contains more than a host: the address of a page")
    named = f"[{host}]" if ":" in host else host
    path = "".join(f"/{segment}" for segment in segments)
    return f"{parts.scheme}://{named}" + (f":{port}" if port is not None else "") + path


def _channel(url: str) -> grpc.aio.Channel:
    """``url`` is an ``address``."""
    parts = urlsplit(url)
    scheme, host = parts.scheme, parts.netloc
    if parts.port is None:
        host = f"{host}:{443 if scheme == 'https' else 80}"
    if scheme == "https":
        return grpc.aio.secure_channel(host, grpc.ssl_channel_credentials(), _OPTIONS)
    return grpc.aio.insecure_channel(host, _OPTIONS)
