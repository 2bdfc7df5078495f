"""The protocol's methods, and cancellation.

There are two threads. The main thread imports the agent and then runs the event loop, as ``adk web``
does. The reader thread owns the protocol's input. It handles ``ping`` and ``cancel`` itself, so that
they work while the loop is blocked, and passes all other requests to the loop. The worker exits at the
end of the input.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import queue
import signal
import sys
import threading
import time
from typing import Any

from rehearsal_adk import (
    PROTOCOL,
    adk_private,
    calling,
    faults,
    invocation,
    jsonable,
    loading,
    past,
    playing,
    view,
)
from rehearsal_adk.session import RehearsalSession, event_text
from rehearsal_adk.wire import (
    AGENT_FAULT,
    BAD_PARAMS,
    SESSION_BUSY,
    UNKNOWN_METHOD,
    UNKNOWN_SESSION,
    Refused,
    Wire,
)

CANCEL_WAIT = 0.3
"""How many seconds ``cancel`` waits for the call to end before it responds."""
CLOSE_WAIT = 4.0
"""How many seconds toolsets and plugins have to close when the worker exits.

A toolset waits two seconds for an MCP server to exit before it terminates it."""
MAX_RESULT_BYTES = 256 * 1024 * 1024
"""The maximum size of a result, unless the host sets another limit."""


def main() -> None:
    """Serves until the host closes the worker's input or sends ``shutdown``."""
    wire = Wire()
    logging.basicConfig(
        stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s"
    )
    Worker(wire).serve()


class Worker:
    """The state of one worker process."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._loop = asyncio.new_event_loop()
        self._first: queue.SimpleQueue = queue.SimpleQueue()
        # Set by `initialize`. `_answer` rejects other requests before that.
        self._loaded: Any = None
        self._fault: BaseException | None = None
        self._max_result_bytes = MAX_RESULT_BYTES
        self._sessions: dict[str, RehearsalSession] = {}
        self._calls: dict[tuple[str, str], _Call] = {}
        self._tasks: set[asyncio.Task] = set()
        self._ping_pending_since: float | None = None
        """When the oldest ping that the loop has not handled arrived, in monotonic seconds."""
        self._methods = {
            "open_session": self._open_session,
            "take_up": self._take_up,
            "describe": self._describe,
            "close_session": self._close_session,
            "user_content": self._user_content,
            "final_response": self._final_response,
            "call_tool": self._call_tool,
            "confirm": self._confirm,
            "supply_result": self._supply_result,
            "play": self._play,
            "respond_as_agent": self._respond_as_agent,
            "stop_playing": self._stop_playing,
        }

    def serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        threading.Thread(target=self._read, name="rehearsal protocol", daemon=True).start()
        # Import outside a running loop, so that agents may call asyncio.run() at import.
        request_id, params = self._first.get()
        self._initialize(request_id, params)
        while True:
            try:
                self._loop.run_forever()
                return
            except (SystemExit, KeyboardInterrupt):
                # A coroutine tool raised it. asyncio raises it here too, and the call reports it.
                continue

    # The reader's thread.

    def _read(self) -> None:
        asked = False
        try:
            for request_id, method, params in self._wire.requests():
                if method == "ping":
                    self._ping(request_id)
                elif method == "cancel":
                    threading.Thread(
                        target=self._cancel, args=(request_id, params), daemon=True
                    ).start()
                elif method == "shutdown":
                    self._wire.answer(request_id, jsonable.JsonBytes(b"{}"))
                    asked = True
                    break
                elif method == "initialize":
                    self._first.put((request_id, params))
                else:
                    self._loop.call_soon_threadsafe(self._accept, request_id, method, params)
        finally:
            self._end(asked)

    def _ping(self, request_id: object) -> None:
        asked = time.monotonic()
        turned = threading.Event()
        if self._ping_pending_since is None:
            self._ping_pending_since = asked
        self._loop.call_soon_threadsafe(self._ping_handled, turned)
        turned.wait(0.02)
        since = self._ping_pending_since
        idle = 0.0 if since is None else (time.monotonic() - since) * 1000
        self._wire.answer(request_id, jsonable.compose({"loop_idle_ms": round(idle, 3)}))

    def _ping_handled(self, turned: threading.Event) -> None:
        self._ping_pending_since = None
        turned.set()

    def _cancel(self, request_id: object, params: dict) -> None:
        key: tuple[Any, Any] = (params.get("session_id"), params.get("call_id"))
        call = self._calls.get(key) or self._call_after_pending(key)
        ended, left = True, False
        if call is not None:
            self._loop.call_soon_threadsafe(call.cancel)
            ended = call.over.wait(CANCEL_WAIT)
            left = bool(call.running.left_threads)
        self._wire.answer(request_id, jsonable.compose({"ended": ended, "thread_left": left}))

    def _call_after_pending(self, key: tuple[Any, Any]) -> "_Call | None":
        """The call, after the loop started all earlier requests: ``cancel`` may overtake its call."""
        looked = threading.Event()
        # The loop accepts earlier requests in this iteration and starts them in the next.
        self._loop.call_soon_threadsafe(self._loop.call_soon, looked.set)
        looked.wait(CANCEL_WAIT)
        return self._calls.get(key)

    def _end(self, asked: bool) -> None:
        """Ends the process, after closing toolsets and plugins if the loop is not blocked."""
        closed = threading.Event()

        async def close() -> None:
            try:
                await asyncio.wait_for(self._close_everything(), CLOSE_WAIT)
            except Exception as error:
                logging.getLogger("rehearsal_adk").warning("Closing: %s", faults.message_of(error))
            finally:
                closed.set()

        self._loop.call_soon_threadsafe(lambda: self._spawn(close()))
        closed.wait(CLOSE_WAIT + 0.5 if self._loaded is not None else 0)
        sys.stdout.flush()
        sys.stderr.flush()
        if not asked and hasattr(os, "killpg") and os.getpgrp() == os.getpid():
            # The host is gone and cannot clean up. End the child processes that tools started.
            os.killpg(0, signal.SIGKILL)
        # Threads of canceled calls must not keep the process alive.
        os._exit(0)

    async def _close_everything(self) -> None:
        from google.adk.tools.base_toolset import BaseToolset

        from rehearsal_adk import tree

        for call in list(self._calls.values()):
            call.cancel()
        toolsets = [
            one
            for agent in tree.walk(self._loaded.root)
            for one in getattr(agent, "tools", None) or ()
            if isinstance(one, BaseToolset)
        ]
        # Concurrently, because each may wait for its own server.
        closing = (one.close() for one in [*toolsets, *self._loaded.plugins])
        for fault in await asyncio.gather(*closing, return_exceptions=True):
            if isinstance(fault, BaseException):
                logging.getLogger("rehearsal_adk").warning("Closing: %s", faults.message_of(fault))

    # The main thread.

    def _initialize(self, request_id: object, params: dict) -> None:
        imported = threading.Event()
        threading.Thread(
            target=faults.report_slow_import,
            args=(imported, threading.get_ident(), str(params.get("agent_dir"))),
            daemon=True,
        ).start()
        try:
            if params.get("protocol") != PROTOCOL:
                raise faults.Fault(
                    "ProtocolMismatch",
                    f"The worker uses protocol {PROTOCOL}, and the host requested "
                    f"{params.get('protocol')}. They belong to different releases.",
                )
            version = loading.adk_version()
            loaded = loading.load(_text(params, "agent_dir"))
            # Now google-adk is imported.
            loaded.warnings = adk_private.check("rehearsal")
            self._loaded = loaded
            self._max_result_bytes = int(params.get("max_result_bytes") or MAX_RESULT_BYTES)
        except Refused as refused:
            self._fault = refused
            self._wire.refuse(request_id, refused)
            return
        except BaseException as error:  # SystemExit at import is a load error too.
            self._fault = error
            self._wire.refuse(request_id, Refused(AGENT_FAULT, faults.message_of(error), error))
            return
        finally:
            imported.set()
        self._wire.answer(
            request_id,
            jsonable.strict(
                {
                    "protocol": PROTOCOL,
                    "python": sys.version.split()[0],
                    "executable": sys.executable,
                    "adk_version": version,
                    "app_name": self._loaded.app_name,
                    "entry": self._loaded.entry,
                    "root_agent": getattr(self._loaded.root, "name", ""),
                }
            ),
        )

    def _accept(self, request_id: object, method: str, params: dict) -> None:
        handler = self._methods.get(method)
        if handler is None:
            known = ", ".join(["initialize", "ping", "cancel", "shutdown", *self._methods])
            self._wire.refuse(
                request_id, Refused(UNKNOWN_METHOD, f"There is no method {method}. Known: {known}.")
            )
            return
        self._spawn(self._answer(request_id, handler, params))

    def _spawn(self, coroutine) -> None:
        task = self._loop.create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _answer(self, request_id: object, handler, params: dict) -> None:
        try:
            if self._loaded is None:
                fault = self._fault or faults.Fault("NotInitialized", "Send `initialize` first.")
                raise Refused(AGENT_FAULT, faults.message_of(fault), fault)
            result = await handler(params)
        except Refused as refused:
            self._wire.refuse(request_id, refused)
        except BaseException as error:  # Every request gets a response, whatever the agent's code raises.
            self._wire.refuse(request_id, Refused(AGENT_FAULT, faults.message_of(error), error))
        else:
            self._wire.answer(request_id, result)
        finally:
            self._wire.end_line()

    def _new_session(self, params: dict) -> RehearsalSession:
        session_id = _text(params, "session_id")
        if session_id in self._sessions:
            raise Refused(BAD_PARAMS, f"The session {session_id} is open already.")
        session = RehearsalSession(self._loaded, session_id, _text(params, "user_id"))
        session.max_result_bytes = self._max_result_bytes
        return session

    async def _open_session(self, params: dict) -> jsonable.JsonBytes:
        session = self._new_session(params)
        restore = params.get("restore")
        await session.open(_mapping(params, "state"), restore)
        shown = await view.look(session, opening=True)
        if restore and restore.get("played"):
            await calling.resume_playing(session, restore["played"])
            shown = await view.now(session.innermost)
        self._sessions[session.id] = session
        return view.remember(session.innermost, shown)

    async def _take_up(self, params: dict) -> jsonable.JsonBytes:
        """Restores a session from the page's history, and returns the view and the events."""
        session = self._new_session(params)
        made = past.events(self._loaded, session.id, params.get("turns") or [])
        texts = jsonable.listed([event_text(event) for event in made])
        restore = {
            "state": _mapping(params, "state"),
            "agent": _text(params, "agent"),
            "events": json.loads(texts),
        }
        await session.open({}, restore)
        shown = view.remember(session, await view.look(session, opening=True))
        self._sessions[session.id] = session
        delta = {"state": {}, "artifacts": [], "events": texts}
        return jsonable.compose({"view": shown, "delta": jsonable.compose(delta)})

    async def _describe(self, params: dict) -> jsonable.JsonBytes:
        session = self._session(params).innermost
        return view.remember(session, await view.now(session))

    async def _close_session(self, params: dict) -> jsonable.JsonBytes:
        session = self._session(params)
        session_id = session.id
        for (owner, _), call in list(self._calls.items()):
            if owner == session_id:
                call.cancel()
        await playing.stop(session)
        del self._sessions[session_id]
        return jsonable.JsonBytes(b"{}")

    async def _user_content(self, params: dict) -> jsonable.JsonBytes:
        text = _text(params, "text")

        async def work(session: RehearsalSession) -> None:
            await invocation.begin(session, text)
            await view.ask(session)

        return await self._run_step(params, "the user's query", work)

    async def _final_response(self, params: dict) -> jsonable.JsonBytes:
        text = _text(params, "text")

        async def work(session: RehearsalSession) -> None:
            if not session.over:
                await invocation.end(session, text)

        return await self._run_step(params, "the final response", work)

    async def _run_step(self, params: dict, what: str, work) -> jsonable.JsonBytes:
        """Runs a step of an idle session and returns the view and the delta."""
        session = self._session(params, idle=True)
        if session.play is not None:
            raise Refused(BAD_PARAMS, "An agent is played. End it before you send this.")
        session.running = what
        try:
            await work(session)
            delta = session.take_delta()
            shown = view.remember(session, await view.now(session))
        finally:
            session.running = None
        return jsonable.compose({"view": shown, "delta": delta})

    async def _call_tool(self, params: dict) -> jsonable.JsonBytes:
        tool, args = _text(params, "tool"), _mapping(params, "args")
        return await self._run(params, lambda of, call_id, running: calling.call_tool(of, call_id, tool, args, running))

    async def _confirm(self, params: dict) -> jsonable.JsonBytes:
        confirmed, payload = params.get("confirmed"), params.get("payload")
        if not isinstance(confirmed, bool):
            raise Refused(BAD_PARAMS, "`confirmed` must be true or false.")
        return await self._run(
            params,
            lambda of, call_id, running: calling.confirm(of, call_id, confirmed, payload, running),
        )

    async def _supply_result(self, params: dict) -> jsonable.JsonBytes:
        result = params.get("result")
        return await self._run(
            params, lambda of, call_id, running: calling.supply_result(of, call_id, result, running)
        )

    async def _play(self, params: dict) -> jsonable.JsonBytes:
        return await self._run(params, calling.play)

    async def _respond_as_agent(self, params: dict) -> jsonable.JsonBytes:
        text = _text(params, "text")
        return await self._run(
            params, lambda of, call_id, running: calling.respond_as_agent(of, call_id, text, running)
        )

    async def _stop_playing(self, params: dict) -> jsonable.JsonBytes:
        return await self._run(params, calling.stop_playing)

    async def _run(self, params: dict, work) -> jsonable.JsonBytes:
        """Runs one call of an idle session, or of the agent that is played in it, with cancellation."""
        session = self._session(params, idle=True)
        call_id = _text(params, "call_id")
        if session.innermost.over:
            raise Refused(BAD_PARAMS, "The final response was sent. No call can follow it.")
        task = asyncio.current_task()
        assert task is not None, "it runs as one"
        call = _Call(task)
        session.running = call_id
        self._calls[session.id, call_id] = call
        try:
            return await work(session.innermost, call_id, call.running)
        finally:
            session.running = None
            self._calls.pop((session.id, call_id), None)
            call.over.set()

    def _session(self, params: dict, idle: bool = False) -> RehearsalSession:
        session_id = _text(params, "session_id")
        session = self._sessions.get(session_id)
        if session is None:
            raise Refused(UNKNOWN_SESSION, f"There is no session {session_id}.")
        if idle and session.running is not None:
            raise Refused(
                SESSION_BUSY,
                f"The session {session_id} is busy with {session.running}; one call runs at a time.",
            )
        return session


class _Call:
    """A call that can be cancelled from the reader's thread."""

    def __init__(self, task: asyncio.Task[Any]) -> None:
        self._task = task
        self.running = calling.Running()
        self.over = threading.Event()

    def cancel(self) -> None:
        """Cancels the call once, on the loop. A second cancel would interrupt its cleanup."""
        if not self.running.cancelled and not self.over.is_set():
            self.running.cancelled = True
            self._task.cancel()


def _text(params: dict, key: str) -> str:
    value = params.get(key)
    if not isinstance(value, str) or (not value and key != "text"):
        raise Refused(BAD_PARAMS, f"`{key}` must be a string.")
    return value


def _mapping(params: dict, key: str) -> dict:
    value = params.get(key)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise Refused(BAD_PARAMS, f"`{key}` must be an object.")
    return value
