"""Cases that are run from Python, and as tests of pytest, by the program."""

import math
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "python"))

from rehearsal_adk.eval import (  # noqa: E402
    REAL,
    EvalCase,
    RunnerError,
    SuiteError,
    ToolError,
    create_eval_runner,
    returns,
    run_eval,
    run_eval_suite,
)

TRIAGE = ROOT / "crates/eval/tests/agents/triage"


@pytest.fixture(autouse=True)
def _program(monkeypatch):
    binary = os.environ.get("REHEARSAL_TEST_BINARY")
    if not binary:
        pytest.skip("REHEARSAL_TEST_BINARY names no program")
    monkeypatch.setenv("REHEARSAL_PROGRAM", binary)


def read(policy_id, context):
    """A mock."""
    if policy_id == "missing":
        raise ToolError("no such policy")
    return {"policy": policy_id, "tool": context.tool_name}


def calls(*tools):
    """A scripted model that makes these calls one by one and then says that it is done."""
    turns = [{"calls": [{"tool": tool, "args": args}]} for tool, args in tools]
    return {"scripted": [*turns, "Done"]}


def case(name, model, **members):
    return EvalCase(name=name, subject=TRIAGE, first_message="Hi", model=model, **members)


def test_a_case_passes_with_mocks_and_real_tools():
    escalated = {"state": {"name": "escalated", "key": "escalation", "is": {"$exists": True}}}
    escalate = ("escalate", {"urgency_level": "emergency_999", "reason": "cardiac"})
    result = run_eval(
        case(
            "chest-pain",
            calls(("read", {"policy_id": "x"}), escalate),
            tools={"read": read, "escalate": REAL},
            metrics=[escalated],
        )
    )
    result.assert_passed()
    assert result.metrics["escalated"].passed
    results = [event["result"] for event in result.events if event["type"] == "tool_result"]
    assert results[0] == {"policy": "x", "tool": "read"}


def test_a_failure_says_why():
    wanted = {"state": {"name": "escalated", "key": "escalation", "is": {"$exists": True}}}
    suite = run_eval_suite(
        [
            case("not-escalated", calls(), metrics=[wanted]),
            case("unmocked", calls(("read", {"policy_id": "x"}))),
            case("fine", calls(("read", {"policy_id": "x"})), tools={"read": returns({"policy": "x"})}),
        ]
    )
    assert suite.summary["passed"] == 1
    with pytest.raises(AssertionError) as failure:
        suite.assert_passed()
    told = str(failure.value)
    assert "not-escalated: failed" in told
    assert "EvalToolError: the tool read was called, and the case has no mock for it." in told
    assert "fine" not in told
    assert 'events:\n  {"at_ms": 0, "type": "initial_state", "state": {}}' in told
    assert '"type": "tool_call", ' in told


def test_cases_run_one_after_the_other():
    wanted = {"event_count": {"name": "none", "event": "message", "is": 0}}
    cases = [case("first", calls(), metrics=[wanted]), case("second", calls())]
    suite = run_eval_suite(cases, parallel=False, stop_on_first_failure=True)
    assert [(result.name, result.status) for result in suite.results] == [("first", "failed")]
    with pytest.raises(SuiteError, match="leave out `parallel=False`, or `jobs`"):
        run_eval_suite(cases, parallel=False, jobs=2)


def test_a_case_that_is_not_valid_is_refused():
    with pytest.raises(SuiteError, match="there are no events tool_cal; did you mean tool_call"):
        run_eval(case("a", calls(), metrics=[{"event_count": {"name": "n", "event": "tool_cal", "is": 1}}]))
    with pytest.raises(SuiteError, match="a function at the top level of a module"):
        run_eval(case("a", calls(), tools={"read": lambda policy_id: {}}))


def test_the_paths_of_a_subject_are_absolute(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    members = {"folder": "triage", "declarations": "tools.json"}
    for subject, wanted in (
        ("triage", str(tmp_path / "triage")),
        ({"adk": "triage"}, str(tmp_path / "triage")),
        ({"adk": members}, {name: str(tmp_path / path) for name, path in members.items()}),
    ):
        assert EvalCase(name="a", subject=subject).to_dict()["subject"] == {"adk": wanted}


def test_the_folders_of_user_agents_are_absolute(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    users = {"loop": {"adk": "patient", "model": "m"}, "tools": {"ask": {"adk": tmp_path / "nurse"}}}
    assert EvalCase(name="a", subject="triage", user_agents=users).to_dict()["user_agents"] == {
        "loop": {"adk": str(tmp_path / "patient"), "model": "m"},
        "tools": {"ask": {"adk": str(tmp_path / "nurse")}},
    }


def test_a_value_without_a_form_in_json_is_refused():
    with pytest.raises(SuiteError, match=r"'odd' has no form in JSON: \$\.\S+ is NaN\."):
        run_eval(case("odd", calls(), initial_state={"degrees": math.nan}))


def test_a_runner_goes_on_turn_by_turn():
    model = {
        "scripted": [
            "Hello",
            {"calls": [{"tool": "read", "args": {"policy_id": "x"}}]},
            {"calls": [{"tool": "ask", "args": {"question": "Where?"}}]},
            "Done",
        ]
    }
    state = {"patient": {"age": 55}}
    mocks = {"read": read, "ask": returns(None)}
    with create_eval_runner(TRIAGE, mocks, model=model, initial_state=state) as runner:
        assert runner.run("Hi").text == "Hello"
        waits = runner.run("It hurts")
        results = [event["result"] for event in waits.events if event["type"] == "tool_result"]
        assert results == [{"policy": "x", "tool": "read"}]
        (asked,) = waits.pending
        assert (asked.tool, asked.args, waits.state) == ("ask", {"question": "Where?"}, state)
        assert runner.respond([(asked, {"answer": "My arm"})]).text == "Done"


def test_a_runner_ends_with_what_is_not_mocked():
    model = calls(("read", {"policy_id": "x"}))
    with create_eval_runner(TRIAGE, {}, model=model) as runner:
        with pytest.raises(RunnerError, match="the case has no mock for it") as error:
            runner.run("Hi")
        assert (error.value.at_fault, error.value.code) == ("mock", "unmocked_tool")
        assert [event["type"] for event in error.value.events][:3] == [
            "user_message",
            "model_request",
            "tool_call",
        ]
        with pytest.raises(SuiteError, match="the run has ended"):
            runner.run("Hi")
    with pytest.raises(RunnerError, match="did you mean read"):
        create_eval_runner(TRIAGE, {"reed": returns(1)}, model=model)
    with pytest.raises(SuiteError, match="is not a folder"):
        create_eval_runner(TRIAGE / "none", {}, model=model)


def format_prompt(context):
    """The agent's text, and how long the conversation is."""
    return f"{context.text} {len(context.conversation)}"


def says_it(prompt):
    """Says what it hears, once."""
    return prompt if prompt == "Hello 1" else None


def test_functions_are_user_agents_and_formats():
    said = {"name": "said", "event": "user_message", "filter": {"text": "Hello 1"}, "is": 1}
    run_eval(
        case(
            "bridged",
            {"scripted": ["Hello", "Bye"]},
            user_agents={"loop": says_it},
            bridge={"format_prompt": format_prompt},
            metrics=[{"event_count": said}],
        )
    ).assert_passed()


def test_the_program_is_missing(monkeypatch):
    monkeypatch.delenv("REHEARSAL_PROGRAM")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(SuiteError, match="the program `rehearsal` is not on the path"):
        run_eval(case("a", calls()))


SUITE = """
subject: {{ adk: {triage} }}
cases:
  - name: passes
    first_message: Hi
    tags: [smoke]
    model: {{ scripted: [Done] }}
  - name: "fails [1]"
    first_message: Hi
    model: {{ scripted: [Done] }}
    metrics: [{{ state: {{ name: escalated, key: escalation, is: {{ $exists: true }} }} }}]
  - name: not selected
    first_message: Hi
    model: {{ scripted: [] }}
"""


def pytest_of(folder, *options):
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    command = [sys.executable, "-m", "pytest", "-p", "rehearsal_adk.pytest_plugin"]
    command += ["-p", "no:cacheprovider", "-v", *options]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_suites_are_tests_of_pytest(tmp_path):
    (tmp_path / "triage.eval.yaml").write_text(SUITE.format(triage=TRIAGE))
    done = pytest_of(tmp_path, "-k", "not selected")
    assert "triage.eval.yaml::passes PASSED" in done.stdout
    assert "triage.eval.yaml::fails [1] FAILED" in done.stdout
    assert "escalated failed: " in done.stdout
    assert "1 failed, 1 passed, 1 deselected" in done.stdout, done.stdout
    assert "Traceback" not in done.stdout
    marked = pytest_of(tmp_path, "-m", "smoke")
    assert "1 passed, 2 deselected" in marked.stdout, marked.stdout
    assert "UnknownMark" not in marked.stdout, marked.stdout
    assert list(tmp_path.glob("**/*.sqlite")) == []


def test_a_bad_suite_fails_the_collection(tmp_path):
    (tmp_path / "bad.eval.yaml").write_text("subject: { adk: nowhere }\ncases: []\n")
    done = pytest_of(tmp_path)
    assert done.returncode == 2
    assert "there are no cases; add one" in done.stdout
