"""Prints the processor time in microseconds that a case costs in Inspect AI: two calls and a text.

The model is Inspect AI's mock model. It would fetch a table to count tokens; here they are estimated. What starting costs is left out: the time is the growth from few cases
to many. The first line is with Inspect AI's own settings except for the display, the second also without
the log of samples.
"""

import os
import tempfile
import time

from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageTool, ModelAPI, ModelOutput, get_model
from inspect_ai.scorer import includes
from inspect_ai.solver import generate, use_tools
from inspect_ai.tool import tool

FEW, MANY, ROUNDS = 50, 250, 5
ANSWER = "Done"


@tool
def look():
    async def execute(at: str) -> str:
        """Looks.

        Args:
            at: Where.
        """
        return '{"seen": "y"}'

    return execute


def respond(messages, tools, tool_choice, config):
    """A call, another call, and a text."""
    calls = sum(isinstance(message, ChatMessageTool) for message in messages)
    if calls < 2:
        return ModelOutput.for_tool_call("mockllm/model", "look", {"at": "x"})
    return ModelOutput.from_content("mockllm/model", ANSWER)


def run(cases: int, log_samples: bool | None) -> float:
    """The processor time of this many cases."""
    samples = [Sample(input="Go", target=ANSWER, id=at + 1) for at in range(cases)]
    task = Task(dataset=MemoryDataset(samples), solver=[use_tools(look()), generate()], scorer=includes())
    with tempfile.TemporaryDirectory() as folder:
        begin = time.process_time()
        [log] = eval(
            task,
            model=get_model("mockllm/model", custom_outputs=respond, memoize=False),
            display="none",
            log_dir=folder,
            log_samples=log_samples,
        )
        took = time.process_time() - begin
    assert log.status == "success" and log.results.scores[0].metrics["accuracy"].value == 1.0
    return took


def per_case(log_samples: bool | None) -> float:
    """The median of several rounds."""
    run(FEW, log_samples)
    grown = sorted(run(MANY, log_samples) - run(FEW, log_samples) for _ in range(ROUNDS))
    return grown[ROUNDS // 2] / (MANY - FEW) * 1e6


async def estimate(self, text: str) -> int:
    return len(text) // 4


ModelAPI.count_text_tokens = estimate
os.environ.setdefault("INSPECT_LOG_LEVEL", "error")
print(f"{per_case(None):.1f}")
print(f"{per_case(False):.1f}")
