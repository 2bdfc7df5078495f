"""Runs ``adk eval`` several times in one process, and writes the scores of each run.

The argument is a file with a list of ``{"agent": FOLDER, "eval_set": FILE, "script": FILE}``. Standard
output has one line of JSON for each run: a list with the scores of each case by metric, null where there
is none. A file in the older format, which ``adk eval`` does not read, is first migrated by google-adk, and
an empty name of the app, which google-adk refuses, is replaced.
The folders of the agents are written to, because ``adk eval`` keeps its results there.
"""

import contextlib
import json
import os
import shutil
import sys
import warnings
from pathlib import Path

warnings.simplefilter("ignore")

from google.adk.cli.cli_tools_click import main as adk
from google.adk.evaluation._eval_set_results_manager_utils import parse_eval_set_result_json
from google.adk.evaluation.agent_evaluator import AgentEvaluator


def scores(agent: Path, eval_set: str) -> list[dict[str, float | None]]:
    """What ``adk eval AGENT EVAL_SET`` stores."""
    # Each agent is a module of the name `agent`.
    for name in [name for name in sys.modules if name == "agent" or name.startswith("agent.")]:
        del sys.modules[name]
    history = agent / ".adk/eval_history"
    shutil.rmtree(history, ignore_errors=True)
    with contextlib.redirect_stdout(sys.stderr), contextlib.suppress(SystemExit):
        adk(["eval", str(agent), eval_set], standalone_mode=False)
    found: dict[str, dict[str, float | None]] = {}
    for file in history.iterdir():
        for case in parse_eval_set_result_json(file.read_text()).eval_case_results:
            metrics = case.overall_eval_metric_results
            found[case.eval_id] = {metric.metric_name: metric.score for metric in metrics}
    cases = json.loads(Path(eval_set).read_text())["eval_cases"]
    return [found[case["eval_id"]] for case in cases]


def current(eval_set: str, folder: Path) -> str:
    """The eval set in the format that ``adk eval`` reads."""
    read = json.loads(Path(eval_set).read_text())
    copy = folder / Path(eval_set).name
    if isinstance(read, list):
        AgentEvaluator.migrate_eval_data_to_new_schema(eval_set, str(copy))
        return str(copy)
    for case in read["eval_cases"]:
        if case["session_input"] and not case["session_input"]["app_name"]:
            case["session_input"]["app_name"] = "app"
    copy.write_text(json.dumps(read))
    return str(copy)


def main() -> None:
    """Runs what the argument lists."""
    runs = Path(sys.argv[1])
    for run in json.loads(runs.read_text()):
        agent = Path(run["agent"])
        if str(agent.parent) not in sys.path:
            sys.path.insert(0, str(agent.parent))
        os.environ["SCRIPTED_MODEL"] = run["script"]
        print(json.dumps(scores(agent, current(run["eval_set"], runs.parent))), flush=True)


main()
