"""Generated agents do in `rehearsal eval` what they do in google-adk's own runner.

Each seed gives an agent and several cases (``generated/agents.py``). Its model answers at random, the same to the same
request. Each case runs with google-adk's runner, then by the program with the real tools, and again with mocks that do
what the tools do. The events and the final state must be equal.

``REHEARSAL_TEST_SEEDS=7`` or ``=0-999`` chooses the seeds. With ``REHEARSAL_TEST_SHOW_REQUESTS=1``, differences
have the requests that models got.
"""

from __future__ import annotations

import difflib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from generated import agents
from generated.comparison import normal

BINARY = os.environ.get("REHEARSAL_TEST_BINARY")
CHARACTERS = 100_000 if "REHEARSAL_TEST_SHOW_REQUESTS" in os.environ else 600
CASES = 10
"""The cases of each seed."""


def seeds() -> range:
    """The seeds to run: 20, or those that the environment names."""
    first, _, last = os.environ.get("REHEARSAL_TEST_SEEDS", "0-19").partition("-")
    return range(int(first), int(last or first) + 1)


@pytest.fixture(scope="module")
def written(tmp_path_factory) -> dict[int, agents.Generated]:
    """The agents, each in a folder of its own."""
    folder = tmp_path_factory.mktemp("generated")
    return {seed: agents.write(folder / str(seed), seed) for seed in seeds()}


@pytest.fixture(scope="module")
def happened(written) -> dict[str, dict]:
    """What happened in google-adk's runner, by the name of the case."""
    jobs = [
        {
            "folder": str(one.folder.parent),
            "agent": one.name,
            "is_ordered": one.is_ordered,
            "cases": agents.cases(seed, CASES),
        }
        for seed, one in written.items()
    ]
    program = Path(agents.__file__).parent / "runner.py"
    ran = subprocess.run(
        [sys.executable, program], input=json.dumps(jobs), stdout=subprocess.PIPE, text=True, check=True
    )
    happened = json.loads(ran.stdout)
    assert list(happened.values()).count(None) <= len(happened) / 20, "too many cases have no defined outcome"
    return happened


@pytest.mark.parametrize("seed", seeds())
def test_an_eval_run_is_what_google_adk_does(seed, written, happened):
    assert BINARY, "REHEARSAL_TEST_BINARY must name the program; `cargo xtask test --only plugin` sets it"
    agent = written[seed]
    folder = agent.folder.parent
    file = folder / "suite.eval.json"
    file.write_text(json.dumps(suite(agent, seed, happened)))
    output = folder / "results.json"
    command = [BINARY, "eval", file, "--format", "results", "--output", output, "--python", sys.executable]
    ran = subprocess.run(command, cwd=folder, stderr=subprocess.PIPE, text=True, check=False)
    assert output.exists(), f"{folder}\n{ran.stderr}"
    differences = []
    for result in json.loads(output.read_text())["results"]:
        how, name = result["name"].split(" ")
        actual = {"events": entries(result["events"]), "state": result["events"][-1]["state"]}
        differences += difference(f"{name} with {how}", happened[name], actual, agent.is_ordered)
    assert not differences, (
        f"{len(differences)} cases differ. The agent: {agent.folder}/agent.py\n"
        f"REHEARSAL_TEST_SEEDS={seed} REHEARSAL_TEST_BINARY={BINARY} {sys.executable} -m pytest {__file__}\n"
        + "\n".join(differences)
    )


def suite(agent: agents.Generated, seed: int, happened: dict[str, dict]) -> dict:
    """The cases as a suite, with the users that google-adk's runs had."""
    real = dict.fromkeys(agent.tools, "real")
    mocks = {name: {"function": f"mocks_{seed}.py:{name}"} for name in agent.mocked}
    cases = []
    for case in agents.cases(seed, CASES):
        if happened[case["name"]] is None:
            continue
        first, *rest = case["messages"]
        answers = happened[case["name"]]["answers"]
        users: dict = {"tools": {name: {"script": [{"says": one} for one in said]} for name, said in answers.items()}}
        if rest:
            users["loop"] = {"script": [{"says": message} for message in rest]}
        for how, tools in [("real", real)] + ([("mocks", {**real, **mocks})] if mocks else []):
            cases.append(
                {
                    "name": f"{how} {case['name']}",
                    "first_message": first,
                    "initial_state": {"session": case["state"]},
                    "tools": tools,
                    "user_agents": users,
                }
            )
    return {"subject": {"adk": agent.name}, "cases": cases}


def entries(events: list[dict]) -> list:
    """The events of a ledger as ``generated/runner.py`` writes them."""
    noted: list = []
    for event in events:
        match event["type"]:
            case "user_message":
                noted.append(["user", event["text"]])
            case "message":
                noted.append(["message", event["agent"], event["text"]])
            case "model_usage":
                noted.append(["usage", event["agent"], event["model"], event["input"], event["output"]])
            # The calls of a workflow's nodes, of which google-adk has the outputs only.
            case "tool_call" if event["call_id"].startswith("call-"):
                continue
            case "tool_result" if event["call_id"].startswith("call-"):
                noted.append(["output", event["name"], event["result"]])
            case "node_output":
                output = event["output"]
                noted.append(["output", event["node"], output if isinstance(output, dict) else {"result": output}])
            case "tool_call":
                noted.append(["call", event["call_id"], event["agent"], event["name"], event["args"]])
            case "tool_result":
                noted.append(["result", event["call_id"], event["name"], event["result"]])
            case "state_change" if event["by"] != "user_agent":
                noted.append(["changes", event["changes"]])
            case "fault":
                noted.append(["error", event["message"]])
    return noted


def difference(name: str, expected: dict, actual: dict, is_ordered: bool) -> list[str]:
    """How a case differs, if it does."""
    errors, messages = ([event[1] for event in one["events"] if event[0] == "error"] for one in (expected, actual))
    # The output of a node that is used as a tool is the result of the call. The node of a mocked one does not run.
    called = {event[3] for event in expected["events"] if event[0] == "call"}
    expected, actual = (
        {**one, "events": [event for event in one["events"] if event[0] != "output" or event[1] not in called]}
        for one in (expected, actual)
    )
    lines = [normal(one, is_ordered) for one in (expected, actual)]
    if errors and messages and not is_ordered:
        # How far the other branches are when one fails, nothing decides.
        return []
    # A message can say more than the exception.
    if lines[0] == lines[1] and all(error in message for error, message in zip(errors, messages)):
        return []
    found = difflib.unified_diff(*lines, "google-adk", "rehearsal eval", n=2, lineterm="")
    return ["\n".join([f"--- {name}", *errors, *messages, *(line[:CHARACTERS] for line in found)])]
