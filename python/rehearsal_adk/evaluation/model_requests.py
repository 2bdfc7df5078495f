"""The requests that an agent's own models make: what they may reach, how long they take, and when they are repeated.

The engine has one limit for each model, which all cases share, and decides whether a request that failed is made again,
and when. A request is not repeated after a part of its response has reached the agent. A response that says nothing is a
failure too, as google-adk has it for some of them.
"""

from __future__ import annotations

import asyncio
import contextlib
import email.utils
import itertools
import math
import re
import time
from collections.abc import AsyncGenerator, Callable
from typing import Any

from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse

from rehearsal_adk import adk_private, faults
from rehearsal_adk.evaluation import apart, barrier, current, endpoints, given_model

_PASSING = re.compile(
    r"Timeout|Connect|ReadError|WriteError|Protocol|Disconnected|Payload|Decod|UnknownApiResponse|ContentType"
)
"""The classes of errors, of whatever client, after which the same request may succeed."""

_RETRY_DELAY = re.compile(r"""retryDelay['"]\s*:\s*['"]([0-9]+(?:\.[0-9]+)?)s""")
"""The wait that Google's services name in the body."""

_EMPTY = {"text", "thought", "thought_signature"}
"""The members of a part that say nothing without a text."""

_ANTHROPIC_RETRIES = 2
"""How often Anthropic's client repeats a request if nobody says otherwise."""

_LONGEST_WAIT = 24 * 3600.0
"""The seconds that stand for every longer wait, also for one without an end. The engine waits for minutes at most."""


class _NothingSaidError(Exception):
    """A model that was asked says nothing."""

    def __init__(self, response: LlmResponse | None) -> None:
        super().__init__("it has neither a text nor a call")
        no_answer = {"content": None, "error_code": "NO_ANSWER", "error_message": str(self)}
        self.response = (response or LlmResponse()).model_copy(update=no_answer)
        """What google-adk gets in place of the response."""


async def answered(
    model: BaseLlm, llm_request: Any, ask: Callable[[], AsyncGenerator[Any, None]]
) -> AsyncGenerator[Any, None]:
    """The responses to a request, which ``ask`` makes."""
    adk_private.check_model(model)
    case = current.case()
    if case is not None:
        case.note_offered(llm_request)
    if isinstance(model, given_model.GivenModel):
        async for response in ask():
            yield response
        return
    agent = apart.agent(llm_request)
    if case is not None and agent is not None and barrier.model_call.get() is None:
        case.note_model_request(agent)
    if case is not None and not barrier.is_allowed() and not isinstance(model, given_model.Person):
        await case.check_tools(llm_request, model)
    if case is not None:
        case.changes.apply(llm_request)
    # A person has as long as it takes. A request within that of another model, such as one that tries several, is
    # repeated with it.
    is_inner = barrier.model_call.get() is not None
    if case is None or is_inner or isinstance(model, given_model.Person):
        async with contextlib.aclosing(_responses(model, ask(), None)) as responses:
            async for response in responses:
                yield response
        return
    asked_by = apart.asker(llm_request)
    _leave_repeating_to_the_engine(model)
    for attempt in itertools.count(1):
        request = await case.begin_model_request(model.model, attempt)
        has_begun = succeeded = False
        try:
            async with (
                contextlib.aclosing(_responses(model, ask(), case.model_timeout_ms)) as responses,
                contextlib.aclosing(_spoken(model, responses)) as spoken,
            ):
                while True:
                    try:
                        response = await anext(spoken)
                    except StopAsyncIteration:
                        succeeded = True
                        return
                    except Exception as error:
                        failure = _failure(error)
                        if not has_begun and await case.fail_model_request(request, failure):
                            break
                        if asked_by is not None:
                            # google-adk goes on without the answer.
                            reason = faults.reason_of(error)
                            case.refused(f"asked {model.model} apart from its turns, in vain: {reason}", asked_by)
                        if not isinstance(error, _NothingSaidError):
                            raise
                        # Callbacks and plugins of the agent may answer in its place.
                        yield error.response
                        return
                    has_begun = True
                    if asked_by is not None and response.usage_metadata:
                        case.note_usage_apart(asked_by, model.model, response)
                    yield response
        finally:
            case.end_model_request(request, succeeded)


def _leave_repeating_to_the_engine(model: BaseLlm) -> None:
    """Lets a client of Anthropic not repeat by itself, which keeps to no limit and sleeps as long as a service says."""
    if not adk_private.ANTHROPIC_CLIENT.is_of(model):
        return
    # A client that cannot be opened says so where it is asked.
    with barrier.in_model_call(endpoints.of(model, ())), contextlib.suppress(Exception):
        client = adk_private.ANTHROPIC_CLIENT.of(model)
        if client.max_retries == _ANTHROPIC_RETRIES:
            client.max_retries = 0


async def _spoken(
    model: BaseLlm, responses: AsyncGenerator[Any, None]
) -> AsyncGenerator[Any, None]:
    """The responses, of which one without a text or a call is held back until another has one. A model that the
    agent's own code plays may say nothing.

    Raises:
      _NothingSaidError: none says anything.
    """
    nothing: LlmResponse | None = None
    says_something = not any(
        kind.__module__.startswith("google.adk.") and kind is not BaseLlm for kind in type(model).__mro__
    )
    async for response in responses:
        says_something = says_something or _says_something(response)
        if not says_something and not response.partial:
            nothing = response
            continue
        if nothing is not None and says_something:
            yield nothing
            nothing = None
        yield response
    if not says_something:
        raise _NothingSaidError(nothing)


def _says_something(response: LlmResponse) -> bool:
    """Whether a response has more than thoughts. An error of the service is left to google-adk."""
    parts = (response.content.parts if response.content else None) or ()
    return bool(response.error_code) or any(
        not part.thought and ((part.text or "").strip() or part.model_dump(exclude=_EMPTY, exclude_none=True))
        for part in parts
    )


async def _responses(
    model: BaseLlm, responses: AsyncGenerator[Any, None], limit_ms: int | None
) -> AsyncGenerator[Any, None]:
    """The responses, each within the limit."""
    reach = endpoints.of(model, barrier.hosts)
    endpoints.look_up_in_python()
    try:
        while True:
            # Not while it is suspended: then the code that runs is the caller's.
            with barrier.in_model_call(reach):
                try:
                    response = await _in_time(model, anext(responses), limit_ms)
                except StopAsyncIteration:
                    return
            yield response
    finally:
        with barrier.in_model_call(reach):
            await responses.aclose()


async def _in_time(model: BaseLlm, response: Any, limit_ms: int | None) -> Any:
    """What the model gives, in this task, whose context its code may need.

    Raises:
      TimeoutError: it takes longer than the case permits.
    """
    if limit_ms is None:
        return await response
    task: Any = asyncio.current_task()
    is_late = False

    def cancel() -> None:
        nonlocal is_late
        is_late = True
        task.cancel()

    timer = asyncio.get_running_loop().call_later(limit_ms / 1000, cancel)
    try:
        return await response
    except asyncio.CancelledError:
        if not is_late:
            raise
        if hasattr(task, "uncancel"):
            task.uncancel()
        raise TimeoutError(
            f"{model.model}: no answer within {limit_ms} ms. "
            "Set a longer time with `models: { timeout_ms: ... }`"
        ) from None
    finally:
        timer.cancel()


def _failure(error: BaseException) -> dict[str, Any]:
    """What an error of a client says: the status, the wait that the service asks for, and whether it may pass."""
    status: int | None = None
    wait: float | None = None
    passes = False
    cause: BaseException | None = error
    for _ in range(8):
        if cause is None or isinstance(cause, barrier.ForbiddenEffect):
            break
        # What made a connection end is no response of the service: aiohttp gives it the code 400.
        if status is None and not passes:
            named = (getattr(cause, "status_code", None), getattr(cause, "code", None))
            status = next((it for it in named if isinstance(it, int) and 400 <= it < 600), None)
            # An error within a response that had begun well.
            passes = any(isinstance(it, int) and 200 <= it < 300 for it in named)
        wait = _retry_after(cause) if wait is None else wait
        passes = passes or isinstance(cause, (TimeoutError, ConnectionError, _NothingSaidError))
        passes = passes or any(_PASSING.search(kind.__name__) for kind in type(cause).__mro__)
        cause = cause.__cause__ or cause.__context__
    wait_ms = None if wait is None else int(min(wait, _LONGEST_WAIT) * 1000)
    return {"status": status, "retry_after_ms": wait_ms, "may_pass": passes}


def _retry_after(error: BaseException) -> float | None:
    """The seconds that the service asks to wait, in a header or in Google's body. They may be infinite."""
    headers = getattr(getattr(error, "response", None), "headers", None)
    with contextlib.suppress(AttributeError, TypeError, ValueError):
        if text := headers.get("retry-after"):  # type: ignore[union-attr]
            with contextlib.suppress(ValueError):
                seconds = float(text)
                return None if math.isnan(seconds) else max(0.0, seconds)
            return max(0.0, email.utils.parsedate_to_datetime(text).timestamp() - time.time())
    found = _RETRY_DELAY.search(str(error))
    return float(found[1]) if found else None
