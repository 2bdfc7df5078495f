"""Reads and writes the protocol's lines, and owns the file descriptors.

The protocol uses duplicates of the process's original standard input and output. Descriptor 1 is then
redirected to standard error and descriptor 0 to the null device. Output that the agent prints, at
import, in a tool or in a child process, therefore goes to the log and never into the protocol, and
reading standard input returns end of file.
"""

from __future__ import annotations

import io
import json
import os
import re
import sys
import threading

from rehearsal_adk import faults, jsonable

PARSE_ERROR = -32700
UNKNOWN_METHOD = -32601
BAD_PARAMS = -32602
AGENT_FAULT = -32000
UNKNOWN_SESSION = -32001
UNKNOWN_TOOL = -32002
SESSION_BUSY = -32003

_ID = re.compile(rb'"id"\s*:\s*(\d+)')


class Refused(Exception):
    """A request that fails with a JSON-RPC error of the given code."""

    def __init__(self, code: int, message: str, error: BaseException | None = None):
        super().__init__(message)
        self.code = code
        self.error = error


class LogStream(io.TextIOWrapper):
    """A text stream to the log, which the host reads line by line."""

    line_is_open = False
    """Whether the last line of any such stream has no line end yet."""

    def write(self, text: str, /) -> int:
        if text:
            LogStream.line_is_open = not text.endswith("\n")
        return super().write(text)


class Wire:
    """The worker's end of the protocol. Writing is safe from any thread."""

    def __init__(self) -> None:
        own_input, own_output = os.dup(0), os.dup(1)
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.close(null)
        sys.stdout.flush()
        os.dup2(2, 1)
        for name in ("stdout", "stderr"):
            stream = getattr(sys, name)
            # A program that embeds Python may have replaced the streams.
            if isinstance(stream, io.TextIOWrapper):
                log = LogStream(
                    stream.buffer,
                    stream.encoding,
                    "backslashreplace",
                    line_buffering=True,
                    write_through=stream.write_through,
                )
                setattr(sys, name, log)
        self._log = sys.stdout
        self._input = os.fdopen(own_input, "rb", buffering=1 << 16)
        self._output = os.fdopen(own_output, "wb", buffering=0)
        self._writing = threading.Lock()

    def requests(self):
        """Every request as ``(id, method, params)``, until the host closes its end.

        A line that is not a request gets an error response with the reason.
        """
        for line in self._input:
            if not line.strip():
                continue
            try:
                request = json.loads(line)
                method, params = request["method"], request.get("params") or {}
                if not isinstance(method, str) or not isinstance(params, dict):
                    raise TypeError("method must be text and params an object")
            except (ValueError, TypeError, KeyError, RecursionError) as error:
                found = _ID.search(line[:4096])
                self.refuse(
                    int(found.group(1)) if found else None,
                    Refused(PARSE_ERROR, f"The line is not a JSON-RPC request: {error}", error),
                )
                continue
            yield request.get("id"), method, params

    def answer(self, request_id: object, result: jsonable.JsonBytes) -> None:
        """Sends a result, given as JSON text."""
        head = b'{"jsonrpc":"2.0","id":' + json.dumps(request_id).encode() + b',"result":'
        self._write((head, result, b"}\n"))

    def refuse(self, request_id: object, refused: Refused) -> None:
        """Sends an error, with the original exception, if any, as its data."""
        error: dict[str, object] = {"code": refused.code, "message": faults.sendable(str(refused))}
        if refused.error is not None:
            error["data"] = faults.describe(refused.error)
        refusal = {"jsonrpc": "2.0", "id": request_id, "error": error}
        # Without spaces, as in `answer`: the host detects responses by their first bytes.
        self._write((json.dumps(refusal, separators=(",", ":")).encode() + b"\n",))

    def end_line(self) -> None:
        """Ends an unfinished line in the log, so that later output starts on a new line."""
        if LogStream.line_is_open:
            self._log.write("\n")

    def _write(self, pieces: tuple[bytes, ...]) -> None:
        # Small responses need one write. Joining a large result would copy it again.
        if sum(map(len, pieces)) < 1 << 16:
            pieces = (b"".join(pieces),)
        with self._writing:
            for piece in pieces:
                rest = memoryview(piece)
                while rest:
                    rest = rest[self._output.write(rest) :]
