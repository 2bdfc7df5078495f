"""Runs agents against simulated users from Python, and what functions of a suite may use.

A case says which agent, what its tools return, who answers and what is measured::

    from rehearsal_adk.eval import SEALED, EvalCase, returns, run_eval

    def test_chest_pain_is_escalated():
        run_eval(
            EvalCase(
                name="chest-pain",
                subject="agents/triage",
                first_message="I have really bad chest pain",
                tools={"read": returns({"policy": "Call 999."}), "escalate": SEALED},
                user_agents={"loop": {"script": ["It spreads to my left arm"]}},
                metrics=[{"state": {"name": "escalated", "key": "escalation", "is": {"$exists": True}}}],
            )
        ).assert_passed()

The program ``rehearsal`` runs the case: it must be on the path, or be named by ``REHEARSAL_PROGRAM``. Members that are
dictionaries have the format of suite files.

A mock can be a function at the top level of a module. It is called with the arguments that the tool's code would get, and
with ``context``, a `MockContext`, if it has a parameter of that name or with that annotation. In suite files it is named ``{ function: FILE.py:NAME }``.

A user agent can be such a function as well. It is called with the prompt, and with ``context``, a `UserContext`, and
returns the answer: a text, or what the tool that waits is to return. None ends the conversation.
"""

from __future__ import annotations

import contextlib
import inspect
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rehearsal_adk.jsonable import JsonBytes, NotJson, compose, listed, strict
from rehearsal_adk.session_state import SessionState

__all__ = [
    "REAL",
    "SEALED",
    "BridgeContext",
    "BrokenContinuation",
    "Continuations",
    "Effect",
    "EvalCase",
    "EvalResult",
    "EvalRunner",
    "Fork",
    "ForkError",
    "Message",
    "MetricResult",
    "MockContext",
    "PendingCall",
    "RunnerError",
    "SessionState",
    "StateChange",
    "Step",
    "SuiteError",
    "SuiteResult",
    "ToolConfirmation",
    "ToolError",
    "Turn",
    "UserContext",
    "create_eval_runner",
    "fork",
    "raises",
    "returns",
    "run_eval",
    "run_eval_suite",
    "steps",
    "with_state_change",
]

REAL = "real"
"""A tool that runs itself, with all its effects."""

SEALED = "sealed"
"""A tool that runs itself and can change its session, and nothing else."""

DEFAULT_STORE = ".rehearsal/eval.sqlite"
"""Where `rehearsal eval` stores runs, relative to the working directory."""

Mock = str | Mapping[str, Any] | Callable[..., Any]
"""`REAL`, `SEALED`, a function, or a mock as suite files have it, such as `returns` makes."""


class ToolError(Exception):
    """Raise it in a mock for an error that the agent gets, as if the tool had raised it.

    Any other exception is the mock's own fault and ends the run.
    """


@dataclass(frozen=True)
class ToolConfirmation:
    """What a person answered to a mock that asked for a confirmation, as google-adk gives it to tools."""

    confirmed: bool
    """Whether the call may go on."""
    hint: str
    """What the mock said to the person."""
    payload: Any
    """What the person gave with the answer; None if nothing."""


@dataclass
class Actions:
    """What a mock tells the framework beside its result, as google-adk's tools do with `tool_context.actions`."""

    skip_summarization: bool = False
    """Whether the agent's turn ends with the result: its model is not asked again."""


@dataclass(frozen=True)
class MockContext:
    """What a mock may know of the call."""

    call_id: str
    """The id of the call."""
    tool_name: str
    """The tool."""
    invocation_id: str
    """The invocation of the framework."""
    state: SessionState
    """The state of the session, with an object for each named scope. What a mock sets in it, the agent's session has
    with the result of the call."""
    now_ms: int
    """Milliseconds since the run began."""
    tool_confirmation: ToolConfirmation | None
    """The answer, if the mock has asked for a confirmation."""
    actions: Actions = field(default_factory=Actions)
    """What the mock tells the framework beside its result."""
    _asks: dict[str, Any] = field(default_factory=dict, repr=False)

    def now(self) -> int:
        """Milliseconds since the run began. Use it instead of a clock, so that a run can be repeated."""
        return self.now_ms

    def request_confirmation(self, *, hint: str | None = None, payload: Any = None) -> None:
        """Asks a person to confirm the call, as a tool of google-adk does. What the mock returns, the agent gets
        meanwhile. When the person has answered, the mock is called again, with `tool_confirmation`.
        """
        self._asks.update(hint=hint or "", payload=payload)


@dataclass(frozen=True)
class Message:
    """A message of the conversation from the user's side."""

    role: str
    """`agent` or `user`."""
    text: str
    """The text."""


@dataclass(frozen=True)
class UserContext:
    """What a user agent may know when the agent waits for it."""

    conversation: list[Message]
    """What the agent and the user agents said so far. The last message is the prompt."""
    tool_name: str | None
    """The tool that waits; None at the end of a turn."""
    call_id: str | None
    """The id of its call."""
    args: dict[str, Any] | None
    """The arguments of its call."""
    interim: Any
    """What a long-running tool has returned so far; None otherwise."""
    invocation_id: str
    """The invocation of the framework."""
    state: dict[str, Any]
    """The state of the agent's session. A copy: changes have no effect, see `with_state_change`."""
    now_ms: int
    """Milliseconds since the run began."""

    def now(self) -> int:
        """Milliseconds since the run began. Use it instead of a clock, so that a run can be repeated."""
        return self.now_ms


@dataclass(frozen=True)
class BridgeContext:
    """What a function of the bridge may know when the agent waits for a user agent."""

    text: str
    """The agent's last text."""
    tool: str | None
    """The tool that waits; None at the end of a turn."""
    args: dict[str, Any] | None
    """The arguments of its call."""
    interim: Any
    """What a long-running tool has returned so far; None otherwise."""
    call_id: str | None
    """The id of its call."""
    invocation_id: str
    """The invocation of the framework."""
    state: dict[str, Any]
    """The state of the agent's session. A copy: changes have no effect."""
    events: list[dict[str, Any]]
    """Everything that happened so far, in order."""
    conversation: list[Message]
    """What the agent and the user agents said so far, from the side of the users."""


@dataclass(frozen=True)
class StateChange:
    """What `with_state_change` makes."""

    result: Any
    changes: dict[str, Any]


def with_state_change(result: Any, changes: Mapping[str, Any]) -> StateChange:
    """An answer of a user agent, a result of a persona's tool or of a mock, that changes the state of the agent's
    session.

    Args:
      result: the answer. With None, a user ends the conversation after the changes.
      changes: objects by scope: `session` for the state itself, `app` and `user` for google-adk's keys with that prefix,
        any other name for an object in it. Objects are merged, `{"$append": [VALUE]}` adds to a list, everything else is
        replaced. All changes of an answer are made together, when it is complete.
    """
    return StateChange(result, dict(changes))


def returns(value: Any) -> dict[str, Any]:
    """A mock that returns this value: JSON, such as a dictionary."""
    return {"returns": value}


def raises(message: str) -> dict[str, Any]:
    """A mock that raises an error with this message."""
    return {"raises": message}


@dataclass(frozen=True)
class EvalCase:
    """One scenario: an agent, what its tools return, the users that it talks to, and what must come of it."""

    name: str
    subject: str | os.PathLike[str] | Mapping[str, Any]
    """The agent's folder, as `adk web` loads it, or a subject as suite files have it."""
    first_message: str | dict[str, Any] | None = None
    """The user's first message; without one, the user agent of the conversation begins."""
    description: str = ""
    tools: Mapping[str, Mock] = field(default_factory=dict)
    """What happens to the calls of each tool. A call of a tool that is not named is an error."""
    allow: Sequence[str] = ()
    """Parts of the agent that cannot be intercepted, such as `google_search`, and that are allowed."""
    model: Mapping[str, Any] | None = None
    """The model of the agent at every depth; None for the models that the agent names."""
    user_agents: Mapping[str, Any] = field(default_factory=dict)
    """Who responds when the agent waits: `loop`, and `tools` by the tool's name. Functions, or user agents as suite files
    have them, such as `{"adk": FOLDER}` for an agent of google-adk."""
    bridge: Mapping[str, str | Mapping[str, Any] | Callable[..., Any]] = field(default_factory=dict)
    """What user agents hear and how their answers are passed on: `format_prompt` and `format_response`, as templates or
    functions. They are called with `context`, a `BridgeContext`, `format_response` also with the answer before it."""
    initial_state: Mapping[str, Any] = field(default_factory=dict)
    """The state before the first message, by scope: `session` is the state itself, `app` and `user` of an agent of
    google-adk are its keys with that prefix, and any other name is an object in it."""
    terminate_when: Mapping[str, Any] = field(default_factory=dict)
    """What ends the run before the agent completes: `max_turns`, `max_duration_ms` and `state_matches`."""
    metrics: Sequence[Mapping[str, Any] | Callable[..., Any]] = ()
    """What is measured: metrics as suite files have them, or functions. A function gets the events of the run, a list of
    dictionaries, and returns whether it passed, or a dictionary with `passed`, `score`, `value` and `evidence`."""
    faults: Sequence[Mapping[str, Any]] = ()
    """What goes wrong with tools on purpose."""
    golden: Mapping[str, str] | None = None
    """A recorded case, as `eval_set` and `case`, that mocks, the model or criteria use."""
    repeats: int = 1
    """How often the case is run."""
    tags: Sequence[str] = ()
    """Labels."""

    def to_dict(self) -> dict[str, Any]:
        """The case as suite files have it, with absolute paths."""
        case: dict[str, Any] = {"name": self.name, "subject": _subject(self.subject)}
        for member, value in (
            ("first_message", self.first_message),
            ("description", self.description),
            ("tools", {name: _mock(name, mock) for name, mock in self.tools.items()}),
            ("allow", list(self.allow)),
            ("model", self.model),
            ("user_agents", _user_agents(self.user_agents)),
            ("bridge", {name: _bridged(name, made_by) for name, made_by in self.bridge.items()}),
            ("initial_state", self.initial_state),
            ("terminate_when", self.terminate_when),
            ("metrics", [_metric(metric) for metric in self.metrics]),
            ("faults", list(self.faults)),
            ("golden", _golden(self.golden)),
            ("repeats", self.repeats if self.repeats != 1 else None),
            ("tags", list(self.tags)),
        ):
            if value:
                case[member] = value
        return case


def _subject(subject: str | os.PathLike[str] | Mapping[str, Any]) -> Mapping[str, Any]:
    if not isinstance(subject, Mapping):
        return {"adk": str(Path(subject).absolute())}
    match subject.get("adk"):
        case str() as folder:
            return {**subject, "adk": str(Path(folder).absolute())}
        case Mapping() as members:
            # Both members are paths.
            absolute = {name: str(Path(path).absolute()) for name, path in members.items()}
            return {**subject, "adk": absolute}
    return subject


def _golden(golden: Mapping[str, str] | None) -> Mapping[str, str] | None:
    return golden and {**golden, "eval_set": str(Path(golden["eval_set"]).absolute())}


def _mock(tool: str, mock: Mock) -> str | Mapping[str, Any]:
    return _function(f"the mock of {tool}", mock) if callable(mock) else mock


def _bridged(
    name: str, made_by: str | Mapping[str, Any] | Callable[..., Any]
) -> str | Mapping[str, Any]:
    return _function(f"`bridge.{name}`", made_by) if callable(made_by) else made_by


def _metric(metric: Mapping[str, Any] | Callable[..., Any]) -> Mapping[str, Any]:
    return _function("a metric", metric) if callable(metric) else metric


def _user_agents(users: Mapping[str, Any]) -> dict[str, Any]:
    written = dict(users)
    if "loop" in users:
        written["loop"] = _user_agent("the user agent `loop`", users["loop"])
    if isinstance(users.get("tools"), Mapping):
        written["tools"] = {
            tool: _user_agent(f"the user agent of {tool}", user) for tool, user in users["tools"].items()
        }
    return written


def _user_agent(what: str, user: Any) -> Any:
    if isinstance(user, Mapping) and "adk" in user:
        return {**user, "adk": str(Path(user["adk"]).absolute())}
    return _function(what, user) if callable(user) else user


def _function(what: str, function: Callable[..., Any]) -> dict[str, Any]:
    name = getattr(function, "__qualname__", "")
    file = inspect.getsourcefile(function) if name else None
    if file is None or not name.isidentifier():
        raise SuiteError(
            f"{what} is {function!r}; give a function at the top level of a module, "
            "because it runs in a process of its own"
        )
    return {"function": f"{Path(file).absolute()}:{name}"}


class SuiteError(Exception):
    """Nothing was run: a case is not valid, or the program `rehearsal` cannot be used."""


@dataclass(frozen=True)
class MetricResult:
    """What a metric gave."""

    passed: bool | None
    """None if it could not be measured."""
    evidence: list[str]
    """Why."""
    score: float | None = None
    value: Any = None


@dataclass(frozen=True)
class EvalResult:
    """What the run of one case gave."""

    name: str
    repeat: int
    """Which of the case's repeats it is, from 1."""
    status: str
    """`passed`, `failed`, `unscored`, `terminated` or `error`."""
    metrics: dict[str, MetricResult]
    """Each metric's result, by its name."""
    events: list[dict[str, Any]]
    """Everything that happened, in order."""
    notes: list[str]
    """What of the case had no effect, such as a mock that was never used."""
    duration_ms: int
    turns: int
    """How often the agent waited for the user and was resumed."""
    token_usage: dict[str, int]
    """Tokens that the agent's models used: `input` and `output`."""
    error: dict[str, str] | None
    """Why the case could not be run to its end: `phase`, `at_fault`, `code`, `message` and perhaps `traceback`.

    The guide on eval runs describes the codes, such as `unmocked_tool`."""
    termination_reason: str | None
    """The condition that ended the run: `max_turns`, `max_duration` or `state_matches`."""

    @property
    def passed(self) -> bool:
        """Whether every metric passed."""
        return self.status == "passed"

    def assert_passed(self) -> None:
        """Raises an AssertionError that says why the case did not pass."""
        __tracebackhide__ = True
        if not self.passed:
            raise AssertionError(self.explanation())

    def explanation(self) -> str:
        """The verdict, its reasons and the events, as text."""
        reason = f", ended by {self.termination_reason}" if self.termination_reason else ""
        again = f", run {self.repeat}" if self.repeat > 1 else ""
        lines = [f"{self.name}{again}: {self.status} ({self.turns} turns{reason})"]
        if self.error:
            lines += [self.error["message"], self.error.get("traceback", "")]
        for name, metric in self.metrics.items():
            if metric.passed is not True:
                word = "unscored" if metric.passed is None else "failed"
                lines.append(f"{name} {word}: {'; '.join(metric.evidence)}")
        lines.append("events:")
        lines += [f"  {json.dumps(event, ensure_ascii=False)}" for event in self.events]
        return "\n".join(line for line in lines if line)


@dataclass(frozen=True)
class SuiteResult:
    """What a suite gave."""

    results: list[EvalResult]
    """Each case that ended, in the order of the suite."""
    summary: dict[str, int]
    """`total`, `passed`, `failed`, `errors`, `terminated` and `unscored`."""

    def assert_passed(self) -> None:
        """Raises an AssertionError that says which cases did not pass, and why."""
        __tracebackhide__ = True
        if failures := [result.explanation() for result in self.results if not result.passed]:
            raise AssertionError("\n\n".join(failures))


def run_eval(case: EvalCase, *, seed: int = 0) -> EvalResult:
    """Runs one case with this interpreter's packages. Of a repeated case, the result is the first that did not pass, or
    the first.

    Raises:
      SuiteError: the case is not valid, or the program `rehearsal` is missing.
    """
    results = run_eval_suite([case], seed=seed).results
    return next((result for result in results if not result.passed), results[0])


def run_eval_suite(
    cases: Iterable[EvalCase],
    *,
    parallel: bool = True,
    jobs: int | None = None,
    stop_on_first_failure: bool = False,
    seed: int = 0,
) -> SuiteResult:
    """Runs cases at the same time, `jobs` of them or one for each processor; or one after the other, if they are not
    to run in `parallel`. `stop_on_first_failure` cancels the others when one errs, fails or is terminated.

    Raises:
      SuiteError: a case is not valid, or the program `rehearsal` is missing.
    """
    if not parallel:
        if jobs not in (None, 1):
            raise SuiteError(f"jobs={jobs} run at the same time; leave out `parallel=False`, or `jobs`")
        jobs = 1
    suite = compose({"seed": seed, "cases": listed([_written(case) for case in cases])})
    with tempfile.TemporaryDirectory(prefix="rehearsal-") as folder:
        path = Path(folder, "suite.json")
        path.write_bytes(suite)
        options = ["--of-python"]
        options += ["--jobs", str(jobs)] if jobs else []
        options += ["--stop-on-first-failure"] if stop_on_first_failure else []
        return run_suite_file(path, *options)


def _written(case: EvalCase) -> JsonBytes:
    try:
        return strict(case.to_dict())
    except NotJson as error:
        raise SuiteError(f"the case {case.name!r} has no form in JSON: {error}") from error


@dataclass(frozen=True)
class PendingCall:
    """A call that waits for a response."""

    call_id: str
    name: str
    """The name under which the framework waits, such as `adk_request_confirmation`."""
    tool: str
    """The tool that asks."""
    args: dict[str, Any]
    interim: Any
    """What a long-running tool has returned so far; None otherwise."""


@dataclass(frozen=True)
class Turn:
    """What a turn of an agent gave."""

    pending: list[PendingCall]
    """The calls that wait for a response; none if the agent ended its turn."""
    state: dict[str, Any]
    """The state of the session."""
    events: list[dict[str, Any]]
    """What happened in the turn, in order, as in `EvalResult`."""

    @property
    def text(self) -> str:
        """The last text of the agent; empty if it said nothing."""
        texts = [event["text"] for event in self.events if event["type"] == "message"]
        return texts[-1] if texts else ""


class RunnerError(Exception):
    """The run ended: a tool without a mock was called, a mock failed, or the agent did."""

    def __init__(self, fault: dict[str, str], events: list[dict[str, Any]]) -> None:
        super().__init__("\n".join(text for text in (fault["message"], fault.get("traceback")) if text))
        self.at_fault = fault["at_fault"]
        """Who was at fault, such as `mock`."""
        self.code = fault["code"]
        """What went wrong, such as `unmocked_tool`."""
        self.events = events
        """What happened in the turn before."""


class EvalRunner:
    """An agent under interception, which a test runs turn by turn. `create_eval_runner` makes it."""

    def __init__(self, case: EvalCase) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="rehearsal-")
        suite = Path(self._folder.name, "suite.json")
        suite.write_bytes(compose({"cases": listed([_written(case)])}))
        self._has_ended = False
        self._errors = Path(self._folder.name, "errors")
        with self._errors.open("wb") as errors:
            self._process = subprocess.Popen(
                [_program_file(), "eval", str(suite), "--of-python", "--runner"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                encoding="utf-8",
                env=_environment(),
            )
        try:
            self._answer()
        except BaseException:
            self.close()
            raise

    def run(self, message: str | Mapping[str, Any]) -> Turn:
        """Sends a message of the user, a text or an object with `parts`, and runs the agent until it ends its turn or
        waits.

        Raises:
          RunnerError: the run ended. The runner cannot be used after it.
        """
        return self._turn({"message": message})

    def respond(self, responses: Iterable[tuple[PendingCall, Any]]) -> Turn:
        """Responds to calls that wait, and runs the agent on.

        Raises:
          RunnerError: the run ended. The runner cannot be used after it.
        """
        sent = [
            {"call_id": call.call_id, "name": call.name, "response": response}
            for call, response in responses
        ]
        return self._turn({"responses": sent})

    def close(self) -> None:
        """Ends the agent."""
        self._has_ended = True
        assert self._process.stdin is not None and self._process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()
        self._folder.cleanup()

    def __enter__(self) -> EvalRunner:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _turn(self, request: dict[str, Any]) -> Turn:
        assert self._process.stdin is not None
        if self._has_ended:
            raise SuiteError("the run has ended; create another runner")
        self._process.stdin.write(strict(request).decode() + "\n")
        self._process.stdin.flush()
        answer = self._answer()
        turn = answer["turn"]
        pending = [PendingCall(**call) for call in turn["pending"]]
        return Turn(pending, turn["state"], answer["events"])

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            self._process.wait()
            raise SuiteError(self._errors.read_text("utf-8").strip().removeprefix("error: "))
        answer: dict[str, Any] = json.loads(line)
        if fault := answer.get("fault"):
            self._has_ended = True
            raise RunnerError(fault, answer["events"])
        return answer


def create_eval_runner(
    subject: str | os.PathLike[str] | Mapping[str, Any],
    tool_mocks: Mapping[str, Mock],
    *,
    model: Mapping[str, Any] | None = None,
    initial_state: Mapping[str, Any] | None = None,
    allow: Sequence[str] = (),
) -> EvalRunner:
    """An agent in a session of its own, in which a call of a tool that `tool_mocks` does not name ends the run::

        with create_eval_runner("agents/triage", {"read": returns({"policy": "Call 999."})}) as runner:
            assert "999" in runner.run("I have really bad chest pain").text

    The arguments are those members of `EvalCase`. There are no users and no metrics: the test is the user.

    Raises:
      SuiteError: the arguments are not valid, or the program `rehearsal` is missing.
      RunnerError: the agent cannot be loaded, or uses what cannot be intercepted.
    """
    return EvalRunner(
        EvalCase(
            name="eval-runner",
            subject=subject,
            first_message="The test begins.",
            tools=tool_mocks,
            model=model,
            initial_state=initial_state or {},
            allow=allow,
        )
    )


class ForkError(SuiteError):
    """A run cannot be forked: there is no such run, case or step, the edit does not fit the step, or the agent did not do
    again what it did before the step.
    """


@dataclass(frozen=True)
class Step:
    """A place in a run at which it can fork."""

    number: int
    """The number that `fork` takes, from 1."""
    kind: str
    """`message`, `answer`, `response` or `result`."""
    who: str
    """Who did it: `user`, the name of an agent or of a tool."""
    at_ms: int
    """When, in milliseconds since the run began."""
    content: Any
    """What it was: the message, the answer, the response with `text` and `calls`, or the result of a tool."""


@dataclass(frozen=True)
class BrokenContinuation:
    """A continuation that counts on neither side, because something else than the agent ended it."""

    repeat: int
    """Which it is, from 1."""
    at_fault: str | None
    """Who was at fault, such as `mock`; None if no metric could score it."""
    code: str | None
    """What went wrong, such as `unmocked_tool`."""
    message: str
    """Why, as text."""


@dataclass(frozen=True)
class Continuations:
    """What came of the continuations of one side."""

    run: int
    """The run of the store that has them."""
    passed: int
    counted: int
    """Those that passed or failed."""
    times: int
    """How many were run."""
    waiting: int
    """Those on which a person is to decide, which `rehearsal fork RUN --pass` and `--fail` do."""
    broken: list[BrokenContinuation]
    """Those that count as neither."""


@dataclass(frozen=True)
class Effect:
    """What the edit does to the share of continuations that pass."""

    difference: float
    """The share with the edit less the one without it, from -1 to 1."""
    low: float
    """The lower end of its 95 % interval."""
    high: float
    """The upper end."""
    is_shown: bool
    """Whether the interval excludes zero."""
    needed: int | None
    """If it does not: how many continuations on each side would show such a difference four times in five."""


@dataclass(frozen=True)
class Fork:
    """What came of a fork."""

    sentence: str
    """Whether the step was the cause."""
    with_edit: Continuations
    """The continuations with the edit and the changes; without either, all of them."""
    without_edit: Continuations | None
    """As many without them; None if there is neither an edit nor a change."""
    effect: Effect | None
    """None if there is one side only, or no continuation of a side counts."""
    decided_by: list[str]
    """The names of the metrics that said which continuations pass: those of the case, `golden_path` if it has none, or
    `verdict` of a person."""
    patch: str | None
    """The changed instructions and descriptions as a unified diff of the agent's files, as far as they were found there; None
    without changes. Nothing is written."""
    run: int
    """The run that was forked."""
    case: str
    repeat: int
    step: int


def steps(
    run: int | str | os.PathLike[str] = "last",
    *,
    case: str | None = None,
    repeat: int | None = None,
    store: str | os.PathLike[str] = DEFAULT_STORE,
    options: Sequence[str] = (),
) -> list[Step]:
    """The steps of a stored run, at which it can fork. Nothing is run. The arguments are those of `fork`.

    Raises:
      ForkError: there is no such run.
      SuiteError: the program `rehearsal` is missing.
    """
    written = _fork(run, case, repeat, store, options)
    return [
        Step(one["step"], one["kind"], one["who"], one["at_ms"], one[one["kind"]]) for one in written["steps"]
    ]


def fork(
    run: int | str | os.PathLike[str] = "last",
    *,
    step: int,
    edit: Mapping[str, Any] | None = None,
    changes: Mapping[str, Any] | None = None,
    then: str | None = None,
    times: int = 5,
    case: str | None = None,
    repeat: int | None = None,
    jobs: int | None = None,
    store: str | os.PathLike[str] = DEFAULT_STORE,
    tools: Mapping[str, str] | None = None,
    by_person: bool = False,
    options: Sequence[str] = (),
) -> Fork:
    """Gives a stored run of `rehearsal eval` again up to a step, lets something else happen there, and lets the agent go
    on from it several times, with the edit and without it::

        fork = fork("last", step=3, edit={"result": {"total": 49.9}})
        assert fork.effect is not None and fork.effect.is_shown, fork.sentence

    Args:
      run: what `rehearsal fork` takes: the number of a run, `last` for the last one that is not a fork itself, or a file with
        recorded cases, such as an eval set or `AGENT/.adk/session.db`.
      step: the step, as `steps` numbers them.
      edit: what happens at the step: an object with `message`, `answer`, `response`, `result` or `error`, and perhaps
        `state`.
      changes: what is changed in every request to a model from the step on: `instructions` by agent, `tools` by name and
        `temperature`.
      then: the model that goes on, such as `gemini-2.5-pro`; None for that of the case.
      times: how often the agent goes on, on each side.
      case: the case; None for the only one that did not pass.
      repeat: the repeat of the case; None for the first that did not pass.
      jobs: how many continuations run at the same time; None for one for each processor.
      store: the file that keeps the results of runs. The continuations are stored there as runs.
      tools: what tools do from the step on, by name: `real`, `sealed`, `recorded`, `refused` or `simulated:MODEL`; those
        that are not named do what the case says.
      by_person: whether a person says which continuations pass, in place of the metrics of the case or of its golden path.
      options: further options of `rehearsal fork`, such as `["--agent", FOLDER]` for runs of eval sets.

    Raises:
      ForkError: the run cannot be forked so, or the agent did not do again what it did before the step.
      SuiteError: the program `rehearsal` is missing.
    """
    with tempfile.TemporaryDirectory(prefix="rehearsal-") as folder:
        more = ["--step", str(step), "--times", str(times)]
        for option, name, value in (("--edit", "edit", edit), ("--change", "changes", changes)):
            if value is not None:
                more += [option, f"@{_json_file(Path(folder, name), value)}"]
        more += ["--then", then] if then is not None else []
        for tool, mode in (tools or {}).items():
            more += ["--tool", f"{tool}={mode}"]
        more += ["--by-person"] if by_person else []
        more += ["--jobs", str(jobs)] if jobs is not None else []
        written = _fork(run, case, repeat, store, [*more, *options])
    effect = written.get("effect")
    without = written.get("without")
    return Fork(
        sentence=written["sentence"],
        with_edit=_continuations(written["with"]),
        without_edit=None if without is None else _continuations(without),
        effect=None if effect is None else Effect(**{"needed": None, **effect}),
        decided_by=written["decided_by"],
        patch=written.get("patch", {}).get("diff"),
        run=written["run"],
        case=written["case"],
        repeat=written["repeat"],
        step=written["step"],
    )


def _fork(
    run: int | str | os.PathLike[str],
    case: str | None,
    repeat: int | None,
    store: str | os.PathLike[str],
    options: Sequence[str],
) -> dict[str, Any]:
    which = ["--case", case] if case is not None else []
    which += ["--repeat", str(repeat)] if repeat is not None else []
    of_run = run if isinstance(run, (int, str)) else os.fspath(run)
    arguments = [str(of_run), "--format", "json", "--store", os.fspath(store), *which, *options]
    written: dict[str, Any] = json.loads(_program("fork", *arguments, error=ForkError))
    return written


def _json_file(path: Path, value: Mapping[str, Any]) -> Path:
    # A result of a tool may be longer than an argument of a program.
    try:
        path.write_bytes(strict(value))
    except NotJson as error:
        raise ForkError(f"`{path.name}` has no form in JSON: {error}") from error
    return path


def _continuations(side: dict[str, Any]) -> Continuations:
    broken = [BrokenContinuation(**one) for one in side["broken"]]
    figures = {name: side[name] for name in ("run", "passed", "counted", "times", "waiting")}
    return Continuations(**figures, broken=broken)


def run_suite_file(suite: str | os.PathLike[str], *options: str) -> SuiteResult:
    """Runs a suite file with options of `rehearsal eval`.

    Raises:
      SuiteError: the suite is not valid, or the program `rehearsal` is missing.
    """
    with tempfile.TemporaryDirectory(prefix="rehearsal-") as folder:
        # What is kept is the caller's business.
        store = [] if "--store" in options else ["--store", str(Path(folder, "runs.sqlite"))]
        written = _program("eval", os.fspath(suite), "--format", "results", *store, *options)
    result = json.loads(written)
    return SuiteResult([_result(one) for one in result["results"]], result["summary"])


def list_cases(suite: str | os.PathLike[str]) -> list[dict[str, Any]]:
    """The cases of a suite file, each with `name` and `tags`. Nothing runs.

    Raises:
      SuiteError: the suite is not valid, or the program `rehearsal` is missing.
    """
    cases: list[dict[str, Any]] = json.loads(
        _program("eval", os.fspath(suite), "--list", "--format", "json")
    )
    return cases


def _result(result: dict[str, Any]) -> EvalResult:
    metrics = {
        name: MetricResult(
            metric["passed"], metric["evidence"], metric.get("score"), metric.get("value")
        )
        for name, metric in result["metrics"].items()
    }
    return EvalResult(
        name=result["name"],
        repeat=result["repeat"],
        status=result["status"],
        metrics=metrics,
        events=result["events"],
        notes=result.get("notes", []),
        duration_ms=result["duration_ms"],
        turns=result["turns"],
        token_usage=result["token_usage"],
        error=result.get("error"),
        termination_reason=result.get("termination_reason"),
    )


def _program_file() -> str:
    # Beside this Python too, which is not on the path where its environment is not activated.
    beside = os.path.dirname(sys.executable)
    program = (
        os.environ.get("REHEARSAL_PROGRAM")
        or shutil.which("rehearsal")
        or shutil.which("rehearsal", path=beside)
    )
    if program is None:
        raise SuiteError(
            "the program `rehearsal` is not on the path; install it, or set REHEARSAL_PROGRAM to its file"
        )
    return program


def _environment() -> dict[str, str]:
    return {"REHEARSAL_PYTHON": sys.executable, **os.environ}


def _program(*arguments: str, error: type[SuiteError] = SuiteError) -> str:
    """What the program prints. Exit codes that say how cases ended are no errors."""
    program = _program_file()
    try:
        done = subprocess.run(
            [program, *arguments], capture_output=True, encoding="utf-8", env=_environment(), check=False
        )
    except OSError as cause:
        raise SuiteError(f"{program} cannot be started: {cause}") from cause
    if done.returncode not in (0, 1, 3):
        # Notes come before it, and a hint at the command line after it.
        said = done.stderr.strip().removesuffix("For more information, try '--help'.").strip()
        raise error(f"\n{said}".partition("\nerror: ")[2] or said)
    return done.stdout
