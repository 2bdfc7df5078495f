"""``RehearsalPlugin``: a person responds in place of the model."""

from __future__ import annotations

import asyncio
import logging
import os
import threading
import uuid
from collections.abc import Iterable
from typing import Any

from google.adk.agents.callback_context import CallbackContext
from google.adk.agents.invocation_context import InvocationContext
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.tool_context import ToolContext

from .. import adk_private
from ..faults import message_of
from ..tree import lineage
from . import convert, targets
from . import messages as wire
from .client import LiveClient, address
from .faults import RehearsalError, behind_plugins

log = logging.getLogger("rehearsal_adk")

DEFAULT_URL = "http://127.0.0.1:4180"
# How long recording an event may delay a run while the host is down, in seconds.
RECORDING = 10.0


class RehearsalPlugin(BasePlugin):
    """Sends each model call of the agents to a Rehearsal host, where a person responds.

    Args:
      server_url: the host, with the path below which it is served. Default:
        ``REHEARSAL_SERVER_URL``, else ``http://127.0.0.1:4180``.
      target_agents: the names of the agents that a person acts as. The others use their model.
        Default: ``REHEARSAL_TARGET_AGENTS``, separated by commas, else all. The log warns about
        names that match no agent of the first run.
      session_description: the description in the host's list of sessions. Default:
        ``REHEARSAL_SESSION_DESCRIPTION``.
      token: a token, if the host requires a login. Default: ``REHEARSAL_TOKEN``.
        `rehearsal token add` creates one.

    Each plugin is one session. Put it first in a runner's list of plugins: ADK uses the first
    plugin's response to a model call and skips the others.

    Raises:
      AddressUnusable: the address is not valid.
    """

    def __init__(
        self,
        server_url: str | None = None,
        target_agents: Iterable[str] | None = None,
        session_description: str | None = None,
        token: str | None = None,
    ):
        super().__init__(name="rehearsal")
        for lack in adk_private.check("live"):
            log.warning(lack)
        if server_url:
            self.server_url = address(server_url, "server_url")
        else:
            named = os.environ.get("REHEARSAL_SERVER_URL")
            self.server_url = address(named or DEFAULT_URL, "REHEARSAL_SERVER_URL")
        if target_agents is None:
            names = os.environ.get("REHEARSAL_TARGET_AGENTS", "").split(",")
            target_agents = [name.strip() for name in names if name.strip()]
        elif isinstance(target_agents, str):
            target_agents = [target_agents]
        self.target_agents = frozenset(target_agents)
        self.session_description = session_description or os.environ.get(
            "REHEARSAL_SESSION_DESCRIPTION"
        )
        self._token = token or os.environ.get("REHEARSAL_TOKEN") or None
        self.session_id = str(uuid.uuid4())
        self._lock = threading.Lock()
        self._printed = False
        self._checked = False
        # A channel belongs to the event loop that created it, and runners may use different loops.
        self._clients: dict[asyncio.AbstractEventLoop, LiveClient] = {}
        # The turn that requested each call, and each invocation's last turn with its agent.
        self._asked: dict[str, str] = {}
        self._last: dict[str, tuple[str, str]] = {}
        # The error that ends the run of each invocation.
        self._failed: dict[str, RehearsalError] = {}

    @property
    def session_url(self) -> str:
        """The page where people respond."""
        return f"{self.server_url}/live/{self.session_id}"

    async def before_run_callback(self, *, invocation_context: InvocationContext) -> None:
        """Warns about targets that match no agent of the first run. ADK gives plugins no agent if the
        root is a workflow, and an agent that is called as a tool has its own run."""
        with self._lock:
            checked, self._checked = self._checked, True
        agent = invocation_context.agent
        if checked or not self.target_agents or agent is None:
            return
        said = targets.unknown(self.target_agents, targets.asking(lineage(agent)[0]))
        if said:
            log.warning(said)

    async def before_model_callback(
        self, *, callback_context: CallbackContext, llm_request: LlmRequest
    ) -> LlmResponse | None:
        """Returns a person's response, or ``None`` for agents that are not targets."""
        agent_name = callback_context.agent_name
        if self.target_agents and agent_name not in self.target_agents:
            return None
        invocation_id = callback_context.invocation_id
        try:
            # Sent once per run, because the run's user message does not change.
            is_first = invocation_id not in self._last
            said = callback_context.user_content if is_first else None
            request = convert.request(llm_request, said)
            return await self._answered(agent_name, invocation_id, request)
        except RehearsalError as error:
            self._failed[invocation_id] = error
            raise

    async def _answered(
        self, agent_name: str, invocation_id: str, request: Any
    ) -> LlmResponse:
        client = self._client()
        await client.open()
        self._print_url()
        log.info("waiting for a response to %s at %s", agent_name, self.session_url)
        turn_id = str(uuid.uuid4())

        def taken() -> None:
            # The host has the turn now, so the end of the run can be recorded with it.
            self._last[invocation_id] = (turn_id, agent_name)

        try:
            answer = await client.answer(turn_id, agent_name, invocation_id, request, taken)
        except asyncio.CancelledError:
            # Ctrl-C, or a canceled run: remove the turn, because no one waits for its response.
            await asyncio.shield(client.cancel(turn_id, "the agent stopped waiting"))
            raise
        response = convert.response(answer, turn_id)
        for part in (response.content and response.content.parts) or []:
            if part.function_call is not None and part.function_call.id:
                self._asked[part.function_call.id] = turn_id
        return response

    async def after_tool_callback(
        self,
        *,
        tool: BaseTool,
        tool_args: dict[str, Any],
        tool_context: ToolContext,
        result: Any,
    ) -> None:
        """Records the tool's result."""
        await self._record_tool(tool, tool_context, result, failed=False)

    async def on_tool_error_callback(
        self,
        *,
        tool: BaseTool,
        tool_args: dict[str, Any],
        tool_context: ToolContext,
        error: BaseException,
    ) -> None:
        """Records that the tool failed."""
        if not isinstance(error, asyncio.CancelledError):
            said = {"error": f"{type(error).__name__}: {message_of(error)}"}
            await self._record_tool(tool, tool_context, said, failed=True)

    async def after_run_callback(self, *, invocation_context: InvocationContext) -> None:
        """Records that the run completed."""
        self._failed.pop(invocation_context.invocation_id, None)
        await self._record_end(invocation_context, wire.RUN_COMPLETED, "")

    async def on_run_error_callback(
        self, *, invocation_context: InvocationContext, error: BaseException
    ) -> None:
        """Records that the run failed or was canceled, with the error."""
        failed = self._failed.pop(invocation_context.invocation_id, None)
        if failed is not None and failed.behind(error) is None and str(failed) in message_of(error):
            # Parallel agents raise the first error without its cause.
            error.__cause__ = failed
        cancelled = isinstance(error, asyncio.CancelledError)
        outcome = wire.RUN_CANCELLED if cancelled else wire.RUN_FAILED
        cause = behind_plugins(error)
        said = f"{type(cause).__name__}: {message_of(cause)}"
        await self._record_end(invocation_context, outcome, said)

    async def close(self) -> None:
        """Closes the connection. The runner calls this."""
        with self._lock:
            client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.close()

    def _client(self) -> LiveClient:
        loop = asyncio.get_running_loop()
        with self._lock:
            client = self._clients.get(loop)
            if client is None:
                # A channel keeps its loop alive, so drop the clients of closed loops.
                for ended in [known for known in self._clients if known.is_closed()]:
                    del self._clients[ended]
                client = LiveClient(
                    self.server_url, self.session_id, self.session_description, self._token
                )
                self._clients[loop] = client
        return client

    def _print_url(self) -> None:
        with self._lock:
            printed, self._printed = self._printed, True
        if not printed:
            print(f"Rehearsal: respond at {self.session_url}", flush=True)

    async def _record_tool(
        self, tool: BaseTool, tool_context: ToolContext, result: Any, failed: bool
    ) -> None:
        call_id = tool_context.function_call_id or ""
        actions = tool_context.actions
        if call_id in actions.requested_tool_confirmations or call_id in (
            actions.requested_auth_configs
        ):
            # It has not run yet: the user must confirm first, and then ADK repeats the call.
            return
        turn_id = self._asked.pop(call_id, None)
        defers = tool.is_long_running or adk_private.DEFERS_RESPONSE.get(tool)
        if defers and not result:
            # It has no result yet. A later model request contains the result.
            return
        if turn_id is None:
            # A model, or an agent that is not a target, requested the call.
            return
        response = convert.tool_result(tool.name, tool_context.function_call_id, result)
        await self._record(
            turn_id,
            tool_context.agent_name,
            tool_context.invocation_id,
            tool_result={"response": response, "failed": failed},
        )

    async def _record_end(self, context: InvocationContext, outcome: int, said: str) -> None:
        last = self._last.pop(context.invocation_id, None)
        if last is not None:
            turn_id, agent_name = last
            if context.agent is not None:
                # The run belongs to the root, which may call no model itself.
                agent_name = lineage(context.agent)[0].name
            ended = {"outcome": outcome, "message": said}
            await self._record(turn_id, agent_name, context.invocation_id, run_ended=ended)

    async def _record(
        self, turn_id: str, agent_name: str, invocation_id: str, **payload: Any
    ) -> None:
        event = wire.RecordEvent(
            session_id=self.session_id,
            event_id=str(uuid.uuid4()),
            turn_id=turn_id,
            agent_name=agent_name,
            invocation_id=invocation_id,
            **payload,
        )
        await self._client().record(event, RECORDING)

