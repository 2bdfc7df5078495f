"""Intercepts tool calls, at every depth.

There are two places. The plugin ``CaseGate`` is first in every plugin manager of the process, so it also
sees the tools of agents that are used as tools, and of runners that a tool starts. It refuses a call
before any code of the subject runs. The second place is the tool's body: a mock's result replaces what
the tool's function would return, so that confirmation, callbacks and plugins of the subject run as they
do without the gate. The body of any other tool is all that its ``run_async`` does (``lookup``). It is also
what code calls that goes around plugins, such as ``run_async`` within another tool or a node of a workflow.

Control flow of google-adk and agents used as tools pass, as far as google-adk's code runs them. Within a tool that may
run, everything passes.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import functools
import inspect
import itertools
from collections.abc import Iterator
from typing import Any, Protocol

from google.adk.agents.base_agent import BaseAgent
from google.adk.events.event import Event
from google.adk.models.base_llm import BaseLlm
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.plugins.plugin_manager import PluginManager
from google.adk.runners import Runner
from google.adk.tools.agent_tool import AgentTool
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.function_tool import FunctionTool
from google.adk.workflow import BaseNode, FunctionNode, Node, Workflow

from rehearsal_adk import adk_private, faults, jsonable
from rehearsal_adk.evaluation import adks_own, barrier, carried, current, lookup, model_requests, output_schema
from rehearsal_adk.evaluation.mock_error import MockError


class Decisions(Protocol):
    """What the gate asks, once for each call."""

    def names(self, tool: str) -> bool:
        """Whether the case names this tool."""

    def knows(self, tool: str) -> bool:
        """Whether the case says what happens to calls of this tool."""

    def wants_declaration(self, tool: str) -> bool:
        """Whether the engine's answer for this tool depends on its declaration."""

    def wants_state(self, tool: str) -> bool:
        """Whether the engine's answer for this tool depends on the state of the session, or changes it."""

    def turn_of(self, tool: str) -> contextlib.AbstractAsyncContextManager[Any]:
        """Held from the call of this tool until its mock has changed the state of the session. The calls that a model
        makes together have their turns in order, so that each sees what mocks before it have changed."""

    async def decide(self, call: dict[str, Any]) -> dict[str, Any]:
        """The engine's decision: ``{"do": "mock" | "raise" | "run" | "wait" | "stop", ...}``."""

    def observe(self, event: Any, context: Any) -> None:
        """An event of an agent that is used as a tool, or of another runner within the run."""

    def note_raised(self, agent: Any) -> None:
        """An agent that is used as a tool raised an error, which is for callbacks and plugins or ends the run."""

    def note_model_call(self, call_id: str, tool: str) -> None:
        """A model's call of a tool is about to be run."""

    def is_of_model(self, call_id: str | None, tool: str) -> bool:
        """Whether a model made this call."""

    def note_code_call(self, call: dict[str, Any], author: str, invocation_id: str) -> None:
        """Code of the subject calls a tool, of which no event of google-adk tells."""

    def note_code_result(self, call: dict[str, Any], result: Any) -> None:
        """What that call gave."""

    def note_node_call(self, path: str, call: dict[str, Any], invocation_id: str) -> None:
        """The node at this path of a workflow is called, of which no event of google-adk tells."""

    def break_off(self, error: BaseException) -> None:
        """The run of an agent was canceled by nobody who waits for it, and so ends the case."""

    def stop(self) -> None:
        """Cancels the task of the runner."""


_call: contextvars.ContextVar[tuple[Any, dict[str, Any], Any] | None] = carried.variable("rehearsal_call", None)
"""The tool whose body is about to run, with its arguments and its context."""

_decided: contextvars.ContextVar[tuple[Any, ...]] = carried.variable("rehearsal_decided", ())
"""The tool or node of which a call is decided, if the code that runs is its body, and what else runs as a part of it."""

_made_up = itertools.count(1)


def _made_up_id() -> str:
    return f"call-{next(_made_up)}"


def _decisions() -> Decisions | None:
    """Who decides about the calls of the running code."""
    decisions: Decisions | None = current.case()
    return decisions


def _is_decided(of: Any) -> bool:
    return any(one is of for one in _decided.get())


@contextlib.contextmanager
def _body(decision: dict[str, Any], *decided: Any) -> Iterator[None]:
    """Runs the body of what is decided, which may have effects unless it is sealed."""
    tokens = _decided.set(decided), barrier.allowed.set(not decision.get("sealed"))
    try:
        yield
    finally:
        _decided.reset(tokens[0])
        barrier.allowed.reset(tokens[1])


@contextlib.contextmanager
def _decided_too(part: Any) -> Iterator[None]:
    """Runs something as a part of the body that runs."""
    token = _decided.set((*_decided.get(), part))
    try:
        yield
    finally:
        _decided.reset(token)


def is_control_flow(tool: Any) -> bool:
    """Whether google-adk's own code directs the run with this tool."""
    if not adks_own.directs_the_run(tool):
        return False
    return _has_gated_body(tool) if isinstance(tool, FunctionTool) else adks_own.is_code(lookup.definition(tool))


def _runs_agent(tool: Any) -> bool:
    """Whether google-adk's own code runs an agent as this tool. The tools of that agent are intercepted."""
    return isinstance(tool, AgentTool) and adks_own.is_code(lookup.definition(tool))


class CaseGate(BasePlugin):
    """The plugin that is asked first."""

    def __init__(self) -> None:
        super().__init__(name="rehearsal_case_gate")

    async def before_tool_callback(self, *, tool: Any, tool_args: Any, tool_context: Any) -> None:
        """Refuses the call before plugins and callbacks of the subject see it."""
        if type(tool) is BaseTool:
            return  # No tool has this name, and google-adk tells the model so.
        lookup.gate_class(type(tool))
        decisions = _decisions()
        if decisions is not None and not _as_node.get():
            decisions.note_model_call(tool_context.function_call_id, tool.name)
        if decisions is None or not decisions.knows(tool.name):
            await _ask(tool, tool_args, tool_context)

    async def on_event_callback(self, *, invocation_context: Any, event: Any) -> None:
        """Passes on the events that the runner of the case does not yield."""
        if (decisions := _decisions()) is not None:
            decisions.observe(event, invocation_context)


async def _decide_in_turn(
    tool: Any,
    args: dict[str, Any],
    context: Any,
    received: dict[str, Any] | None = None,
    call_id: str | None = None,
) -> dict[str, Any]:
    """The decision about a call, of which the tool's code would get `received`, with what it changes beside the result
    done."""
    decisions = _decisions()
    async with decisions.turn_of(tool.name) if decisions is not None else contextlib.nullcontext():
        decision = await _ask(tool, args, context, received, call_id)
        _do_as_mocked(decision, tool, context)
    return decision


async def _ask(
    tool: Any,
    args: dict[str, Any],
    context: Any,
    received: dict[str, Any] | None = None,
    call_id: str | None = None,
) -> dict[str, Any]:
    """The decision about a call. If it ends the case, the runner's task is canceled and this never returns."""
    if barrier.is_allowed() or is_control_flow(tool):
        return {"do": "run"}
    decisions = _decisions()
    if decisions is None:
        # At the agent's import, or in a thread of a process that runs several cases.
        raise barrier.forbid(f"called the tool {tool.name} in code that belongs to no case")
    if not decisions.names(tool.name) and _runs_agent(tool):
        return {"do": "run"}
    agent, invocation_id = getattr(context, "agent_name", ""), getattr(context, "invocation_id", "")
    by_code = None
    if call_id is None:
        call_id = getattr(context, "function_call_id", None)
        if call_id is None or not decisions.is_of_model(call_id, tool.name):
            # The call of a model has the context of the tool that calls another.
            call_id = _made_up_id()
            by_code = {"call_id": call_id, "name": tool.name, "args": _plain(args)}
            decisions.note_code_call(by_code, agent, invocation_id)
    decision = await decisions.decide(
        {
            "call_id": call_id,
            "tool": tool.name,
            "args": args,
            "received": received,
            "state": context.state.to_dict() if decisions.wants_state(tool.name) else None,
            "invocation_id": invocation_id,
            "confirmation": _confirmation(context),
            "agent": agent,
            "is_long_running": bool(getattr(tool, "is_long_running", False)),
            "output_schema": output_schema.of(tool),
            "declaration": _declaration(tool) if decisions.wants_declaration(tool.name) else None,
        }
    )
    if decision["do"] == "stop":
        # An exception could be swallowed on its way: by a plugin, a callback or an agent in the middle.
        decisions.stop()
        await asyncio.Event().wait()
    return decision if by_code is None else {**decision, "by_code": by_code}


def _confirmation(context: Any) -> dict[str, Any] | None:
    """What the user answered, if the tool has asked for a confirmation."""
    given = getattr(context, "tool_confirmation", None)
    if given is None:
        return None
    return {"confirmed": given.confirmed, "hint": given.hint, "payload": given.payload}


def _declaration(tool: Any) -> Any:
    """The tool as the model sees it."""
    try:
        declaration = adk_private.DECLARATION.of(tool)()
    except Exception:  # The tool's own code.
        declaration = None
    if declaration is None:
        return {"name": tool.name, "description": getattr(tool, "description", "")}
    return declaration.model_dump(mode="json", exclude_none=True)


async def _through_gate(
    tool: Any,
    args: dict[str, Any],
    context: Any,
    body: Any,
    received: dict[str, Any] | None = None,
) -> Any:
    """The result of a call: of its mock, or of its body if that may run."""
    decision = await _decide_in_turn(tool, args, context, received)
    by_code, decisions = decision.get("by_code"), _decisions()
    if by_code is None or decisions is None:
        return await _as_decided(decision, tool, context, body)
    try:
        result = await _as_decided(decision, tool, context, body)
    except Exception as error:
        decisions.note_code_result(by_code, {"error": faults.message_of(error) or type(error).__name__})
        raise
    decisions.note_code_result(by_code, result)
    return result


async def _as_decided(decision: dict[str, Any], tool: Any, context: Any, body: Any) -> Any:
    match decision["do"]:
        case "mock":
            return output_schema.as_declared(tool, decision["result"])
        case "raise":
            raise MockError(decision["message"])
        case "wait":
            return None
    if _runs_agent(tool):
        try:
            return await body()
        except Exception:
            if (decisions := _decisions()) is not None:
                decisions.note_raised(tool.agent)
            raise
    if is_control_flow(tool):
        return await body()
    with _body(decision, tool, getattr(tool, "node", None)):
        result = await body()
    return _truncated(result, decision["truncate"]) if "truncate" in decision else result


def _do_as_mocked(decision: dict[str, Any], tool: Any, context: Any) -> None:
    """Makes the changes of a mock, its request for a confirmation and its other actions, as the tool's code would."""
    is_mocked = decision["do"] in ("mock", "raise")
    if changes := decision.get("changes"):
        context.state.update(changes)
    if asks := decision.get("asks"):
        context.request_confirmation(hint=asks["hint"], payload=asks["payload"])
    if decision.get("skip_summarization") or (
        is_mocked and isinstance(tool, AgentTool) and tool.skip_summarization
    ):
        context.actions.skip_summarization = True


def _received(call: tuple[Any, dict[str, Any], Any], passed: dict[str, Any]) -> dict[str, Any]:
    """What the function of a tool gets of the arguments, and its defaults for the others, as far as they are JSON.

    google-adk leaves out what the function does not declare, converts some values and adds the context.
    """
    tool, args, context = call
    try:
        parameters = list(inspect.signature(tool.func).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    given = {
        name: _json_or(value, args[name])
        for name, value in passed.items()
        if name in args and value is not context
    }
    defaults = {
        it.name: default
        for it in parameters
        if it.name not in passed
        and it.default is not inspect.Parameter.empty
        and (default := _json_or(it.default, _NOT_JSON)) is not _NOT_JSON
    }
    return {"args": given, "defaults": defaults}


_NOT_JSON = object()


def _json_or(value: Any, otherwise: Any) -> Any:
    import json

    try:
        return json.loads(jsonable.strict(value))
    except jsonable.NotJson:
        return otherwise


def _truncated(result: Any, characters: int) -> Any:
    """The beginning of a result: of a text as it is, of anything else as JSON."""
    text = result if isinstance(result, str) else jsonable.lenient(result).decode()
    return text[:characters] if len(text) > characters else result


def install() -> None:
    """Replaces the places in google-adk through which tools run. Call it before agents are imported."""
    _gate_plugin_managers()
    _gate_function_tools()
    lookup.install(_run_tool)
    _for_each_class(BaseTool, lookup.gate_class)
    _gate_nodes()
    _for_each_class(BaseLlm, _follow_model)
    _notice_cancellations()
    Runner.run_live = _no_live_run  # type: ignore[method-assign]


def look_again() -> None:
    """Gates what the subject has set on classes after it defined them. Call this when the subject is imported."""
    for of in _subclasses(BaseTool):
        lookup.gate_class(of)
    for of in _subclasses(BaseLlm):
        _follow_model(of)


def _no_live_run(*args: Any, **kwargs: Any) -> Any:
    raise NotImplementedError("eval runs have no live (bidirectional) mode")


def _gate_plugin_managers() -> None:
    original = PluginManager.__init__

    @functools.wraps(original)
    def with_gate(self: Any, plugins: Any = None, *args: Any, **kwargs: Any) -> None:
        # An agent used as a tool gets the plugins of its caller, whose gate is among them.
        others = [one for one in plugins or () if not isinstance(one, CaseGate)]
        original(self, others, *args, **kwargs)
        self.plugins.insert(0, CaseGate())

    PluginManager.__init__ = with_gate  # type: ignore[method-assign]


def _gate_function_tools() -> None:
    run, invoke = FunctionTool.run_async, adk_private.INVOKE_CALLABLE.value()

    @functools.wraps(run)
    async def run_async(self: Any, *, args: dict[str, Any], tool_context: Any) -> Any:
        token = _call.set((self, args, tool_context))
        try:
            return await _run_tool(self, functools.partial(run, self), args=args, tool_context=tool_context)
        finally:
            _call.reset(token)

    @functools.wraps(invoke)
    async def invoke_callable(self: Any, target: Any, args_to_call: dict[str, Any]) -> Any:
        # Whether a call needs confirmation is decided by a function too, which is not the tool's body.
        is_body = target is self.func or target is not adk_private.FUNCTION_CONFIRMATION.of(self)
        if not is_body or _is_decided(self):
            return await invoke(self, target, args_to_call)
        call = _call.get()
        if call is None or call[0] is not self:
            call = (self, args_to_call, args_to_call.get(adk_private.CONTEXT_PARAMETER.of(self)))
        received = _received(call, args_to_call)
        return await _through_gate(*call, lambda: invoke(self, target, args_to_call), received)

    FunctionTool.run_async = run_async  # type: ignore[method-assign]
    adk_private.INVOKE_CALLABLE.replace(invoke_callable)
    if adk_private.RUN_GENERATOR.exists():
        as_node = adk_private.RUN_GENERATOR.value()

        @functools.wraps(as_node)
        async def run_generator(self: Any, *, args_to_call: Any, tool_context: Any) -> Any:
            async def body() -> Any:
                with _decided_too(adk_private.GENERATOR_NODE.of(self)()):
                    return await as_node(self, args_to_call=args_to_call, tool_context=tool_context)

            if _is_decided(self):
                return await body()
            call = _call.get()
            args = call[1] if call is not None and call[0] is self else args_to_call
            received = _received((self, args, tool_context), args_to_call)
            return await _through_gate(self, args, tool_context, body, received)

        adk_private.RUN_GENERATOR.replace(run_generator)


_BODY_METHODS = [
    name.attribute for name in (adk_private.INVOKE_CALLABLE, adk_private.RUN_GENERATOR) if name.exists()
]


async def _run_tool(tool: Any, run: Any, /, *positional: Any, **named: Any) -> Any:
    """Runs a tool with the method that Python finds. A function has the gate at its body."""
    if _is_decided(tool) or _has_gated_body(tool):
        return await run(*positional, **named)
    given = {**dict(zip(("args", "tool_context"), positional)), **named}
    body = functools.partial(run, *positional, **named)
    return await _through_gate(tool, given.get("args", {}), given.get("tool_context"), body)


def _has_gated_body(tool: Any) -> bool:
    """Whether google-adk's code runs the tool as a function, up to the gate at its body."""
    return lookup.is_function(tool) and all(
        adks_own.is_code(adks_own.definition(tool, name)) for name in _BODY_METHODS
    )


def _notice_cancellations() -> None:
    """Notes runs that code of the subject canceled. google-adk ends them as if they were complete: each runner, those of
    agents that are used as tools too, and each branch of agents that run in parallel."""
    run, cleanup = BaseAgent.run_async, adk_private.CLEANUP_RUN.value()

    @functools.wraps(run)
    async def run_async(self: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            async with contextlib.aclosing(run(self, *args, **kwargs)) as events:
                async for event in events:
                    yield event
        except asyncio.CancelledError as error:
            task: Any = asyncio.current_task()
            # Python before 3.11 does not say whether somebody asked for it.
            if getattr(task, "cancelling", lambda: 1)() == 0:
                _break_off(error)
            raise

    BaseAgent.run_async = run_async  # type: ignore[method-assign]

    @functools.wraps(cleanup)
    async def cleanup_root_task(self: Any, task: asyncio.Task[Any], *args: Any) -> None:
        # Not yet done, it is canceled by its caller, who does not want the rest.
        if task.done() and task.cancelled():
            try:
                task.result()
            except asyncio.CancelledError as error:
                _break_off(error)
        await cleanup(self, task, *args)

    adk_private.CLEANUP_RUN.replace(cleanup_root_task)


def _break_off(error: BaseException) -> None:
    if (decisions := _decisions()) is not None:
        decisions.break_off(error)


_followed: set[Any] = set()
"""The methods of models that are followed."""


def _follow_model(of: Any) -> None:
    """Follows the requests of a class of models. The method may be that of a base that is not a model."""
    generate = of.generate_content_async
    if generate is BaseLlm.generate_content_async or generate in _followed:
        return

    @functools.wraps(generate)
    async def generate_content_async(self: Any, llm_request: Any, *args: Any, **kwargs: Any) -> Any:
        ask = functools.partial(generate, self, llm_request, *args, **kwargs)
        async with contextlib.aclosing(model_requests.answered(self, llm_request, ask)) as responses:
            async for response in responses:
                yield response

    _followed.add(generate_content_async)
    of.generate_content_async = generate_content_async


def _subclasses(of: Any) -> Iterator[Any]:
    """The class and those that derive from it, bases first."""
    yield of
    for derived in of.__subclasses__():
        yield from _subclasses(derived)


def _for_each_class(base: Any, change: Any) -> None:
    """Changes every subclass, now and when one is defined later."""

    for of in _subclasses(base):
        change(of)

    def init_subclass(cls: Any, /, **kwargs: Any) -> None:
        super(base, cls).__init_subclass__(**kwargs)
        change(cls)

    setattr(base, "__init_subclass__", classmethod(init_subclass))


def _gate_nodes() -> None:
    """Gates nodes of workflows where google-adk runs them, whatever defines their code."""
    run = BaseNode.run

    @functools.wraps(run)
    def run_gated(self: Any, *, ctx: Any, node_input: Any) -> Any:
        node: Any = _Gated(self, adk_private.NODE_CODE.of(self)) if _is_gated(self, ctx) else self
        return run(node, ctx=ctx, node_input=node_input)

    def look_up(self: Any, name: str) -> Any:
        found = super(BaseNode, self).__getattribute__(name)
        if name != "run" or adks_own.is_code(getattr(found, "__func__", None)):
            return found

        def run_own(*, ctx: Any, node_input: Any) -> Any:
            if not _is_gated(self, ctx, runs_own=True):
                return found(ctx=ctx, node_input=node_input)
            node: Any = _Gated(self, found)
            return run(node, ctx=ctx, node_input=node_input)

        return run_own

    setattr(BaseNode, "run", run_gated)
    # google-adk calls `run`, and marks it as final, which Python does not see to.
    setattr(BaseNode, "__getattribute__", look_up)
    _notice_tools_as_nodes()


_as_node: contextvars.ContextVar[bool] = carried.variable("rehearsal_as_node", False)
"""Whether a workflow runs a tool as its node."""


def _notice_tools_as_nodes() -> None:
    """A workflow asks plugins about its tools as a model's flow does, though no model called them."""
    own = adk_private.TOOL_NODE_CODE.value()

    @functools.wraps(own)
    async def run_impl(self: Any, *, ctx: Any, node_input: Any) -> Any:
        steps = own(self, ctx=ctx, node_input=node_input)
        async with contextlib.aclosing(steps):
            while True:
                token = _as_node.set(True)
                try:
                    one = await anext(steps)
                except StopAsyncIteration:
                    return
                finally:
                    _as_node.reset(token)
                yield one

    adk_private.TOOL_NODE_CODE.replace(run_impl)


def _is_gated(node: Any, ctx: Any, *, runs_own: bool = False) -> bool:
    """Whether the gate decides about a node: one that runs code of the author, and an inner workflow that the case
    names. Agents run code of the author too, but the nodes and tools that they run are intercepted."""
    if isinstance(node, BaseAgent) or _is_decided(node):
        return False
    methods = [adk_private.NODE_CODE.attribute]
    # One that runs in parallel runs copies of itself.
    if isinstance(node, Node) and not node.parallel_worker:
        methods.append("run_node_impl")
    is_own = runs_own or isinstance(node, FunctionNode) or not all(
        adks_own.is_code(getattr(getattr(node, name), "__func__", None)) for name in methods
    )
    if not isinstance(node, Workflow):
        return is_own
    decisions = _decisions()
    is_inner = "/" in str(getattr(ctx, "node_path", ""))
    return is_inner and (is_own or (decisions is not None and decisions.names(node.name)))


class _Gated:
    """A node with the gate in place of its code."""

    def __init__(self, node: Any, code: Any) -> None:
        self._node = node
        self._code = code
        adk_private.NODE_CODE.set_on(self, self._run_decided)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._node, name)

    async def _run_decided(self, *, ctx: Any, node_input: Any) -> Any:
        node = self._node
        args, call_id = {"node_input": _plain(node_input)}, _made_up_id()
        if not barrier.is_allowed() and (decisions := _decisions()) is not None:
            call = {"call_id": call_id, "name": node.name, "args": args}
            path = str(getattr(ctx, "node_path", node.name))
            decisions.note_node_call(path, call, getattr(ctx, "invocation_id", ""))
        decision = await _decide_in_turn(_Named(node.name), args, ctx, call_id=call_id)
        match decision["do"]:
            case "raise":
                raise MockError(decision["message"])
            case "mock":
                yield decision["result"]
                return
        async with contextlib.aclosing(_steps(decision, node, self._code, ctx, node_input)) as steps:
            async for one in steps:
                if "truncate" in decision and not isinstance(one, Event):
                    one = _truncated(one, decision["truncate"])
                yield one


async def _steps(decision: dict[str, Any], node: Any, code: Any, ctx: Any, node_input: Any) -> Any:
    """What the code of a node yields, which may run."""
    with _body(decision, node):
        steps = code(ctx=ctx, node_input=node_input)
    try:
        while True:
            # Not while it is suspended: then the code that runs is the caller's.
            with _body(decision, node):
                try:
                    one = await anext(steps)
                except StopAsyncIteration:
                    return
            yield one
    finally:
        with _body(decision, node):
            await steps.aclose()


class _Named:
    """A node as the gate asks about it: by its name, like a tool."""

    def __init__(self, name: str) -> None:
        self.name = name


def _plain(value: Any) -> Any:
    """A node's input as JSON."""
    import json

    return json.loads(jsonable.lenient(value))
