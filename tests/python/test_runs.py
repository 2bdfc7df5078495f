"""A rehearsal fires the callbacks that ADK's runner fires, from the user's query to the end."""

import json
import os

import pytest

from conftest import FIXTURES, ROOT, SMART_HOME, Worker, eventually
from forked import Forked, run

RUNNER = """
import asyncio, json, sys
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai import types
from rehearsal_adk.tree import is_llm, walk
from played.agent import app

acts = json.loads(sys.argv[1])

class Scripted(BaseLlm):
    async def generate_content_async(self, llm_request, stream=False):
        act = acts.pop(0)
        part = types.Part(text=act) if isinstance(act, str) else types.Part(
            function_call=types.FunctionCall(name=act[0], args=act[1]))
        yield LlmResponse(content=types.Content(role="model", parts=[part]))

async def run():
    agents = list(walk(app.root_agent))
    for agent in agents:
        called = [tool.agent for tool in getattr(agent, "tools", ()) if hasattr(tool, "agent")]
        agents += [one for one in called if one not in agents]
        if is_llm(agent) and agent.name != "parrot":
            agent.model = Scripted(model=agent.model)
    runner = InMemoryRunner(app=app)
    await runner.session_service.create_session(
        app_name="played", user_id="user", session_id="s", state={"owner": "Ada"})
    for _ in range(int(sys.argv[2])):
        message = types.Content(role="user", parts=[types.Part(text="Hello.")])
        async for _ in runner.run_async(user_id="user", session_id="s", new_message=message):
            pass
    session = await runner.session_service.get_session(
        app_name="played", user_id="user", session_id="s")
    responses = [
        [one.name, one.response, event.actions.state_delta, event.actions.artifact_delta]
        for event in session.events for one in event.get_function_responses()]
    print(json.dumps([session.state, responses]))

asyncio.run(run())
"""


class Play:
    """A session with the agent `played`, and the journal of its callbacks."""

    def __init__(self, start, path):
        self._start = start
        self._path = path
        path.write_text("", "utf-8")
        self.worker = start()
        self.view = self.worker.open(state={"owner": "Ada"})

    def rebuild(self, restore):
        """Ends the worker and opens the session in another."""
        self.worker.end()
        self.worker = self._start()
        return self.worker.open(restore=restore)

    def journal(self):
        return read(self._path)

    def count(self, name):
        return sum(1 for line in self.journal() if line[0] == name)

    def say(self, text="Hello."):
        return self.worker.result("user_content", session_id="s", text=text)

    def answer(self, text="Bye."):
        return self.worker.result("final_response", session_id="s", text=text)


@pytest.fixture(scope="module")
def workers(tmp_path_factory):
    """Workers on the agent `played`, one for each root, with the journals that they write."""
    running, folder = {}, tmp_path_factory.mktemp("journals")

    def living(root):
        if root not in running or running[root].process.poll() is not None:
            env = {"PLAYED": root, "PLAYED_JOURNAL": str(folder / root)}
            running[root] = Worker(FIXTURES / "played", env=env)
        return running[root]

    yield living, folder
    for one in running.values():
        one.end()


@pytest.fixture
def play(workers):
    living, folder = workers
    played = []

    def start(root="chat"):
        played.append(Play(lambda: living(root), folder / root))
        return played[-1]

    yield start
    for one in played:
        if one.worker.process.poll() is None:
            one.worker.ask("close_session", session_id="s")


def read(journal):
    return [json.loads(line) for line in journal.read_text("utf-8").splitlines()]


def run_by_adk(journal, root, acts, messages=1):
    """Has ADK's own runner run the agent on a model that acts so; gives journal and last state."""
    return run_whole(journal, root, acts, messages)[:2]


def run_whole(journal, root, acts, messages=1):
    """Gives the responses of the calls in the session, too."""
    path = os.pathsep.join([str(FIXTURES), str(ROOT / "python")])
    env = {"PYTHONPATH": path, "PLAYED": root, "PLAYED_JOURNAL": str(journal)}
    done = Forked(run, RUNNER, json.dumps(acts), str(messages), env={**os.environ, **env})
    stdout, stderr = done.communicate()
    assert done.wait() == 0, stderr
    return read(journal), *json.loads(stdout)


TRANSFER = ["transfer_to_agent", {"agent_name": "clerk"}]
ECHO = ["echo", {"text": "a"}]


@pytest.mark.parametrize(
    "root, acts",
    [
        ("chat", ["Bye."]),
        ("chat", [ECHO, ["echo", {"text": "b"}], "Bye."]),
        ("chat", [ECHO, TRANSFER, ["echo", {"text": "b"}], "Bye."]),
        ("chat", [TRANSFER, ["transfer_to_agent", {"agent_name": "host"}], "Bye."]),
        ("chat", [["parrot", {"request": "Polly?"}], "Bye."]),
        ("sequence", [["transfer_to_agent", {"agent_name": "typist"}], "Bye."]),
        ("structured", [ECHO, '{"summary": "s"}']),
        ("static", [ECHO, ECHO, "Bye."]),
    ],
)
def test_callbacks_fire_as_under_adks_own_runner(play, tmp_path, root, acts):
    expected, state = run_by_adk(tmp_path / "run", root, acts)
    played = play(root)
    played.say()
    for number, act in enumerate(acts[:-1]):
        outcome = played.worker.call(act[0], call_id=f"c{number}", **act[1])
        if act[0] == "parrot":
            # An agent as a tool runs its model only if the person wants it.
            assert outcome["status"] == "confirmation"
            outcome = played.worker.result(
                "confirm", session_id="s", call_id=f"c{number}", confirmed=True
            )
        assert outcome["status"] == "output"
    final = played.answer(acts[-1])
    assert played.journal() == expected
    assert final["view"]["state"] == state
    # The last request is the one that the view shows.
    assert f"Question {state['asked']}." in final["view"]["instruction"]


def test_the_view_is_the_request_after_the_callbacks(play):
    played = play()
    [warning] = [one for one in played.view["warnings"] if "may get a different request" in one]
    assert "before_model_callback of host" in warning
    assert "before_model_callback of the plugin journal" in warning
    assert "hidden" in [tool["name"] for tool in played.view["tools"]]
    assert played.count("before_model") == 0
    said = played.say()
    assert said["view"]["instruction"].endswith("Question 1.")
    assert "hidden" not in [tool["name"] for tool in said["view"]["tools"]]
    assert said["view"]["warnings"] == []
    assert said["delta"]["state"] == {"begun": "host", "asked": 1}
    # To look again is not to ask again.
    assert played.worker.result("describe", session_id="s") == said["view"]
    assert played.count("before_model") == 1


def test_shows_content_that_a_callback_adds(play):
    played = play("static")
    played.say()
    instruction = played.worker.call("echo", text="a")["view"]["instruction"]
    assert instruction.startswith("File.")
    assert "Serve Ada." in instruction
    assert instruction.endswith("Mind the time.")
    assert "Hello." not in instruction


def test_does_not_ask_another_person_to_respond_as_the_model(play):
    played = play("live")
    assert played.say()["view"]["warnings"] == []


def test_what_the_callbacks_write_stays_when_the_tool_fails(play):
    played = play()
    played.say()
    failed = played.worker.call("fail")
    assert failed["status"] == "error"
    assert failed["delta"]["state"] == {"answered": 1, "asked": 2}
    assert failed["view"]["instruction"].endswith("Question 2.")
    assert played.journal()[-1] == ["before_model", 2]


def test_a_canceled_call_leads_to_the_next_model_call(play):
    played = play()
    played.say()
    under_way = played.worker.start("waits", "c1")
    eventually(lambda: played.count("after_model") == 1)
    played.worker.result("cancel", session_id="s", call_id="c1")
    outcome = played.worker.answer(under_way)["result"]
    assert outcome["error"]["type"] == "Cancelled"
    assert outcome["state"]["asked"] == 2
    assert outcome["view"]["instruction"].endswith("Question 2.")


def test_a_call_that_waits_leads_to_no_model_call_until_it_is_done(play):
    played = play()
    played.say()
    assert played.worker.call("pay", call_id="c1")["status"] == "confirmation"
    assert played.count("before_model") == 1
    paid = played.worker.result("confirm", session_id="s", call_id="c1", confirmed=True)
    assert paid["view"]["instruction"].endswith("Question 2.")
    played.worker.call("echo", text="a")
    # Its answer in the history is not taken for a new one.
    assert (played.count("paid"), played.count("after_model")) == (1, 2)


@pytest.mark.parametrize(
    "wish, said",
    [
        ("answer", "with “No model needed.”. ADK would use that response and skip the model call."),
        ("raise before", "before_model_callback of host raised LookupError: nothing to ask. ADK"),
        ("replace", "ADK would continue with “Something else.”. Here your response is kept."),
        ("change", "ADK would continue with “Changed.”. Here your response is kept."),
        ("raise after", "after_model_callback of host raised LookupError: cannot take it. ADK"),
    ],
)
def test_warns_that_a_callback_would_replace_the_response(play, wish, said):
    played = play()
    played.say()
    played.worker.call("wishes", wish=wish)
    final = played.answer("Mine.")
    [notice] = final["view"]["warnings"]
    assert said in notice
    assert final["view"]["state"]["said"] == "Mine."
    assert final["delta"]["events"][0]["content"]["parts"] == [{"text": "Mine."}]


def test_does_not_warn_about_an_unchanged_response(play):
    played = play()
    played.say()
    played.worker.call("wishes", wish="same")
    assert played.answer()["view"]["warnings"] == []


def test_the_final_response_ends_the_run_once(play):
    played = play()
    played.say()
    final = played.answer("Bye.")
    assert final["delta"]["state"] == {"answered": 1, "said": "Bye.", "last": "host"}
    event = final["delta"]["events"][0]
    assert (event["author"], event["content"]["role"]) == ("host", "model")
    ended = played.journal()
    again = played.answer("Something else.")
    assert again["delta"] == {"state": {}, "artifacts": [], "events": []}
    assert again["view"] == final["view"]
    assert played.worker.result("describe", session_id="s") == final["view"]
    refused = played.worker.error(
        "call_tool", session_id="s", call_id="late", tool="echo", args={"text": "a"}
    )
    assert refused["code"] == -32602
    assert played.journal() == ended


def test_a_rebuilt_session_runs_no_callback_again(play):
    played = play()
    deltas = [played.say()["delta"], played.worker.call("echo", call_id="c1", text="a")["delta"]]
    before = played.journal()
    seen = played.rebuild(restored(deltas))
    assert played.journal() == before
    assert any("may get a different request" in one for one in seen["warnings"])
    # The act is the answer to what was asked before, and the model is asked a third time after it.
    outcome = played.worker.call("echo", call_id="c2", text="b")
    assert outcome["state"]["answered"] == 2
    assert outcome["view"]["instruction"].endswith("Question 3.")
    assert outcome["view"]["warnings"] == []
    deltas += [outcome["delta"], played.answer()["delta"]]
    ended = played.journal()
    played.rebuild(restored(deltas))
    assert played.answer()["delta"]["events"] == []
    assert played.journal() == ended


def restored(deltas):
    state = {"owner": "Ada"}
    for delta in deltas:
        state.update(delta["state"])
    return {
        "state": state,
        "artifacts": [],
        "events": [event for delta in deltas for event in delta["events"]],
        "user_text": "Hello.",
        "agent": "host",
    }


def test_a_run_that_a_tool_ended_does_not_call_the_model(play):
    played = play()
    played.say()
    outcome = played.worker.call("exit_loop")
    assert "exit_loop ended the run" in outcome["view"]["warnings"][0]
    played.answer()
    assert (played.count("before_model"), played.count("after_model")) == (1, 1)
    assert played.journal()[-1] == ["after_run"]


def test_a_session_without_a_query_makes_no_model_call(play):
    played = play()
    assert played.worker.call("echo", text="a")["view"] is None
    assert played.count("before_model") == played.count("after_model") == 0


def test_no_view_is_made_for_an_agent_without_model_callbacks(worker):
    one = worker(SMART_HOME)
    one.open()
    one.result("user_content", session_id="s", text="Hello.")
    assert one.call("list_rooms")["view"] is None
    final = one.result("final_response", session_id="s", text="Bye.")
    assert final["view"]["warnings"] == []
    assert [event["author"] for event in final["delta"]["events"]] == ["smart_home"]


def test_a_task_for_another_agent_waits_for_its_result(play, tmp_path):
    acts = [["errand", {"request": "Buy milk."}], ["finish_task", {"result": "Bought."}], "Bye."]
    expected, _ = run_by_adk(tmp_path / "run", "chat", acts)
    played = play()
    errand = next(one for one in played.view["tools"] if one["name"] == "errand")
    assert errand["long_running"]
    played.say()
    first = played.worker.call("errand", call_id="c1", request="Buy milk.")
    assert (first["status"], first["result"]) == ("long_running", None)
    [notice] = first["view"]["warnings"]
    assert "the agent errand active until it calls finish_task" in notice
    done = played.worker.result(
        "supply_result", session_id="s", call_id="c1", result={"result": "Bought."}
    )
    assert (done["status"], done["result"]) == ("output", {"result": "Bought."})
    played.answer()
    # As under the runner but for the errand's own steps, which the journal has no more.
    names = [line[0] for line in expected]
    begun = expected.index(["plugin before_agent", "errand"])
    back = next(at for at, line in enumerate(expected) if line[:2] == ["on_event", "user"])
    # The worker also runs tool callbacks for the call of the task.
    done = [line[0] for line in played.journal() if not line[0].endswith("_tool")]
    assert done == names[:begun] + names[back:]


def test_a_tasks_result_that_is_not_an_object_is_its_output(play):
    played = play()
    played.say()
    played.worker.call("errand", call_id="c1", request="Buy milk.")
    done = played.worker.result("supply_result", session_id="s", call_id="c1", result="Bought.")
    response = done["delta"]["events"][0]["content"]["parts"][0]["functionResponse"]
    assert response["response"] == {"output": "Bought."}


def test_an_agent_in_task_mode_finishes_its_task(play):
    played = play("task")
    played.say()
    assert "result" in played.worker.call("finish_task", wrong=1)["result"]["error"]
    assert played.count("before_model") == 2
    done = played.worker.call("finish_task", result="Bought.")
    assert done["result"] == "Task completed."
    assert done["state"]["done"] == {"result": "Bought."}
    assert "finish_task ended the run" in done["view"]["warnings"][0]
    played.answer("Bought.")
    # ADK leaves the agent where it finished: no after-agent callbacks, as its runner shows.
    assert played.count("before_model") == 2
    assert played.count("after_agent") == 0
    assert played.count("after_run") == 1


def test_a_structured_response_ends_the_run(play):
    played = play("structured")
    played.say()
    done = played.worker.call("set_model_response", summary="Short.")
    assert done["result"] == {"summary": "Short."}
    # The page sends it as the final response at once.
    assert not done["view"] or done["view"]["warnings"] == []
    final = played.answer('{"summary": "Short."}')
    assert final["view"]["state"]["summary"] == {"summary": "Short."}
    assert played.count("before_model") == 1


def test_warns_about_an_output_that_violates_the_schema(play):
    played = play("structured")
    played.say()
    final = played.answer("no JSON")
    assert any("output_key of writer raised" in one for one in final["view"]["warnings"])
    assert played.journal()[-1] == ["after_run"]


def test_a_print_without_a_newline_is_a_line_of_its_own(play):
    played = play()
    played.say()
    played.worker.call("wishes", wish="print")
    played.worker.end()
    assert "a line without an end\n" in played.worker.log()


@pytest.mark.parametrize(
    "root, turns",
    [
        ("chat", [[ECHO, "One."], [["echo", {"text": "b"}], "Two."]]),
        # The clerk goes on in the next turn, because it can transfer back.
        ("chat", [[TRANSFER, "One."], [ECHO, "Two."], ["Three."]]),
        ("structured", [[ECHO, '{"summary": "a"}'], ['{"summary": "b"}']]),
        ("sequence", [[["transfer_to_agent", {"agent_name": "typist"}], "One."], ["Two."]]),
    ],
)
def test_turns_follow_each_other_as_under_adks_own_runner(play, tmp_path, root, turns):
    acts = [act for turn in turns for act in turn]
    expected, state = run_by_adk(tmp_path / "run", root, acts, len(turns))
    played = play(root)
    for number, turn in enumerate(turns):
        said = played.say()
        [query] = [one for one in said["delta"]["events"] if one["author"] == "user"]
        assert query["invocationId"] == f"s_inv_{number}"
        for place, act in enumerate(turn[:-1]):
            call_id = f"c{number}-{place}"
            assert played.worker.call(act[0], call_id=call_id, **act[1])["status"] == "output"
        final = played.answer(turn[-1])
    assert played.journal() == expected
    assert final["view"]["state"] == state


def test_another_worker_restores_a_session_of_two_turns(play):
    played = play()
    deltas = [
        played.say()["delta"],
        played.worker.call("echo", call_id="c1", text="a")["delta"],
        played.answer("One.")["delta"],
        played.say("And now?")["delta"],
        played.worker.call("echo", call_id="c2", text="b")["delta"],
    ]
    played.rebuild(restored(deltas))
    repeated = played.worker.error(
        "call_tool", session_id="s", call_id="c1", tool="echo", args={"text": "a"}
    )
    assert "used before" in repeated["message"]
    assert played.worker.call("echo", call_id="c3", text="c")["status"] == "output"
    final = played.answer("Two.")
    assert final["delta"]["events"][0]["id"] == "s_inv_1_final"


def conversations(journal):
    """The contents of each model request."""
    return [line[4] for line in journal if line[0] == "plugin before_model"]


def test_a_session_is_taken_up_from_the_history_of_a_host_that_ended(play):
    played = play()
    played.say()
    first = played.worker.call("echo", call_id="c1", text="a")
    played.answer("One.")
    before = played.say("And now?")
    played.worker.end()
    played.worker = played._start()
    played.worker.initialize()
    echoed = {"call_id": "c1", "tool": "echo", "args": {"text": "a"}, "failed": False}
    echoed["response"] = {"result": first["result"]}
    taken = played.worker.result(
        "take_up",
        session_id="s",
        user_id="user",
        state=before["view"]["state"],
        agent="host",
        turns=[
            {"query": "Hello.", "calls": [echoed], "final_response": "One."},
            {"query": "And now?", "calls": [], "final_response": None},
        ],
    )
    journal = played.journal()
    assert taken["view"]["state"] == before["view"]["state"]
    assert taken["view"]["agent"]["name"] == "host"
    # No callback runs again, and the next request has the whole conversation.
    outcome = played.worker.call("echo", call_id="c2", text="b")
    assert outcome["state"]["answered"] == before["view"]["state"]["answered"] + 1
    contents = conversations(played.journal()[len(journal):])[0]
    assert contents[:-2] == conversations(journal)[-1]
    # The worker's record restores the session too.
    deltas = [taken["delta"], outcome["delta"]]
    state = {**before["view"]["state"], **outcome["delta"]["state"]}
    played.rebuild({**restored(deltas), "state": state})
    final = played.answer("Two.")
    assert final["delta"]["events"][0]["id"] == "s_inv_1_final"


def test_the_agents_of_a_history_are_those_that_it_transferred_to(worker):
    one = worker(SMART_HOME)
    one.initialize()
    taken = one.result(
        "take_up",
        session_id="s",
        user_id="user",
        state={},
        agent="garage_agent",
        turns=[
            {
                "query": "Save.",
                "calls": [
                    {
                        "call_id": "c1",
                        "tool": "transfer_to_agent",
                        "args": {"agent_name": "garage_agent"},
                        "failed": False,
                        "response": {"result": None},
                    }
                ],
                "final_response": "Done.",
            }
        ],
    )
    assert taken["view"]["agent"]["name"] == "garage_agent"
    authors = [event["author"] for event in taken["delta"]["events"]]
    assert authors == ["user", "smart_home", "smart_home", "garage_agent"]
    gone = one.error(
        "take_up", session_id="t", user_id="user", state={}, agent="nobody", turns=[]
    )
    assert "no longer in the tree" in gone["message"]
