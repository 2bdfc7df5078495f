"""Several sessions on one worker, cancels, and what survives a worker's end."""

import time

import pytest

from conftest import SMART_HOME, eventually


@pytest.fixture
def hazards(worker):
    """A worker of the test's own, for these tests leave it busy or dead."""
    one = worker("hazards")
    one.open()
    return one


def cancel(one, call_id, session_id="s"):
    return one.result("cancel", session_id=session_id, call_id=call_id)


def still_runs(one, session_id="s"):
    """A session whose call is under way takes no other."""
    refused = one.error("call_tool", session_id=session_id, call_id="probe", tool="bare", args={})
    return refused["code"] == -32003


def test_a_blocking_tool_does_not_delay_other_calls(hazards):
    hazards.open(session_id="other")
    slow = hazards.start("sleeps", "slow", seconds=1.5)
    assert hazards.call("bare", session_id="other")["result"] == 5
    assert still_runs(hazards)
    assert hazards.answer(slow)["result"]["result"] == "slept"


def test_calls_of_different_sessions_overlap(hazards):
    sessions = [f"s{number}" for number in range(8)]
    for session in sessions:
        hazards.open(session_id=session)
    running = [hazards.start("sleeps", "c", session_id=one, seconds=3) for one in sessions]
    assert all(still_runs(hazards, session_id=one) for one in sessions)
    # One after the other they would take 24 seconds; the patience is for a slow machine.
    assert hazards.answer(running.pop(), timeout=18)["result"]["result"] == "slept"
    assert all(hazards.answer(one)["result"]["result"] == "slept" for one in running)


def test_one_call_at_a_time_in_a_session(hazards):
    slow = hazards.start("sleeps_async", "slow", seconds=0.5)
    refused = hazards.error("call_tool", session_id="s", call_id="next", tool="bare", args={})
    assert refused["code"] == -32003
    assert hazards.answer(slow)["result"]["status"] == "output"
    # The refused call's id is still free.
    assert hazards.call("bare", call_id="next")["result"] == 5


def test_canceling_an_async_tool_ends_it(hazards):
    slow = hazards.start("sleeps_async", "slow", seconds=30)
    eventually(lambda: hazards.result("ping")["loop_idle_ms"] < 100)
    answer = cancel(hazards, "slow")
    assert answer == {"ended": True, "thread_left": False}
    outcome = hazards.answer(slow)["result"]
    assert outcome["error"]["type"] == "Cancelled"
    assert hazards.call("bare")["result"] == 5


def test_a_cancel_that_follows_its_call_at_once_is_not_lost(hazards):
    for number in range(30):
        call_id = f"hasty-{number}"
        hasty = hazards.start("sleeps_async", call_id, seconds=30)
        assert cancel(hazards, call_id)["ended"]
        assert hazards.answer(hasty)["result"]["error"]["type"] == "Cancelled"


def test_canceling_a_blocking_tool_leaves_only_its_thread(hazards):
    hazards.open(session_id="other")
    theirs = hazards.start("sleeps", "theirs", session_id="other", seconds=1.5)
    mine = hazards.start("writes_then_sleeps", "mine", key="late", seconds=0.8)
    time.sleep(0.2)
    answer = cancel(hazards, "mine")
    assert answer == {"ended": True, "thread_left": True}
    assert hazards.answer(mine)["result"]["error"]["type"] == "Cancelled"
    assert hazards.call("bare")["result"] == 5
    # The other session's call is untouched.
    assert hazards.answer(theirs)["result"]["result"] == "slept"
    # What the thread that was left behind writes afterwards is dropped.
    assert hazards.call("bare")["state"] == {}


def test_a_tool_that_blocks_the_loop_is_reported_as_not_ended(hazards):
    stuck = hazards.start("blocks_the_loop", "stuck", seconds=2)
    time.sleep(0.3)
    answer = cancel(hazards, "stuck")
    assert answer == {"ended": False, "thread_left": False}
    hazards.result("ping")
    time.sleep(0.3)
    assert hazards.result("ping")["loop_idle_ms"] > 200
    assert hazards.answer(stuck)["result"]["call_id"] == "stuck"


def test_a_tool_that_ignores_its_cancellation_is_reported_as_not_ended(hazards):
    stubborn = hazards.start("ignores_cancel", "stubborn", seconds=1)
    time.sleep(0.2)
    assert cancel(hazards, "stubborn")["ended"] is False
    assert hazards.answer(stubborn)["result"]["call_id"] == "stubborn"
    assert hazards.call("bare")["result"] == 5


def test_canceling_a_call_that_does_not_run_is_not_an_error(hazards):
    assert cancel(hazards, "never")["ended"] is True


def test_the_end_of_the_input_ends_the_worker_even_when_it_is_stuck(hazards):
    hazards.start("blocks_the_loop", "stuck", seconds=60)
    time.sleep(0.2)
    hazards.process.stdin.close()
    hazards.process.wait(6)


def test_shutdown_is_prompt_while_a_thread_still_runs(hazards):
    hazards.start("sleeps", "slow", seconds=60)
    assert hazards.result("shutdown") == {}
    assert hazards.process.wait(6) == 0


def test_exit_in_a_tool_ends_the_worker_with_that_status(hazards):
    hazards.start("exit_now", "c", code=7)
    assert hazards.process.wait(10) == 7


class Recorder:
    """What the host records of a session, to restore it in a new worker."""

    def __init__(self):
        self.state, self.artifacts, self.events, self.agent = {}, [], [], None

    def take(self, outcome, view=None):
        for key, value in outcome["delta"]["state"].items():
            self.state[key] = value
        self.artifacts += outcome["delta"]["artifacts"]
        self.events += outcome["delta"]["events"]
        view = view or outcome.get("view")
        if view:
            self.agent = view["agent"]["name"]
        return outcome

    def restore(self):
        return {
            "state": self.state,
            "artifacts": self.artifacts,
            "events": self.events,
            "user_text": None,
            "agent": self.agent,
        }


def test_a_session_is_restored_in_a_new_worker(worker):
    one, record = worker(SMART_HOME), Recorder()
    record.state = {"owner": "Ada"}
    one.open(state=record.state)
    record.take(one.result("user_content", session_id="s", text="hi"))
    record.take(one.call("remember_preference", name="tea", value="green"))
    record.take(one.call("save_floor_plan", title="one"))
    record.take(one.call("save_floor_plan", title="two"))
    record.take(one.call("open_garage", code=1))
    record.take(one.call("order_part", call_id="order", part="bolt"))
    record.take(one.call("unlock_door", call_id="door", door="front"))
    one.process.kill()

    two = worker(SMART_HOME)
    two.initialize()
    view = two.result(
        "open_session", session_id="s", user_id="user", state={}, restore=record.restore()
    )
    assert view["state"] == {"owner": "Ada", "preferences": {"tea": "green"}}
    assert "'tea': 'green'" in view["instruction"]
    assert two.call("recall_preferences")["result"] == {"tea": "green"}
    assert two.call("save_floor_plan", title="three")["result"]["version"] == 2
    assert two.result("supply_result", session_id="s", call_id="order", result=1)["result"] == 1
    opened = two.result("confirm", session_id="s", call_id="door", confirmed=True)
    assert opened["result"] == {"door": "front", "locked": False}
    again = two.error("call_tool", session_id="s", call_id="order", tool="list_rooms", args={})
    assert again["code"] == -32602


def test_restores_the_active_agent_and_scoped_state(worker, hazards):
    one, record = worker(SMART_HOME), Recorder()
    one.open()
    record.take(one.call("transfer_to_agent", agent_name="garage_agent"))
    two = worker(SMART_HOME)
    two.initialize()
    view = two.result(
        "open_session", session_id="s", user_id="u", state={}, restore=record.restore()
    )
    assert view["agent"]["name"] == "garage_agent"

    record = Recorder()
    for key in ("temp:a", "user:b", "app:c", "d"):
        record.take(hazards.call("writes_state", key=key, value="v"))
    record.take(hazards.call("notes"))
    hazards.result("close_session", session_id="s")
    view = hazards.result(
        "open_session", session_id="s", user_id="u", state={}, restore=record.restore()
    )
    assert view["state"] == {"temp:a": "v", "user:b": "v", "app:c": "v", "d": "v"}
    assert hazards.call("notes")["result"] == 1
