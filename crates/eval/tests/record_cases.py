"""Prints an eval set of the agent `clerk` as `adk web` saves it, with a case for each seed from FIRST to before END.
Beside the cases, `sessions` are the same runs as `adk web` saves them for `adk test`.

google-adk runs the agent. A model calls tools at random, and a user answers, or does not answer, what waits.

Arguments: the folder of the agents, FIRST, END, and further pairs of these
Where the variable CONFORMANCE names a folder, google-adk's plugin for conformance tests records each run there too.
"""

import asyncio
import importlib
import json
import os
import random
import sys
from pathlib import Path

from google.adk.cli.plugins.recordings_plugin import RecordingsPlugin
from google.adk.cli.utils.evals import convert_session_to_eval_invocations
from google.adk.evaluation.eval_case import EvalCase, SessionInput
from google.adk.evaluation.eval_set import EvalSet
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import InMemoryRunner
from google.adk.utils.yaml_utils import dump_pydantic_to_yaml
from google.genai import types

ARGS = {
    "measure": lambda of: {"site": of.choice(["attic", "cellar", "hall"])},
    "find": lambda of: {"city": of.choice(["Rome", "Oslo"]), **({"limit": 1} if of.random() < 0.4 else {})},
    "note": lambda of: {"text": of.choice(["a", "b"])},
    "names": lambda of: {"count": of.randint(0, 2)},
    "wipe": lambda of: {"disk": of.choice(["a", "b"])},
    "erase": lambda of: {"disk": of.choice(["a", "b"])},
    "refund": lambda of: {"euros": of.choice([5, 20, 30])},
    "unlock": lambda of: {"door": of.choice(["gate", "safe"])},
    "quote": lambda of: {"share": of.choice(["A", "B"])},
    "order": lambda of: {"item": of.choice(["lamp", "desk"])},
    "ask": lambda of: {"question": of.choice(["Who?", "When?"])},
    "made_up": lambda of: {},
}
OF_HELPER = ["find", "measure"]

# What google-adk leaves out of the sessions of conformance tests.
CONFIG = {"_adk_recordings_config": True}
OF_PLUGIN = {"state": CONFIG, "events": {"__all__": {"actions": {"state_delta": CONFIG}}}}


class Chance(BaseLlm):
    """A model that calls tools at random, and transfers to the helper at most once."""

    chance: object
    left: int = 0
    is_helper: bool = False

    async def generate_content_async(self, llm_request, stream=False):
        """Responds with a text, with calls, or with both."""
        yield LlmResponse(content=types.Content(role="model", parts=self.parts()))

    def parts(self):
        chance = self.chance
        self.left -= 1
        if self.left <= 0 or chance.random() < 0.25:
            return [types.Part(text=chance.choice(["Done.", "It is so.", "I could not do it."]))]
        if not self.is_helper and chance.random() < 0.1:
            self.is_helper = True
            return [self.call("transfer_to_agent", {"agent_name": "helper"})]
        parts = [types.Part(text="One moment.")] if chance.random() < 0.2 else []
        for _ in range(chance.choice([1, 1, 1, 2])):
            name = chance.choice(OF_HELPER if self.is_helper else list(ARGS))
            parts.append(self.call(name, ARGS[name](chance)))
        return parts

    def call(self, name, args):
        return types.Part(function_call=types.FunctionCall(name=name, args=args))


def answers(chance, waiting):
    """What the user answers to the calls that wait: to all of them, to some or to none."""
    given = []
    for call in waiting:
        if chance.random() < 0.8:
            is_confirmation = call.name == "adk_request_confirmation"
            answer = {"result": chance.choice(["yes", "no"])}
            if is_confirmation:
                answer = {"confirmed": chance.random() < 0.6}
                if chance.random() < 0.3:
                    answer["payload"] = {"euros": chance.choice([1, 25])}
            response = types.FunctionResponse(id=call.id, name=call.name, response=answer)
            given.append(types.Part(function_response=response))
            if chance.random() < 0.5:
                break
    return given


def conformance_test(seed):
    """The folder of the conformance test of this seed, with its specification; None if none is wanted."""
    folder = os.environ.get("CONFORMANCE")
    if not folder:
        return None
    test = Path(folder) / f"seed-{seed}"
    test.mkdir()
    (test / "spec.yaml").write_text("description: By chance\nagent: clerk\n")
    return test


async def record(agent, seed):
    """A case with up to four messages of the user, and its session."""
    chance = random.Random(seed)
    model = agent.root_agent.model = agent.helper.model = Chance(model="chance", chance=chance)
    test = conformance_test(seed)
    plugins = [RecordingsPlugin()] if test else []
    runner = InMemoryRunner(agent=agent.root_agent, app_name="clerk", plugins=plugins)
    state = {"tier": "gold"} if chance.random() < 0.5 else {}
    who = {"app_name": "clerk", "user_id": "user"}
    session = await runner.session_service.create_session(**who, state=state)
    parts = [types.Part(text="Go on.")]
    for turn in range(4):
        model.left = 4
        waiting = {}
        message = types.Content(role="user", parts=parts)
        config = {"dir": str(test), "user_message_index": turn, "streaming_mode": "none"}
        delta = {"_adk_recordings_config": config} if test else None
        ids = {"user_id": "user", "session_id": session.id}
        async for event in runner.run_async(**ids, new_message=message, state_delta=delta):
            calls = event.get_function_calls()
            waiting.update({call.id: call for call in calls if call.id in (event.long_running_tool_ids or ())})
        given = answers(chance, waiting.values())
        if turn and not given and chance.random() < 0.6:
            break
        parts = given or [types.Part(text=f"And after turn {turn}?")]
    session = await runner.session_service.get_session(**who, session_id=session.id)
    if test:
        dump_pydantic_to_yaml(session, test / "generated-session.yaml", sort_keys=False, exclude=OF_PLUGIN)
    case = EvalCase(
        eval_id=f"seed-{seed}",
        conversation=convert_session_to_eval_invocations(session),
        session_input=SessionInput(**who, state=state),
    )
    return case, session


def main():
    """Prints the eval set."""
    folder, *bounds = sys.argv[1:]
    sys.path.insert(0, folder)
    agent = importlib.import_module("clerk.agent")
    ranges = zip(map(int, bounds[::2]), map(int, bounds[1::2]))
    recorded = [asyncio.run(record(agent, seed)) for seeds in ranges for seed in range(*seeds)]
    eval_set = EvalSet(eval_set_id="clerk", eval_cases=[case for case, _ in recorded])
    sessions = [session.model_dump(mode="json", by_alias=True, exclude_none=True) for _, session in recorded]
    print(json.dumps({**eval_set.model_dump(mode="json", exclude_none=True), "sessions": sessions}))


main()
