"""Lines of JSON between the engine and the process that imports the agent."""

from __future__ import annotations

import json
import os
import socket
from typing import Any

_MOST_CONNECTIONS = 16
"""How many connections are taken at once. Linux gives one at a time."""


def say(answers: int, message: dict[str, Any]) -> None:
    """Sends a message."""
    left = json.dumps(message).encode() + b"\n"
    while left:
        left = left[os.write(answers, left) :]


class Requests:
    """The engine's messages. Those that begin a case bring a connection along, under ``connection``."""

    def __init__(self, descriptor: int) -> None:
        self._socket = socket.socket(fileno=descriptor)
        self._rest = b""
        self._connections: list[int] = []

    def fileno(self) -> int:
        """The number of the socket."""
        return self._socket.fileno()

    def close(self) -> None:
        """Closes it, in a process that gets no messages."""
        self._socket.close()
        for one in self._connections:
            os.close(one)

    def read(self) -> list[dict[str, Any]] | None:
        """The messages that the next bytes complete, for which this waits; None at the end."""
        data, connections, _, _ = socket.recv_fds(self._socket, 65536, _MOST_CONNECTIONS)
        self._connections += connections
        if not data:
            return None
        *lines, self._rest = (self._rest + data).split(b"\n")
        messages = [json.loads(line) for line in lines]
        for message in messages:
            if "case" in message or "next" in message:
                message["connection"] = self._connections.pop(0)
        return messages
