"""Lines of JSON between the engine and the process that imports the agent."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any


def say(answers: int, message: dict[str, Any]) -> None:
    """Sends a message."""
    left = json.dumps(message).encode() + b"\n"
    while left:
        left = left[os.write(answers, left) :]


def read_messages(requests: int) -> Iterator[list[dict[str, Any]]]:
    """The messages that each read of the pipe completes, until it ends."""
    rest = b""
    while read := os.read(requests, 65536):
        *lines, rest = (rest + read).split(b"\n")
        yield [json.loads(line) for line in lines]
