"""A person plays an agent that is a tool, as ADK's runner would have its model act."""

import pytest

from test_runs import play, run_whole, workers  # noqa: F401

ECHO = ["echo", {"text": "a"}]
AGENTS = {"scholar", "judge", "quiet", "last", "clerk", "scribe", "critic"}


class Stage:
    """Acts in a session as a model would, and plays the agents that it calls."""

    def __init__(self, played):
        self.played = played
        self.deltas = [played.say()["delta"]]
        self.calls = []
        self.number = 0

    def act(self, act):
        if isinstance(act, str):
            if not self.calls:
                return self.played.answer(act)
            return self.take("respond_as_agent", call_id=self.calls.pop(), text=act)
        self.number += 1
        call_id = f"c{self.number}"
        outcome = self.take("call_tool", call_id=call_id, tool=act[0], args=act[1])
        if act[0] in AGENTS:
            assert outcome["status"] == "confirmation"
            outcome = self.take("play", call_id=call_id)
            assert outcome["status"] == "playing"
            assert outcome["view"]["agent"]["name"] == act[0]
            self.calls.append(call_id)
        return outcome

    def take(self, method, **params):
        outcome = self.played.worker.result(method, session_id="s", **params)
        self.deltas.append(outcome["delta"])
        return outcome

    def responses(self):
        return [
            [part["functionResponse"]["name"], part["functionResponse"]["response"]]
            + [event["actions"].get(key, {}) for key in ("stateDelta", "artifactDelta")]
            for delta in self.deltas
            for event in delta["events"]
            for part in event.get("content", {}).get("parts", ())
            if "functionResponse" in part
        ]

    def rebuild(self):
        return self.played.rebuild(restore_of(self.deltas, {"owner": "Ada"}))


def restore_of(deltas, state=None):
    """What the host records of the deltas, to restore the session."""
    record = {"state": {**(state or {})}, "artifacts": [], "events": [], "user_text": None, "agent": None}
    for delta in deltas:
        record["state"].update(delta["state"])
        record["artifacts"] += delta["artifacts"]
        record["events"] += delta["events"]
    played = [delta.get("played") for delta in deltas]
    if played and played[-1]:
        call_id = played[-1]["call_id"]
        of_call = [one for one in played if one and one["call_id"] == call_id]
        restore = restore_of([one["delta"] for one in of_call])
        restore["agent"] = of_call[-1]["agent"]
        record["played"] = {"call_id": call_id, "restore": restore}
    return record


WHY = {"request": "Why?"}
RUNS = [
    [["scholar", WHY], "Because.", "Bye."],
    [ECHO, ["scholar", WHY], ECHO, ["draw", {"name": "a.png"}], "Because.", ECHO, "Bye."],
    [["scholar", WHY], ["clerk", {"request": "File it."}], ECHO, "Filed.", "Because.", "Bye."],
    [["judge", {"summary": "s"}], '{"summary": "fair"}', "Bye."],
    [["quiet", WHY], "Hush.", "Bye."],
]


@pytest.mark.parametrize("acts", RUNS)
def test_a_played_agent_leaves_what_its_run_would_leave(play, tmp_path, acts):  # noqa: F811
    expected, state, responses = run_whole(tmp_path / "run", "caller", acts)
    stage = Stage(play("caller"))
    for act in acts:
        last = stage.act(act)
    assert stage.played.journal() == expected
    assert last["view"]["state"] == state
    assert last["view"]["agent"]["name"] == "host"
    assert stage.responses() == responses


def test_the_agent_has_its_own_instruction_tools_and_state(play):  # noqa: F811
    stage = Stage(play("caller"))
    view = stage.act(["scholar", WHY])["view"]
    assert "Serve Ada." in view["instruction"]
    assert [tool["name"] for tool in view["tools"]] == ["echo", "wishes", "draw", "waits", "clerk"]
    assert (view["state"]["begun"], view["state"]["owner"]) == ("scholar", "Ada")
    assert stage.played.worker.result("describe", session_id="s")["agent"]["name"] == "scholar"
    drawn = stage.act(["draw", {"name": "a.png"}])
    assert [one["filename"] for one in drawn["view"]["artifacts"]] == ["a.png"]
    assert drawn["state"]["drawn"] == "a.png"
    assert drawn["delta"]["state"] == {}, "the caller gets it with the result"
    ended = stage.act("Because.")
    assert (ended["status"], ended["result"]) == ("output", "Because.")
    assert (ended["state"]["drawn"], ended["state"]["known"]) == ("a.png", "Because.")
    assert "played" not in ended["delta"]
    authors = [event["author"] for delta in stage.deltas for event in delta["events"]]
    assert "scholar" not in authors


def test_a_response_that_violates_the_schema_is_rejected(play):  # noqa: F811
    stage = Stage(play("caller"))
    view = stage.act(["judge", {"summary": "s"}])["view"]
    assert view["output_schema"]["required"] == ["summary"]
    rejected = stage.act("no JSON")
    assert rejected["status"] == "playing"
    assert "JSON" in rejected["rejected"]
    stage.calls.append("c1")
    ended = stage.act('{"summary": "fair"}')
    assert (ended["status"], ended["result"]) == ("output", {"summary": "fair"})


def test_an_agent_that_ends_the_run_does_so_when_it_is_played(play):  # noqa: F811
    stage = Stage(play("caller"))
    stage.act(["last", WHY])
    [event] = stage.act("Because.")["delta"]["events"]
    assert event["actions"]["skipSummarization"] is True


def test_a_canceled_play_leaves_nothing_in_the_caller(play):  # noqa: F811
    stage = Stage(play("caller"))
    stage.act(["scholar", WHY])
    stage.act(["draw", {"name": "a.png"}])
    stopped = stage.take("stop_playing", call_id="c1")
    assert (stopped["status"], stopped["error"]["type"]) == ("error", "Cancelled")
    assert stopped["view"]["agent"]["name"] == "host"
    assert "drawn" not in stopped["state"]
    [event] = stopped["delta"]["events"]
    [part] = event["content"]["parts"]
    assert part["functionResponse"]["response"]["error"]["type"] == "Cancelled"
    for method, more in (("respond_as_agent", {"text": "Late."}), ("play", {})):
        error = stage.played.worker.error(method, session_id="s", call_id="c1", **more)
        assert error["code"] == -32602
    stage.calls.clear()
    assert stage.act(ECHO)["result"] == "a"


def test_another_worker_goes_on_with_a_played_agent(play):  # noqa: F811
    stage = Stage(play("caller"))
    stage.act(["scholar", WHY])
    stage.act(["draw", {"name": "a.png"}])
    stage.act(["clerk", {"request": "File it."}])
    stage.act(ECHO)
    view = stage.rebuild()
    assert view["agent"]["name"] == "clerk"
    assert stage.act(ECHO)["result"] == "a"
    assert stage.act("Filed.")["result"] == "Filed."
    view = stage.rebuild()
    assert (view["agent"]["name"], view["state"]["drawn"]) == ("scholar", "a.png")
    ended = stage.act("Because.")
    assert (ended["result"], ended["state"]["drawn"]) == ("Because.", "a.png")
    [event] = ended["delta"]["events"]
    assert event["actions"]["artifactDelta"] == {"a.png": 0}
    assert stage.act("Bye.")["view"]["state"]["said"] == "Bye."


SINGLE_TURNS = [
    [["scribe", WHY], "Because.", "Bye."],
    [ECHO, ["scribe", WHY], ECHO, ["draw", {"name": "a.png"}], "Because.", ECHO, "Bye."],
    [["critic", {"summary": "s"}], '{"summary": "fair"}', "Bye."],
]


@pytest.mark.parametrize("acts", SINGLE_TURNS)
def test_a_sub_agent_of_a_single_turn_is_played_as_it_would_run(play, tmp_path, acts):  # noqa: F811
    expected, state, responses = run_whole(tmp_path / "run", "single", acts)
    stage = Stage(play("single"))
    for act in acts:
        last = stage.act(act)
    assert stage.played.journal() == expected
    assert last["view"]["state"] == state
    assert last["view"]["agent"]["name"] == "host"
    of_tools = [one[:2] for one in responses if one[0] in {"scribe", "critic"}]
    assert [one[:2] for one in stage.responses() if one[0] in {"scribe", "critic"}] == of_tools


def test_arguments_that_do_not_fit_end_the_call_as_under_adk(play):  # noqa: F811
    stage = Stage(play("single"))
    tools = {tool["name"]: tool for tool in stage.played.say()["view"]["tools"]}
    assert tools["scribe"]["can_be_played"] is True
    assert stage.played.worker.call("critic", call_id="c1", summary=1)["status"] == "confirmation"
    ended = stage.take("play", call_id="c1")
    assert ended["status"] == "output"
    assert ended["result"].startswith("Error validating input: 1 validation error")


def test_another_worker_goes_on_with_a_played_sub_agent(play):  # noqa: F811
    stage = Stage(play("single"))
    stage.act(["scribe", WHY])
    stage.act(["draw", {"name": "a.png"}])
    view = stage.rebuild()
    assert (view["agent"]["name"], view["state"]["drawn"]) == ("scribe", "a.png")
    ended = stage.act("Because.")
    assert (ended["result"], ended["state"]["written"]) == ("Because.", "Because.")
