"""The view is exactly what the model would see."""

import json

from conftest import SMART_HOME


def names(view):
    return [tool["name"] for tool in view["tools"]]


def tool_named(view, name):
    return next(tool for tool in view["tools"] if tool["name"] == name)


def test_shows_the_smart_home_as_the_model_sees_it(worker):
    view = worker(SMART_HOME).open(state={"owner": "Ada"})
    assert view["app_name"] == "smart_home"
    assert view["agent"]["model"] == "gemini-2.5-flash"
    assert view["instruction"].startswith("You run the smart home of Ada.\n\n# Rules")
    assert 'Your internal name is "smart_home"' in view["instruction"]
    assert "Agent name: garage_agent" in view["instruction"]
    # ADK adds the transfer tool and puts it first; the rest is in the agent's order.
    assert names(view)[:3] == ["transfer_to_agent", "list_rooms", "set_temperature"]
    assert view["sub_agents"] == [
        {"name": "garage_agent", "description": "Looks after the garage.", "kind": "LlmAgent"}
    ]
    assert view["state"] == {"owner": "Ada"}
    assert view["warnings"] == []


def test_declarations_are_complete(worker):
    view = worker(SMART_HOME).open()
    heating = tool_named(view, "set_temperature")
    schema = heating["parameters"]
    assert heating["parameters_kind"] == "json_schema"
    assert schema["required"] == ["room", "degrees"]
    assert schema["properties"]["schedule"]["default"] is None
    assert list(schema["$defs"]) == ["Schedule", "Unit"]
    assert "tool_context" not in schema["properties"]
    assert heating["declaration"]["parameters_json_schema"] == schema
    assert tool_named(view, "list_rooms")["parameters_kind"] == "none"
    assert tool_named(view, "order_part")["long_running"] is True
    assert tool_named(view, "unlock_door")["needs_confirmation"] is True
    assert tool_named(view, "transfer_to_agent")["provided_by"] == "adk"
    assert heating["provided_by"] == "agent"


def test_shows_schemas_and_the_tool_that_adk_adds_for_them(worker):
    view = worker("structured").open()
    assert view["input_schema"]["properties"]["city"]["description"] == "Where"
    assert view["output_schema"]["required"] == ["summary"]
    assert names(view) == ["set_model_response", "measure"]
    assert tool_named(view, "set_model_response")["provided_by"] == "adk"
    assert "set_model_response" in view["instruction"]


def test_keeps_the_vendors_own_schema(worker):
    """Its conversion to JSON Schema would allow only null where `any_of` is nullable."""
    view = worker("genai_schema").open()
    measure = tool_named(view, "measure")
    assert measure["parameters_kind"] == "genai"
    assert measure["parameters"] == measure["declaration"]["parameters"]
    assert measure["parameters"]["property_ordering"] == ["place", "days"]
    assert measure["parameters"]["properties"]["place"] == {
        "any_of": [{"type": "STRING"}, {"type": "INTEGER"}],
        "nullable": True,
        "example": "Lisbon",
    }
    assert view["output_schema"]["properties"] == {"summary": {"type": "STRING"}}


def test_the_view_is_what_the_runner_sends_to_the_model(worker, tmp_path):
    """Compared with a request captured from ADK's own runner."""
    import asyncio
    import sys

    sys.path.insert(0, str(SMART_HOME.parent))
    from google.adk.apps.app import App
    from google.adk.models.llm_response import LlmResponse
    from google.adk.plugins.base_plugin import BasePlugin
    from google.adk.runners import InMemoryRunner
    from google.genai import types

    from smart_home.agent import root_agent

    captured = []

    class Capture(BasePlugin):
        async def before_model_callback(self, *, callback_context, llm_request):
            captured.append(llm_request)
            return LlmResponse(content=types.Content(role="model", parts=[types.Part(text="ok")]))

    async def run():
        app = App(name="smart_home", root_agent=root_agent, plugins=[Capture(name="capture")])
        runner = InMemoryRunner(app=app)
        await runner.session_service.create_session(
            app_name="smart_home", user_id="user", session_id="s", state={"owner": "Ada"}
        )
        message = types.Content(role="user", parts=[types.Part(text="hi")])
        async for _ in runner.run_async(user_id="user", session_id="s", new_message=message):
            pass

    asyncio.run(run())
    request = captured[0]
    view = worker(SMART_HOME).open(state={"owner": "Ada"})
    assert view["instruction"] == request.config.system_instruction
    declared = [
        one.model_dump(mode="json", exclude_none=True)
        for tool in request.config.tools
        for one in tool.function_declarations
    ]
    assert [tool["declaration"] for tool in view["tools"]] == declared
    assert view["agent"]["model"] == request.model


def test_warns_about_placeholders_without_a_value(worker):
    one = worker("placeholders")
    view = one.open(state={"owner": "Ada"})
    assert view["instruction"].startswith("You serve Ada, who {profile}. Mood: .")
    assert any("`profile`" in warning for warning in view["warnings"])
    # The agent's own before-agent callback gives the rest when the run begins, as under ADK.
    said = one.result("user_content", session_id="s", text="hello")
    assert said["view"]["instruction"].startswith("You serve Ada, who prefers trains.")
    assert said["view"]["warnings"] == []
    assert said["delta"]["state"] == {"profile": "prefers trains"}


def test_the_view_follows_the_state(worker):
    one = worker("placeholders")
    one.open(state={"owner": "Ada", "profile": "reads"})
    outcome = one.call("rename", name="Grace")
    assert outcome["view"]["instruction"].startswith("You serve Grace")
    assert outcome["state"]["owner"] == "Grace"
    assert one.result("describe", session_id="s")["instruction"] == outcome["view"]["instruction"]


def test_no_view_is_sent_when_nothing_changed(worker):
    one = worker(SMART_HOME)
    one.open()
    assert one.call("list_rooms")["view"] is None


def test_a_workflow_and_a_sequence_show_their_first_agent(worker):
    view = worker("workflow").open()
    assert view["agent"]["name"] == "clerk"
    assert names(view) == ["stamp"]
    assert view["workflow"] == {"name": "office", "kind": "Workflow", "folder": None}
    assert view["warnings"] == []
    assert "__START__" not in [sub["name"] for sub in view["sub_agents"]]
    view = worker("sequential").open()
    assert view["agent"]["name"] == "writer"
    assert [sub["name"] for sub in view["sub_agents"]] == ["writer", "editor"]
    assert view["workflow"] == {"name": "newsroom", "kind": "SequentialAgent", "folder": None}
    assert worker(SMART_HOME).open()["workflow"] is None


def test_a_workflow_without_an_llm_agent_is_named(worker):
    view = worker("nodes").open()
    assert view["workflow"] == {"name": "nodes", "kind": "Workflow", "folder": "nodes"}
    assert "no LLM agent" in view["warnings"][0]


def test_an_agent_of_a_workflow_is_named_by_the_folder_that_serves_it(worker, tmp_path):
    root = tmp_path / "newsroom"
    writer = root / "writer"
    writer.mkdir(parents=True)
    (root / "__init__.py").write_text("from . import agent\n")
    (root / "agent.py").write_text(
        "from google.adk.agents import LlmAgent, LoopAgent\n"
        "from .writer.agent import root_agent as writer\n"
        "editor = LlmAgent(name='editor', model='gemini-2.5-flash')\n"
        "root_agent = LoopAgent(name='newsroom', sub_agents=[writer, editor], max_iterations=2)\n"
    )
    (writer / "__init__.py").write_text("from . import agent\n")
    (writer / "agent.py").write_text(
        "from google.adk.agents import LlmAgent\n"
        "root_agent = LlmAgent(name='writer', model='gemini-2.5-flash', instruction='Write.')\n"
    )
    view = worker(root).open()
    expected = {"name": "newsroom", "kind": "LoopAgent", "folder": "newsroom/writer"}
    assert view["workflow"] == expected
    # As it says, the agent can be loaded from there.
    alone = worker(writer).open()
    assert (alone["agent"]["name"], alone["workflow"]) == ("writer", None)


def test_a_toolset_that_cannot_connect_is_a_fault_that_names_it(worker):
    one = worker("toolset_down")
    assert "result" in one.initialize()
    error = one.error("open_session", session_id="s", user_id="u", state={})
    assert error["code"] == -32000
    assert error["data"]["type"] == "ConnectionError"
    assert "WarehouseToolset" in error["data"]["message"]
    assert "warehouse:9000 refused" in error["data"]["message"]
    assert "in get_tools" in error["data"]["traceback"]


def test_a_toolset_is_named_by_its_tools_and_closed_at_the_end(worker):
    one = worker("toolset_up")
    view = one.open()
    assert [(tool["name"], tool["provided_by"]) for tool in view["tools"]] == [
        ("warehouse_count", "WarehouseToolset")
    ]
    assert one.call("warehouse_count", item="bolt")["result"] == 3
    one.result("shutdown")
    one.process.wait(10)
    assert "the warehouse is closed" in one.log()


def test_an_unknown_model_still_shows_everything(worker):
    view = worker("unknown_model").open()
    assert view["agent"]["model"] == "nobody/knows-7b"
    assert names(view) == ["transfer_to_agent", "ask"]
    assert "Ask." in view["instruction"]
    assert "cannot be resolved" in view["warnings"][0]


def test_a_request_that_adk_cannot_assemble_shows_the_agents_own_parts(worker):
    view = worker("broken_planner").open()
    [warning] = view["warnings"]
    assert "ADK could not assemble the model's request (ValueError: no plan)" in warning
    assert view["instruction"] == "Ask."
    assert (names(view), view["model_side_tools"]) == (["ask"], ["google_search"])


def test_the_global_instruction_plugin_is_part_of_what_the_model_sees(worker):
    view = worker("recorded_app").open(state={"tone": "Ada"})
    assert view["instruction"].startswith("Be brief, Ada.\n\nEcho.")


def test_a_view_is_plain_json(worker):
    view = worker(SMART_HOME).open()
    assert json.loads(json.dumps(view)) == view


def test_leaves_out_a_tool_with_an_invalid_name_and_warns(worker):
    view = worker("oddly_named").open()
    assert [tool["name"] for tool in view["tools"]] == ["plain"]
    assert any("line\\nbreak" in warning for warning in view["warnings"])
