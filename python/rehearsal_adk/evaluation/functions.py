"""Calls the functions of an eval suite for one run.

Standard input has a line for each call: ``{"id", "file", "function"}``, and ``args``, ``defaults`` and ``context`` for
a mock, ``prompt`` and ``user`` for a user agent, ``args`` and ``user`` for a tool of a persona, ``events`` for a
metric, ``bridge`` for a format of the bridge, and ``uses_state`` to ask whether a mock reads or changes the state.
Standard output has one for each answer: ``{"id", "result"}``,
``{"id", "raises"}`` for an error that the agent gets, or ``{"id", "error"}``. The first two of a mock have ``state``
with the keys of the session's state that the mock has set, ``changes`` by scope, ``asks`` if it asks for a
confirmation, and ``skip_summarization`` if it ends the agent's turn. The result of a user agent is ``{"output", "changes"}``, or null for the end of the conversation. What
functions print goes to standard error.

Each call has a thread, so that functions that wait are called at the same time. Those that are asynchronous share one
loop, as the tools of an agent do.
"""

from __future__ import annotations

import ast
import asyncio
import dataclasses
import difflib
import importlib.util
import inspect
import json
import sys
import textwrap
import threading
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, get_args, get_type_hints

from rehearsal_adk import adk_private, faults, jsonable
from rehearsal_adk.eval import (
    BridgeContext,
    Message,
    MockContext,
    StateChange,
    ToolConfirmation,
    ToolError,
    UserContext,
)
from rehearsal_adk.evaluation import pipes
from rehearsal_adk.session_state import SessionState


def main() -> None:
    """Serves until standard input ends."""
    lines, out = pipes.own()
    sys.dont_write_bytecode = True
    modules: dict[str, Any] = {}
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, daemon=True).start()
    writing = threading.Lock()
    with lines, out:

        def answer(call: dict[str, Any], function: Callable[..., Any] | BaseException) -> None:
            text = jsonable.JsonBytes(_answer(call, function, loop))
            with writing:
                out.write(b'{"id":%d,%s}\n' % (call["id"], text))
                out.flush()

        for line in lines:
            call = json.loads(line)
            # Modules are imported here, one after the other and in the main thread.
            function = _found(call["file"], call["function"], modules)
            threading.Thread(target=answer, args=(call, function), daemon=True).start()


def _found(
    file: str, name: str, modules: dict[str, Any]
) -> Callable[..., Any] | BaseException:
    """The function, or why it cannot be called."""
    try:
        return _function(file, name, modules)
    except BaseException as error:  # Every call gets an answer, whatever the module does.
        return error


def _answer(
    call: dict[str, Any],
    function: Callable[..., Any] | BaseException,
    loop: asyncio.AbstractEventLoop,
) -> bytes:
    """The members of the answer, as JSON without its braces."""
    mock = None
    if context := call.get("context"):
        state = SessionState(context.pop("state"), context.pop("prefixes"))
        if confirmation := context.pop("tool_confirmation"):
            confirmation = ToolConfirmation(**confirmation)
        mock = MockContext(state=state, tool_confirmation=confirmation, **context)
    try:
        if isinstance(function, BaseException):
            raise function
        if "uses_state" in call:
            return b'"result":' + jsonable.strict(_uses_state(function))
        result = _result(function, call, mock, loop)
        changes: Any = {}
        if mock is not None and isinstance(result, StateChange):
            result, changes = result.result, result.changes
        members = b'"result":' + jsonable.strict(result)
        return members + _done(mock, changes)
    except ToolError as error:
        try:
            return b'"raises":' + json.dumps(str(error)).encode() + _done(mock, {})
        except BaseException as unwritable:
            return b'"error":' + jsonable.lenient(faults.describe(unwritable))
    except BaseException as error:  # Every call gets an answer, whatever the function does.
        return b'"error":' + jsonable.lenient(faults.describe(error))


def _done(mock: MockContext | None, changes: Any) -> bytes:
    """What a mock changed and asked, and the actions that it set, as further members."""
    if mock is None:
        return b""
    try:
        written = jsonable.strict(mock.state.changes())
    except jsonable.NotJson as error:
        raise jsonable.NotJson(f"what it set in the state has no form in JSON: {error}") from error
    done = b',"state":' + written + b',"changes":' + jsonable.strict(changes)
    if mock.actions.skip_summarization:
        done += b',"skip_summarization":true'
    return done + (b',"asks":' + jsonable.strict(mock._asks) if mock._asks else b"")


def _function(file: str, name: str, modules: dict[str, Any]) -> Callable[..., Any]:
    if file not in modules:
        sys.path.insert(0, str(Path(file).parent))
        spec = importlib.util.spec_from_file_location(Path(file).stem, file)
        if spec is None or spec.loader is None:
            raise ImportError(f"{file} is not a Python file")
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        modules[file] = module
    function = getattr(modules[file], name, None)
    if callable(function):
        return function
    near = difflib.get_close_matches(name, vars(modules[file]), 1)
    hint = f"; did you mean {near[0]}?" if near else ""
    raise AttributeError(f"the file has no function {name}{hint}")


def _result(
    function: Callable[..., Any],
    call: dict[str, Any],
    mock: MockContext | None,
    loop: asyncio.AbstractEventLoop,
) -> Any:
    """What the function returns, as the engine wants it."""

    def called(positional: tuple[Any, ...], args: dict[str, Any], context: Any) -> Any:
        result = function(*positional, **args, **_context(function, args, context))
        return _awaited(result, loop) if inspect.isawaitable(result) else result

    if bridge := call.get("bridge"):
        output = (bridge.pop("output"),) if "output" in bridge else ()
        heard = [Message(**message) for message in bridge.pop("conversation")]
        return called(output, {}, BridgeContext(conversation=heard, **bridge))
    if "events" in call:
        return _measured(called((call["events"],), {}, None))
    if mock is not None:
        args = _with_defaults(function, call["args"], call["defaults"])
        return called((), _converted(function, args), mock)
    said = [Message(**message) for message in call["user"].pop("conversation")]
    user = UserContext(conversation=said, **call["user"])
    if "prompt" in call:
        answer = called((call["prompt"],), {}, user)
        if answer is None:
            return None
    else:
        answer = called((), call["args"], user)
    if not isinstance(answer, StateChange):
        answer = StateChange(answer, {})
    return {"output": answer.result, "changes": answer.changes}


def _uses_state(mock: Callable[..., Any]) -> bool:
    """Whether a mock may read or change the state of the session: it does not only use other members of its context, or
    names what changes the state beside a result."""
    code = getattr(inspect.unwrap(mock), "__code__", None)
    changes = ("with_state_change", "StateChange")
    if code is None or any(name in code.co_names for name in changes):
        return True
    context = _context_parameter(mock, MockContext)
    return context is not None and not _leaves_state(mock, context)


_BESIDE_STATE = {it.name for it in dataclasses.fields(MockContext)} - {"state"} | {"now", "request_confirmation"}
"""The members of a context that do not lead to the state."""

_REACHES_ANY_NAME = {"eval", "exec", "locals", "vars"}
"""Functions with which code uses variables that it does not name."""


def _leaves_state(mock: Callable[..., Any], context: str) -> bool:
    """Whether the code of a mock names its context for another member than the state only. Whoever else gets the context
    may use the state."""
    if inspect.unwrap(mock) is not mock:
        return False
    try:
        code = list(ast.walk(ast.parse(textwrap.dedent(inspect.getsource(mock)))))
    except (OSError, SyntaxError, TypeError):
        return False
    names = [it for it in code if isinstance(it, ast.Name)]
    members = [it for it in code if isinstance(it, ast.Attribute) and it.attr in _BESIDE_STATE]
    of_members = [it.value for it in members]
    return not any(it.id in _REACHES_ANY_NAME or (it.id == context and it not in of_members) for it in names)




def _measured(result: Any) -> dict[str, Any]:
    """The result of a metric with all its members."""
    measured = dict(result) if isinstance(result, Mapping) else {"passed": result}
    unknown = measured.keys() - {"passed", "score", "value", "evidence"}
    if unknown or not isinstance(measured.get("passed", ""), (bool, type(None))):
        raise TypeError(
            f"the metric returned {result!r}; return True, False, or a dict with `passed` and, if there are any, "
            "`score`, `value` and `evidence`"
        )
    evidence = measured.get("evidence", [])
    measured["evidence"] = [evidence] if isinstance(evidence, str) else list(evidence)
    return measured


def _context(function: Callable[..., Any], args: dict[str, Any], context: Any) -> dict[str, Any]:
    """The context by the name of the parameter for it."""
    name = _context_parameter(function, type(context))
    return {name: context} if name is not None and name not in args else {}


def _context_parameter(function: Callable[..., Any], of: type) -> str | None:
    """The parameter for the context: one that is annotated with its class, or else `context`."""
    parameters = inspect.signature(function).parameters
    annotated = [name for name, it in parameters.items() if it.annotation in (of, of.__name__)]
    return next(iter(annotated), "context" if "context" in parameters else None)


def _with_defaults(
    function: Callable[..., Any], args: dict[str, Any], defaults: dict[str, Any]
) -> dict[str, Any]:
    """The arguments, with the tool's own defaults for those for which the function has none.

    An argument `context` of the tool is not the context of the mock.
    """
    completed = dict(args)
    for name, default in defaults.items():
        it = inspect.signature(function).parameters.get(name)
        if it is None or name in args or it.annotation in (MockContext, MockContext.__name__):
            continue
        if it.default is inspect.Parameter.empty:
            completed[name] = default
        elif name == "context":
            completed[name] = it.default
    return completed


def _converted(function: Callable[..., Any], args: dict[str, Any]) -> dict[str, Any]:
    """The arguments as google-adk converts them for a tool with the function's annotations.

    Only models of pydantic need it, and google-adk takes its time to import.
    """
    if "pydantic" not in sys.modules:
        return args
    try:
        hints = get_type_hints(function)
        if not any(_has_model(hint) for hint in hints.values()):
            return args
        from google.adk.tools.function_tool import FunctionTool
    except Exception:  # Annotations may be anything, and not every agent is of google-adk.
        return args
    converted: dict[str, Any] = adk_private.CONVERT_ARGUMENTS.of(FunctionTool(function))(args)
    return converted


def _has_model(hint: Any) -> bool:
    from pydantic import BaseModel

    is_model = isinstance(hint, type) and issubclass(hint, BaseModel)
    return is_model or any(_has_model(one) for one in get_args(hint))


def _awaited(result: Awaitable[Any], loop: asyncio.AbstractEventLoop) -> Any:
    """The result of an asynchronous function. What it raises must not reach the loop, which `SystemExit` would end."""

    async def outcome() -> tuple[Any, BaseException | None]:
        try:
            return await result, None
        except BaseException as error:
            return None, error

    value, error = asyncio.run_coroutine_threadsafe(outcome(), loop).result()
    if error is not None:
        raise error
    return value


if __name__ == "__main__":
    main()
