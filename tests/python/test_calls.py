"""Tools run as under ADK's runner, and every outcome is data."""

import json

import pytest

from conftest import FIXTURES, SMART_HOME


def test_state_artifacts_and_events_of_a_call_are_there_for_the_next(worker):
    one = worker(SMART_HOME)
    one.open(state={"owner": "Ada"})
    one.result("user_content", session_id="s", text="Get up at seven.")
    first = one.call("remember_preference", call_id="c1", name="wake_up_time", value="07:00")
    assert first["status"] == "output"
    assert first["delta"]["state"] == {"preferences": {"wake_up_time": "07:00"}}
    assert [part_kinds(event) for event in first["delta"]["events"]] == [
        ["functionCall"],
        ["functionResponse"],
    ]
    assert one.call("recall_preferences")["result"] == {"wake_up_time": "07:00"}
    saved = one.call("save_floor_plan", title="Attic")
    assert saved["result"] == {"artifact": "floor_plan.svg", "version": 0}
    assert saved["delta"]["artifacts"][0]["mime_type"] == "image/svg+xml"
    again = one.call("save_floor_plan", title="The attic")
    listed = again["view"]["artifacts"]
    assert [(one["filename"], one["version"]) for one in listed] == [
        ("floor_plan.svg", 0),
        ("floor_plan.svg", 1),
    ]
    assert listed[1]["mime_type"] == "image/svg+xml"
    assert listed[1]["bytes"] == listed[0]["bytes"] + len("The ")
    assert one.call("list_drawings")["result"] == ["floor_plan.svg"]


def test_artifacts_of_a_turn_are_there_in_the_next(worker):
    one = worker(SMART_HOME)
    one.open()
    one.result("user_content", session_id="s", text="Draw the attic.")
    one.call("save_floor_plan", title="Attic")
    one.result("final_response", session_id="s", text="Drawn.")
    again = one.result("user_content", session_id="s", text="Which drawings are there?")
    assert [it["filename"] for it in again["view"]["artifacts"]] == ["floor_plan.svg"]
    assert one.call("list_drawings")["result"] == ["floor_plan.svg"]


def part_kinds(event):
    return [kind for part in event["content"]["parts"] for kind in part]


def test_the_call_id_is_the_function_calls_id(worker):
    one = worker(SMART_HOME)
    one.open()
    outcome = one.call("list_rooms", call_id="the-id")
    assert outcome["call_id"] == "the-id"
    ids = [
        part.get("functionCall", part.get("functionResponse"))["id"]
        for event in outcome["delta"]["events"]
        for part in event["content"]["parts"]
    ]
    assert ids == ["the-id", "the-id"]
    assert one.error(
        "call_tool", session_id="s", call_id="the-id", tool="list_rooms", args={}
    )["code"] == -32602


def test_arguments_become_models_and_integers_keep_their_digits(worker, hazards):
    one = worker(SMART_HOME)
    one.open()
    outcome = one.call(
        "set_temperature", room="kitchen", degrees=20.5, schedule={"start": "08:00", "days": ["mon"]}
    )
    assert outcome["result"]["schedule"] == {"start": "08:00", "days": ["mon"], "repeat": False}
    assert outcome["result"]["unit"] == "celsius"
    assert hazards.call("digits", number=9007199254740993)["result"] == 9007199254740994
    assert hazards.call("digits", number=10**60)["result"] == 10**60 + 1


@pytest.mark.parametrize(
    "tool, result",
    [
        ("wrapped", {"result": 5}),
        ("bare", 5),
        ("nothing", None),
        ("refuses", {"error": "out of stock"}),
        ("model", {"x": 9007199254740993, "when": "2025-12-23"}),
        ("pair", {"left": 1, "colour": "red"}),
        (
            "assorted",
            {"set": [1], "date": "2025-01-02", "bytes": "YWI=", "none": None},
        ),
    ],
)
def test_the_result_is_what_the_tool_returned(hazards, tool, result):
    outcome = hazards.call(tool)
    assert (outcome["status"], outcome["result"]) == ("output", result)


def test_media_and_generators(hazards):
    picture = hazards.call("picture")
    assert picture["status"] == "output"
    assert picture["result"]["inlineData"]["mimeType"] == "image/png"
    assert picture["recording"] == {"wrapped": True, "media": [""]}
    gallery = hazards.call("gallery")
    assert gallery["recording"] == {
        "wrapped": False,
        "media": ["/pictures/0", "/pictures/1", "/more/cover"],
    }
    # ADK runs a generator as a workflow node, which yields at most once; 2.11 gives it as a list.
    assert hazards.call("counts", upto=1)["result"] in (0, [0])


def test_a_missing_argument_is_an_output_as_adk_has_it(worker):
    one = worker(SMART_HOME)
    one.open()
    outcome = one.call("set_temperature", room="kitchen")
    assert outcome["status"] == "output"
    assert "degrees" in outcome["result"]["error"]


def test_an_exception_is_an_error_whose_traceback_starts_in_the_tool(worker):
    one = worker(SMART_HOME)
    one.open()
    outcome = one.call("open_garage", code=9007199254740993)
    assert outcome["status"] == "error"
    error = outcome["error"]
    assert error["type"] == "PermissionError"
    assert error["message"] == "The garage refused the code 9007199254740993."
    frames = [line for line in error["traceback"].splitlines() if line.startswith("  File")]
    assert len(frames) == 1 and "in open_garage" in frames[0]
    # The history answers the call, so that the session can go on.
    response = outcome["delta"]["events"][-1]["content"]["parts"][0]["functionResponse"]
    assert response["response"]["error"]["type"] == "PermissionError"
    assert one.call("list_rooms")["status"] == "output"


@pytest.mark.parametrize(
    "tool, said",
    [
        ("surrogate", "$.text is text with a lone surrogate (U+D800 at character 1)"),
        ("opaque", "$.inside[0] is a hazards.agent.Opaque"),
        ("circular", "$[0] is a reference to one of its own parents"),
        ("deep", "nested too deeply"),
        ("int_keys", "objects whose keys are text"),
    ],
)
def test_a_result_that_is_not_json_is_an_error_with_its_place(hazards, tool, said):
    outcome = hazards.call(tool)
    assert outcome["status"] == "error"
    assert outcome["error"]["type"] == "InvalidOutput"
    assert said in outcome["error"]["message"]
    assert hazards.call("bare")["result"] == 5


@pytest.mark.parametrize(
    "tool, result, said",
    [
        ("nan", {"readings": [1.0, {"value": None}]}, "NaN at $.readings[1].value"),
        ("infinity", None, "Infinity at $"),
    ],
)
def test_a_number_that_json_cannot_hold_is_null_as_from_google_adk(hazards, tool, result, said):
    outcome = hazards.call(tool)
    assert (outcome["status"], outcome["result"]) == ("output", result)
    assert any(it.startswith(f"The tool returned {said}, ") for it in outcome["view"]["warnings"])


def test_a_tool_that_runs_a_loop_of_its_own_fails_as_in_google_adk(hazards):
    outcome = hazards.call("runs_a_loop")
    assert outcome["error"]["type"] == "RuntimeError"
    assert "asyncio.run() cannot be called from a running event loop" in outcome["error"]["message"]
    assert hazards.call("bare")["result"] == 5


@pytest.mark.parametrize(
    "tool, kind",
    [
        ("exit_politely", "SystemExit"),
        ("exit_politely_async", "SystemExit"),
        ("stop_iteration", "StopIteration"),
        ("broken_error", "BrokenText"),
    ],
)
def test_odd_exceptions_are_errors_too(hazards, tool, kind):
    outcome = hazards.call(tool)
    assert (outcome["status"], outcome["error"]["type"]) == ("error", kind)
    assert hazards.call("bare")["result"] == 5


def test_a_five_megabyte_result_passes(hazards):
    assert len(hazards.call("big", size=5_000_000)["result"]) == 5_000_000


def test_rejects_a_result_over_the_limit(worker):
    one = worker("hazards")
    one.initialize(max_result_bytes=1000)
    one.open()
    assert one.call("big", size=500)["status"] == "output"
    outcome = one.call("big", size=2000)
    assert outcome["error"]["type"] == "InvalidOutput"
    assert "the limit is 1,000." in outcome["error"]["message"]
    # It is not in the history either.
    assert len(json.dumps(outcome)) < 3000


def test_prints_never_reach_the_protocol(hazards):
    assert hazards.call("prints", text="a line of the tool's own")["result"] == "printed"
    assert hazards.call("reads_input")["result"] == ""
    hazards.end()
    assert hazards.stray == []
    log = hazards.log()
    assert "printed at import" in log
    assert log.count("a line of the tool's own\n") == 2
    assert "a line of the tool's own raw" in log and "a line of the tool's own child" in log


def test_state_written_by_a_failed_call_is_not_committed(hazards):
    failed = hazards.call("writes_then_fails", key="x")
    assert failed["error"]["type"] == "RuntimeError"
    assert failed["state"] == {} and failed["delta"]["state"] == {}
    assert hazards.call("bare")["state"] == {}


def test_scoped_state_lives_as_long_as_the_rehearsal_and_no_further(hazards):
    for key in ("temp:a", "user:b", "app:c"):
        hazards.call("writes_state", key=key, value="v")
    assert hazards.call("bare")["state"] == {"temp:a": "v", "user:b": "v", "app:c": "v"}
    assert hazards.open(session_id="other")["state"] == {}


def test_describes_state_that_is_not_json(hazards):
    outcome = hazards.call("odd_state")
    assert outcome["status"] == "output"
    assert outcome["state"]["odd"] == {"nan": None, "text": "\ufffd"}


def test_explains_what_adk_does_for_a_tool_that_needs_a_login(worker):
    one = worker(FIXTURES / "locked")
    one.open()
    asked = one.call("read_mail")
    assert (asked["status"], asked["result"]) == ("output", "Pending User Authorization.")
    [warning] = asked["view"]["warnings"]
    assert warning.startswith("read_mail requested a credential.")


def test_confirmation_by_the_tools_declaration(worker):
    one = worker(SMART_HOME)
    one.open()
    asked = one.call("unlock_door", call_id="c1", door="front")
    assert asked["status"] == "confirmation"
    assert "unlock_door" in asked["hint"]
    done = one.result("confirm", session_id="s", call_id="c1", confirmed=True)
    assert (done["status"], done["result"]) == ("output", {"door": "front", "locked": False})
    # Answered once is answered.
    assert one.error("confirm", session_id="s", call_id="c1", confirmed=True)["code"] == -32602
    asked = one.call("unlock_door", call_id="c2", door="back")
    denied = one.result("confirm", session_id="s", call_id="c2", confirmed=False)
    assert denied["error"]["type"] == "ConfirmationDenied"
    assert one.result("describe", session_id="s")["tools"]


def test_confirmation_by_the_tools_own_request(worker):
    one = worker(SMART_HOME)
    one.open()
    assert one.call("pay_bill", amount=20)["result"]["status"] == "paid"
    asked = one.call("pay_bill", call_id="c1", amount=500)
    assert (asked["status"], asked["hint"]) == ("confirmation", "Pay 500.00 euros?")
    assert asked["payload"] == {"amount": 500}
    done = one.result(
        "confirm", session_id="s", call_id="c1", confirmed=True, payload={"amount": 500}
    )
    assert done["result"] == {"status": "paid", "amount": 500}


def test_a_long_running_tool_waits_for_its_result(worker, hazards):
    one = worker(SMART_HOME)
    one.open()
    first = one.call("order_part", call_id="c1", part="bolt")
    assert first["status"] == "long_running"
    assert first["result"]["status"] == "pending"
    done = one.result(
        "supply_result", session_id="s", call_id="c1", result={"status": "delivered"}
    )
    assert (done["status"], done["result"]) == ("output", {"status": "delivered"})
    event = done["delta"]["events"][0]
    assert event["author"] == "user"
    assert event["content"]["parts"][0]["functionResponse"]["id"] == "c1"
    # One that returns nothing at first: the state it wrote is there all the same.
    quiet = hazards.call("starts_quietly", call_id="q")
    assert (quiet["status"], quiet["result"]) == ("long_running", None)
    assert quiet["state"] == {"started": True}
    assert hazards.result("supply_result", session_id="s", call_id="q", result=7)["result"] == 7
    refused = hazards.error("supply_result", session_id="s", call_id="nobody", result=7)
    assert refused["code"] == -32602


def test_a_transfer_changes_the_active_agent(worker):
    one = worker(SMART_HOME)
    one.open(state={"owner": "Ada"})
    moved = one.call("transfer_to_agent", agent_name="garage_agent")
    assert moved["view"]["agent"]["name"] == "garage_agent"
    assert moved["view"]["instruction"].startswith("You look after the garage of Ada.")
    assert one.call("garage_status")["result"] == {"open": False, "car": "inside"}
    back = one.call("transfer_to_agent", agent_name="smart_home")
    assert back["view"]["agent"]["name"] == "smart_home"
    stray = one.call("transfer_to_agent", agent_name="nobody")
    assert stray["status"] == "error"
    assert one.call("list_rooms")["status"] == "output"


def test_a_message_that_a_plugin_rewrites_is_shown_as_the_model_gets_it(worker):
    one = worker("recorded_app")
    one.open()
    begun = one.result("user_content", session_id="s", text="My account is 4711.")
    rewritten = 'A plugin rewrote the message "My account is 4711.". The model gets "My account is ****.".'
    assert rewritten in begun["view"]["warnings"], begun["view"]


def test_callbacks_of_plugins_and_agent_fire_as_under_the_runner(worker):
    one = worker("recorded_app")
    one.open()
    one.result("user_content", session_id="s", text="hello")
    assert one.call("echo", call_id="c1", text="hi")["result"] == "hi"
    assert one.call("echo", text="intercept")["result"] == {"intercepted": True}
    assert one.call("echo", text="change")["result"] == {"changed": "change"}
    assert one.call("fail", text="plain")["error"]["type"] == "LookupError"
    assert one.call("fail", text="soothe")["result"] == {"soothed": "soothe"}
    seen = one.call("seen")["result"]
    assert seen[:3] == ["on_user_message", "before_run", "before_agent recorded"]
    echoed = seen[seen.index("before_tool echo c1") :]
    assert echoed[:5] == [
        "before_tool echo c1",
        "agent before_tool echo",
        "after_tool echo",
        "agent after_tool echo",
        "on_event",
    ]
    assert seen.count("on_tool_error fail LookupError") == 2


def test_rejects_unknown_tools_sessions_and_methods(hazards):
    def refusal(**params):
        return hazards.error("call_tool", **{"session_id": "s", "call_id": "c", **params})

    assert refusal(tool="gone", args={})["code"] == -32002
    assert "bare" in refusal(tool="gone", args={})["message"]
    assert refusal(tool="bare", args={}, session_id="gone")["code"] == -32001
    assert refusal(tool="bare", args=[])["code"] == -32602
    assert hazards.error("dance")["code"] == -32601
    hazards.process.stdin.write(b'{"jsonrpc": "2.0", "id": 4711, "method": \n')
    hazards._answers[4711] = __import__("queue").Queue()
    hazards.process.stdin.flush()
    assert hazards.answer(4711)["error"]["code"] == -32700


def test_the_tool_really_ran(worker, tmp_path):
    journal = tmp_path / "journal"
    one = worker(SMART_HOME, env={"SMART_HOME_JOURNAL": str(journal)})
    one.open()
    assert one.call("write_journal", entry="nonce-é-42")["result"]["written"] is True
    assert json.loads(journal.read_text("utf-8")) == {"entry": "nonce-é-42", "mood": "neutral"}


def test_an_agent_as_a_tool_is_marked_and_runs_its_model_only_by_choice(worker):
    one = worker(FIXTURES / "agent_tools", env={"GOOGLE_API_KEY": "", "GEMINI_API_KEY": ""})
    view = one.open()
    models = {tool["name"]: tool["agent_model"] for tool in view["tools"]}
    assert models == {
        "expert": "echo", "last_word": "echo", "keyless": "gemini-2.5-flash", "line": "echo",
        "researcher": "echo", "rater": "echo",
    }
    one.result("user_content", session_id="s", text="Ask the expert.")
    asked = one.call("expert", call_id="c1", request="Why?")
    assert asked["status"] == "confirmation"
    assert asked["hint"] == (
        "expert is an agent. Act as it yourself, supply its result, or run its model echo."
    )
    by_hand = one.result("confirm", session_id="s", call_id="c1", confirmed=False)
    assert (by_hand["status"], by_hand["result"]) == ("long_running", None)
    supplied = one.result("supply_result", session_id="s", call_id="c1", result="Because.")
    assert (supplied["status"], supplied["result"]) == ("output", "Because.")
    [event] = supplied["delta"]["events"]
    [part] = event["content"]["parts"]
    assert (event["author"], part["functionResponse"]["response"]) == ("boss", {"result": "Because."})
    for method, more in (("confirm", {"confirmed": True}), ("supply_result", {"result": 1})):
        assert one.error(method, session_id="s", call_id="c1", **more)["code"] == -32602

    one.call("expert", call_id="c2", request="Why?")
    ran = one.result("confirm", session_id="s", call_id="c2", confirmed=True)
    assert (ran["status"], ran["result"]) == ("output", "the model was asked: Why?")

    hint = one.call("keyless", call_id="c3", request="Why?")["hint"]
    assert "It would fail, because none of GOOGLE_API_KEY" in hint


def test_an_agent_as_a_tool_that_ends_the_run_does_so_with_a_supplied_result(worker):
    one = worker(FIXTURES / "agent_tools")
    one.open()
    one.result("user_content", session_id="s", text="Ask.")
    one.call("last_word", call_id="c1", request="Why?")
    one.result("confirm", session_id="s", call_id="c1", confirmed=False)
    supplied = one.result("supply_result", session_id="s", call_id="c1", result="Because.")
    [event] = supplied["delta"]["events"]
    assert event["actions"]["skipSummarization"] is True
