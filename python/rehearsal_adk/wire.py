"""Lines in, lines out, and who owns which file descriptor.

The protocol takes the process's original standard input and output for itself: it duplicates both,
then points descriptor 1 at standard error and descriptor 0 at the null device. Whatever the agent
prints, at import or in a tool or in a child process, ends in the log and never in the protocol;
whatever reads standard input finds its end at once.
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
    """A request that is answered with a JSON-RPC error of the given code."""

    def __init__(self, code: int, message: str, error: BaseException | None = None):
        super().__init__(message)
        self.code = code
        self.error = error


class LogStream(io.TextIOWrapper):
    """Text on its way to the log, which is read line by line."""

    line_is_open = False
    """Whether the last line that any such stream wrote has no end yet."""

    def write(self, text: str, /) -> int:
        if text:
            LogStream.line_is_open = not text.endswith("\n")
        return super().write(text)


class Wire:
    """The worker's end of the protocol. Writing is safe from every thread."""

    def __init__(self) -> None:
        own_input, own_output = os.dup(0), os.dup(1)
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.close(null)
        sys.stdout.flush()
        os.dup2(2, 1)
        for name in ("stdout", "stderr"):
            stream = getattr(sys, name)
            # Who embeds this Python may have put something else in their place.
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

        A line that is no request is answered here with the reason.
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
                    Refused(PARSE_ERROR, f"The line is no JSON-RPC request: {error}", error),
                )
                continue
            yield request.get("id"), method, params

    def answer(self, request_id: object, result: jsonable.JsonBytes) -> None:
        """Sends a result that is JSON text already."""
        head = b'{"jsonrpc":"2.0","id":' + json.dumps(request_id).encode() + b',"result":'
        self._write((head, result, b"}\n"))

    def refuse(self, request_id: object, refused: Refused) -> None:
        """Sends an error with the original exception, where there is one, as its data."""
        error: dict[str, object] = {"code": refused.code, "message": faults.sendable(str(refused))}
        if refused.error is not None:
            error["data"] = faults.describe(refused.error)
        refusal = {"jsonrpc": "2.0", "id": request_id, "error": error}
        # As tight as an answer: the host knows both by how they begin.
        self._write((json.dumps(refusal, separators=(",", ":")).encode() + b"\n",))

    def end_line(self) -> None:
        """Ends the line that a print left open in the log, so that nothing else is told on it."""
        if LogStream.line_is_open:
            self._log.write("\n")

    def _write(self, pieces: tuple[bytes, ...]) -> None:
        # Small answers go out in one write; a large result is not copied once more to join it.
        if sum(map(len, pieces)) < 1 << 16:
            pieces = (b"".join(pieces),)
        with self._writing:
            for piece in pieces:
                rest = memoryview(piece)
                while rest:
                    rest = rest[self._output.write(rest) :]
