"""JSON-RPC requests and responses over one connection, in both directions."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Awaitable, Callable
from typing import Any

from rehearsal_adk import faults, jsonable
from rehearsal_adk.evaluation import mock_error

MAX_LINE_BYTES = 256 * 1024 * 1024


class EngineGone(Exception):
    """The engine closed the connection."""


class Peer:
    """The case's end of its connection to the engine."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._ids = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self.is_agent_taken = False
        """Whether a person responds in place of the agents' models."""
        self.taken_tools: frozenset[str] = frozenset()
        """The tools that a person answers for."""

    async def serve(self, methods: dict[str, Callable[[dict[str, Any]], Awaitable[Any]]]) -> bool:
        """Answers the engine's requests until it closes the connection. Returns whether the engine has released the
        process before."""
        is_released = False
        try:
            while line := await self._reader.readline():
                message = json.loads(line)
                if message.get("method") == "release":
                    is_released = True
                elif message.get("method") == "taken":
                    self.is_agent_taken = message["params"]["agent"]
                    self.taken_tools = frozenset(message["params"]["tools"])
                elif "method" in message:
                    task = asyncio.ensure_future(self._answer(message, methods[message["method"]]))
                    self._tasks.add(task)
                    task.add_done_callback(self._tasks.discard)
                elif waiting := self._waiting.pop(message["id"], None):
                    if not waiting.done():
                        waiting.set_result(message.get("result"))
            return is_released
        finally:
            for waiting in self._waiting.values():
                if not waiting.done():
                    waiting.set_exception(EngineGone())
            for task in list(self._tasks):
                task.cancel()

    async def ask(self, method: str, params: dict[str, Any]) -> Any:
        """Sends a request and returns the engine's result."""
        number = next(self._ids)
        self._waiting[number] = waiting = asyncio.get_running_loop().create_future()
        self._send({"id": number, "method": method, "params": params})
        return await waiting

    def tell(self, method: str, params: dict[str, Any]) -> None:
        """Sends a notification."""
        self._send({"method": method, "params": params})

    async def _answer(self, message: dict[str, Any], method: Callable[..., Awaitable[Any]]) -> None:
        try:
            answer = {"result": await method(message.get("params") or {})}
        except BaseException as error:  # Every request gets a response, whatever the agent raises.
            answer = {"error": {**faults.describe(error), "of_mock": mock_error.is_cause_of(error)}}
        self._send({"id": message["id"], **answer})

    def _send(self, message: dict[str, Any]) -> None:
        self._writer.write(jsonable.lenient(message) + b"\n")
