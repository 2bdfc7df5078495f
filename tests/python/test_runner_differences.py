"""What ADK's runner would do otherwise than a session is in its view, for the export."""

import pytest


@pytest.fixture
def desk(worker):
    one = worker("answering")
    one.open(state={"owner": "Ada"})
    return one


def say(one, text="Hello."):
    return one.result("user_content", session_id="s", text=text)["view"]


def respond(one, text="Bye."):
    return one.result("final_response", session_id="s", text=text)["view"]


def texts(view):
    return [one["text"] for one in view["runner_differences"]]


def test_callbacks_that_return_nothing_make_no_difference(desk):
    assert texts(say(desk)) == []
    assert desk.call("fetch")["result"] == "fetched"
    assert texts(respond(desk)) == []


def test_a_callback_that_responds_instead_of_the_model_is_named_with_its_turn(desk):
    say(desk)
    desk.call("set_by", by="model")
    respond(desk)
    [one] = say(desk, "And now?")["runner_differences"][1:]
    assert one["turn"] == 1
    assert one["text"] == (
        "In turn 2, the before_model_callback of desk responds instead of the model, so google-adk would not use "
        "your response: leave the turn out of the case, or have the callback return None there."
    )
    # It stays after the turn, and is said once for each turn.
    turns = [one["turn"] for one in respond(desk)["runner_differences"]]
    assert turns == [0, 1]


def test_a_callback_that_responds_instead_of_the_agent_is_named(worker):
    one = worker("answering")
    one.open(state={"owner": "Ada", "by": "agent"})
    [difference] = say(one)["runner_differences"]
    assert difference["turn"] == 0
    assert difference["text"].startswith(
        "In turn 1, the before_agent_callback of desk responds instead of the agent,"
    )


def test_a_callback_that_responds_instead_of_a_tool_is_named_with_its_call(worker):
    one = worker("answering")
    one.open(state={"owner": "Ada", "by": "tool"})
    say(one)
    outcome = one.call("fetch", call_id="c1")
    assert outcome["result"] == {"cached": True}
    [difference] = outcome["view"]["runner_differences"]
    assert (difference["turn"], difference["call_id"]) == (0, "c1")
    assert "before_tool_callback of desk responds instead of the tool fetch" in difference["text"]


def test_an_instruction_that_lacks_state_is_named_once_the_model_is_called(worker):
    one = worker("answering")
    assert texts(one.open()) == [], "a callback may set it"
    [difference] = say(one)["runner_differences"]
    assert (difference["turn"], difference["call_id"]) == (None, None)
    assert difference["text"].startswith("The instruction of desk needs the state `owner`, which is not set,")
    assert "write `{owner?}` in the instruction" in difference["text"]
    assert len(texts(respond(one))) == 1


def test_an_instruction_whose_state_a_callback_sets_makes_no_difference(worker):
    one = worker("placeholders")
    one.open(state={"owner": "Ada"})
    assert texts(say(one)) == []


def test_a_session_that_another_worker_began_names_its_callbacks(worker):
    one = worker("answering")
    assert "result" in one.initialize()
    turn = {"query": "Hello.", "calls": [], "final_response": "Bye."}
    taken = one.result(
        "take_up", session_id="s", user_id="user", state={"owner": "Ada"}, agent="desk", turns=[turn]
    )
    [text] = texts(taken["view"])
    assert text.startswith("The session was reopened, so it is not known whether the ")
    for hook in ("before_agent", "before_model", "before_tool"):
        assert f"{hook}_callback of desk" in text
