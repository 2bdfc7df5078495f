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
    ForkError,
    RunnerError,
    SuiteError,
    ToolError,
    create_eval_runner,
    fork,
    returns,
    run_eval,
    run_eval_suite,
    run_suite_file,
    steps,
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


@pytest.fixture
def support_desk(tmp_path):
    """A store with a run of the example, in which one of three cases failed."""
    return run_of_support_desk(tmp_path / "runs.sqlite")


def run_of_support_desk(store):
    suite = run_suite_file(ROOT / "examples/support_desk/support_desk.eval.yaml", "--store", str(store))
    assert [result.status for result in suite.results] == ["passed", "passed", "failed"]
    return store


def test_a_fork_shows_which_step_was_the_cause(support_desk):
    of_run = steps(store=support_desk)
    assert [step.number for step in of_run] == [1, 2, 3, 4, 5, 6]
    assert [step.kind for step in of_run[:3]] == ["message", "response", "result"]
    assert of_run[3].content["calls"][0]["args"] == {"order_id": "A-1003", "euros": 4990}
    found = of_run[2]
    assert (found.who, found.content["total"]) == ("find_order", 4990)

    result = {**found.content, "total": 49.9}
    forked = fork(step=found.number, edit={"result": result}, times=4, store=support_desk)
    assert forked.sentence.startswith("Step 3 was the cause: with your result 4 of 4 pass, without it 0 of 4 ")
    assert (forked.run, forked.case, forked.repeat, forked.step) == (1, "refund a broken kettle", 1, 3)
    assert (forked.decided_by, forked.patch) == (["refunds its price"], None)
    assert (forked.with_edit.passed, forked.with_edit.counted, forked.with_edit.times) == (4, 4, 4)
    assert forked.without_edit is not None and forked.without_edit.passed == 0
    assert forked.effect is not None and forked.effect.is_shown and forked.effect.needed is None
    assert forked.effect.difference == 1 and 0 < forked.effect.low < forked.effect.high == 1
    # A continuation is a run, which has steps itself.
    (*_, said) = steps(forked.with_edit.run, repeat=4, store=support_desk)
    assert said.content["text"] == "I have refunded 49.9 euros."


def test_the_fork_of_the_guide_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    run_of_support_desk(".rehearsal/eval.sqlite")
    guide = (ROOT / "docs/guide/eval-runs.md").read_text("utf-8")
    (code,) = (block for block in guide.split("```python\n")[1:] if "import fork" in block)
    exec(code.partition("```")[0], {})
    assert capsys.readouterr().out.startswith("Step 3 was the cause: with your result 10 of 10 pass")


def test_a_fork_changes_instructions_and_models(support_desk):
    instruction = "Refund what arrived broken. Totals are in cents."
    forked = fork(1, step=2, changes={"instructions": {"support_desk": instruction}}, store=support_desk)
    assert forked.sentence.startswith("The instruction was the cause: with your instruction 5 of 5 pass")
    assert forked.patch is not None and f"+{instruction}" in forked.patch

    # Nothing is changed, so there is nothing to compare with.
    forked = fork(1, step=2, times=2, jobs=1, store=support_desk)
    assert forked.sentence.startswith("From step 2 on, 0 of 2 pass (95 % 0.00 to ")
    assert (forked.without_edit, forked.effect) == (None, None)
    forked = fork(1, step=2, times=2, tools={"refund": "sealed"}, by_person=True, store=support_desk)
    assert forked.sentence == "2 continuations wait for your verdict."
    assert (forked.with_edit.waiting, forked.with_edit.counted) == (2, 0)

    with pytest.raises(ForkError, match="unknown/model"):
        fork(1, step=2, then="unknown/model", store=support_desk)


def test_what_cannot_fork_says_why(support_desk, tmp_path):
    for wrong, why in (
        ({"step": 3, "edit": {"message": "Hi"}}, "step 3 is the result of a tool, and the move gives a message"),
        ({"step": 3, "edit": {"results": {}}}, "the move is not valid: unknown field `results`"),
        ({"step": 9}, "it has the steps 1 to 6"),
        ({"step": 1, "case": "refunds"}, "it has results of "),
        ({"step": 1, "changes": {"instructions": {"desk": "Hi"}}}, "it has no agent desk"),
        ({"step": 3, "edit": {"result": object()}}, "`edit` has no form in JSON"),
        ({"step": 3, "changes": {"tools": object()}}, "`changes` has no form in JSON"),
        ({"step": 1, "times": 0}, "give a number from 1"),
    ):
        with pytest.raises(ForkError, match=why) as failure:
            fork(**wrong, store=support_desk)
        assert not str(failure.value).startswith(("error: ", "note: ")), failure.value
    with pytest.raises(ForkError, match="has no run 7"):
        steps(7, store=support_desk)
    with pytest.raises(SuiteError, match="none.sqlite"):
        steps(store=tmp_path / "none.sqlite")


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
