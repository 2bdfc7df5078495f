"""Calls the functions of an eval suite for one run.

Standard input has a line for each call: ``{"id", "file", "function"}``, and ``args`` and ``context`` for a mock,
``prompt`` and ``user`` for a user agent, ``args`` and ``user`` for a tool of a persona, ``events`` for a metric. Standard output has one for each
answer: ``{"id", "result"}``, ``{"id", "raises"}`` for an error that the agent gets, or ``{"id", "error"}``. The result
of a user agent is ``{"output", "changes"}``, or null for the end of the conversation. What functions print goes to
standard error.
"""

from __future__ import annotations

import difflib
import importlib.util
import inspect
import json
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from rehearsal_adk import faults, jsonable
from rehearsal_adk.eval import Message, MockContext, StateChange, ToolError, UserContext


def main() -> None:
    """Serves until standard input ends."""
    calls, answers = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(2, 1)
    sys.dont_write_bytecode = True
    modules: dict[str, Any] = {}
    with os.fdopen(calls, "rb") as lines, os.fdopen(answers, "wb") as out:
        for line in lines:
            call = json.loads(line)
            answer = jsonable.JsonBytes(_answer(call, modules))
            out.write(b'{"id":%d,%s}\n' % (call["id"], answer))
            out.flush()


def _answer(call: dict[str, Any], modules: dict[str, Any]) -> bytes:
    """The members of the answer, as JSON without its braces."""
    try:
        function = _function(call["file"], call["function"], modules)
        return b'"result":' + jsonable.strict(_result(function, call))
    except ToolError as error:
        return b'"raises":' + json.dumps(str(error)).encode()
    except BaseException as error:  # Every call gets an answer, whatever the function does.
        return b'"error":' + jsonable.lenient(faults.describe(error))


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


def _result(function: Callable[..., Any], call: dict[str, Any]) -> Any:
    """What the function returns, as the engine wants it."""
    if "events" in call:
        return _measured(_called(function, (call["events"],), {}, None))
    if "user" not in call:
        return _called(function, (), call["args"], MockContext(**call["context"]))
    said = [Message(**message) for message in call["user"].pop("conversation")]
    context = UserContext(conversation=said, **call["user"])
    if "prompt" in call:
        answer = _called(function, (call["prompt"],), {}, context)
        if answer is None:
            return None
    else:
        answer = _called(function, (), call["args"], context)
    if not isinstance(answer, StateChange):
        answer = StateChange(answer, {})
    return {"output": answer.result, "changes": answer.changes}


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


def _called(
    function: Callable[..., Any], positional: tuple[Any, ...], args: dict[str, Any], context: Any
) -> Any:
    if "context" in inspect.signature(function).parameters and "context" not in args:
        args = {**args, "context": context}
    result = function(*positional, **args)
    if inspect.isawaitable(result):
        import asyncio

        return asyncio.run(_awaited(result))
    return result


async def _awaited(result: Any) -> Any:
    return await result


if __name__ == "__main__":
    main()
