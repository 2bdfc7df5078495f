//! However Python finds the method that runs a tool or a node: the code of a mocked one does not run.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use eval::given_model::{GivenModel, ModelCall, ModelTurn};
use eval::ledger::{Event, Origin};
use eval::mock::ArgsMatch;
use eval::python::AdkPythonSubject;
use eval::tool_fault::{FaultEffect, ToolFault};
use eval::{EvalCase, EvalResult, Status, ToolMock, ToolUse, run_eval};
use json_text::JsonText;
use serde_json::{Value, json};

/// The tools whose class has the method, so that code can also call it there.
const OF_CLASSES: [&str; 16] = [
    "in_the_class",
    "in_the_base",
    "calls_its_base",
    "from_a_mixin",
    "from_a_later_mixin",
    "assigned_later",
    "from_a_metaclass",
    "of_a_silent_class",
    "a_partial_method",
    "a_callable_object",
    "function",
    "functions_run",
    "functions_super",
    "functions_generator",
    "own_agent_tool",
    "own_transfer",
];

const OTHERS: [&str; 15] = [
    "exit_loops_instance_invoke",
    "on_the_instance",
    "positional",
    "a_property",
    "by_getattr",
    "by_getattribute",
    "by_a_mixins_getattribute",
    "by_a_later_getattribute",
    "functions_invoke",
    "function_replaced",
    "functions_instance_invoke",
    "function_of_a_property",
    "agent_tools_instance",
    "wrapped_exit_loop",
    "own_response",
];

/// What is not a tool by its class. Code of the agent cannot reach it.
const OF_TOOLSET: [&str; 2] = ["wrapped", "wrapped_by_getattribute"];

fn tools() -> impl Iterator<Item = &'static str> {
    OF_CLASSES.into_iter().chain(OTHERS).chain(OF_TOOLSET)
}

fn subject(name: &str, python: &Path) -> AdkPythonSubject {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents").join(name);
    AdkPythonSubject::new(&folder, Some(python))
}

/// A case in which the model calls these tools, one after the other.
fn case(subject: &Arc<AdkPythonSubject>, called: impl Iterator<Item = &'static str>) -> EvalCase {
    let empty = || JsonText::from_value(&json!({}));
    let calls = called.map(|tool| ModelCall::new(tool, empty())).collect();
    let turns = vec![ModelTurn { text: String::new(), calls }, ModelTurn::text("Done")];
    EvalCase::new("resolved", subject.clone())
        .first_message("Go")
        .model(GivenModel::scripted(turns))
}

fn mocked(case: EvalCase, tools: impl Iterator<Item = &'static str>) -> EvalCase {
    tools.fold(case, |case, tool| {
        let mock = ToolMock::Returns(JsonText::from_value(&json!({ "result": "mocked" })));
        case.tool(tool, ToolUse::Mock(mock))
    })
}

/// The state at the end of a case that passes.
fn state(result: &EvalResult) -> Value {
    assert_eq!(result.status, Status::Passed, "{:?}", result.error);
    let state = result.events.iter().find_map(|entry| match &entry.event {
        Event::Termination { state, .. } => state.to_value().ok(),
        _ => None,
    });
    state.expect("the state at the end")
}

/// The names and the results of the calls, and whether a mock gave the result.
fn results(result: &EvalResult) -> Vec<(&str, Value, bool)> {
    let results = result.events.iter().filter_map(|entry| match &entry.event {
        Event::ToolResult { name, result, from, .. } => {
            let result = result.to_value().expect("JSON")["result"].clone();
            Some((name.as_str(), result, *from == Origin::Mock))
        }
        _ => None,
    });
    results.collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_code_of_a_mocked_tool_does_not_run() {
    let Some(python) = test_needs::python() else { return };
    for replaced in [false, true] {
        let mut subject = subject("resolved", &python);
        if replaced {
            subject = subject.environment("REPLACED", "1");
        }
        let result = run_eval(&mocked(case(&Arc::new(subject), tools()), tools())).await;
        assert_eq!(state(&result)["ran"], json!([]));
        let wanted: Vec<_> = tools().map(|tool| (tool, json!("mocked"), true)).collect();
        assert_eq!(results(&result), wanted);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_code_of_a_mocked_tool_does_not_run_when_code_of_the_agent_calls_it() {
    let Some(python) = test_needs::python() else { return };
    let subject = Arc::new(subject("resolved", &python));
    let everywhere = [&OF_CLASSES[..], &OTHERS[..]].concat();
    for (key, called) in [("on_object", &everywhere[..]), ("on_class", &OF_CLASSES[..])] {
        let mut case = mocked(case(&subject, [].into_iter()), called.iter().copied());
        case.initial_state = JsonText::from_value(&json!({ key: called }));
        let state = state(&run_eval(&case).await);
        assert_eq!(state["ran"], json!([]), "{key}");
        for tool in called {
            let result = &state[format!("result_of_{tool}")];
            assert_eq!(*result, json!({ "result": "mocked" }), "{key}: {tool}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tool_that_the_case_does_not_name_ends_it() {
    let Some(python) = test_needs::python() else { return };
    let subject = Arc::new(subject("resolved", &python));
    for tool in tools() {
        for is_direct in [false, true] {
            if is_direct && OF_TOOLSET.contains(&tool) {
                continue;
            }
            let mut case = case(&subject, (!is_direct).then_some(tool).into_iter());
            if is_direct {
                case.initial_state = JsonText::from_value(&json!({ "on_object": [tool] }));
            }
            let error = run_eval(&case).await.error.unwrap_or_else(|| panic!("{tool} passes"));
            let begin = format!("EvalToolError: the tool {tool} was called");
            assert!(error.message.starts_with(&begin), "{tool}: {}", error.message);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_real_tool_runs_once_and_is_decided_once() {
    let Some(python) = test_needs::python() else { return };
    let subject = Arc::new(subject("resolved", &python));
    let case = tools().fold(case(&subject, tools()), |case, tool| {
        // Noted in the ledger for each decision.
        let effect = FaultEffect::Latency(Duration::ZERO);
        let (tool, args) = (tool.to_owned(), ArgsMatch::default());
        let fault = ToolFault { tool: tool.clone(), args, probability: 1.0, effect };
        case.tool(tool, ToolUse::Real).fault(fault)
    });
    let result = run_eval(&case).await;
    let mut wanted: Vec<_> = tools().collect();
    let decided = result.events.iter().filter_map(|entry| match &entry.event {
        Event::ToolFault { name, .. } => Some(name.as_str()),
        _ => None,
    });
    assert_eq!(decided.collect::<Vec<_>>(), wanted);
    wanted.sort_unstable();
    assert_eq!(state(&result)["ran"], json!(wanted));
    assert!(results(&result).iter().all(|it| it.1 == "real" && !it.2), "{:?}", results(&result));
}

/// The nodes in the order in which the workflow runs them.
const NODES: [&str; 16] = [
    "function",
    "in_the_class",
    "in_the_base",
    "calls_its_base",
    "from_a_mixin",
    "assigned_later",
    "by_getattribute",
    "own_node",
    "parallel_node",
    "own_function_node",
    "calls_function_node",
    "own_join",
    "own_run",
    "own_run_of_a_base",
    "own_workflow",
    "on_the_instance",
];

/// A case in which these nodes give a mock's value.
fn case_of_nodes(subject: &Arc<AdkPythonSubject>, mocked: &[&str]) -> EvalCase {
    let case = EvalCase::new("nodes", subject.clone()).first_message("Go");
    mocked.iter().fold(case, |case, node| {
        let mock = ToolMock::Returns(JsonText::from_value(&json!("mocked")));
        case.tool(*node, ToolUse::Mock(mock))
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nodes_of_own_classes_are_decided_by_their_names() {
    let Some(python) = test_needs::python() else { return };
    let subject = Arc::new(subject("resolved_flow", &python));
    let result = run_eval(&case_of_nodes(&subject, &NODES)).await;
    let state_of_mocked = state(&result);
    let mocked = NODES.map(|node| (node, json!("mocked"), true));
    assert_eq!(results(&result), mocked);
    let ran = NODES.iter().filter(|node| state_of_mocked.get(format!("ran_{node}")).is_some());
    assert_eq!(ran.count(), 0, "{state_of_mocked}");

    let real = NODES
        .iter()
        .fold(case_of_nodes(&subject, &[]), |case, node| case.tool(*node, ToolUse::Real));
    let result = run_eval(&real).await;
    let state = state(&result);
    for node in NODES {
        assert_eq!(state[format!("ran_{node}")], 1, "{node}: {state}");
    }
    assert_eq!(results(&result), NODES.map(|node| (node, json!("real"), false)));

    for (number, node) in NODES.iter().enumerate() {
        let error = run_eval(&case_of_nodes(&subject, &NODES[..number])).await.error;
        let message = error.unwrap_or_else(|| panic!("{node} passes")).message;
        let begin = format!("EvalToolError: the tool {node} was called");
        assert!(message.starts_with(&begin), "{node}: {message}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_inner_workflow_that_is_mocked_does_not_run() {
    let Some(python) = test_needs::python() else { return };
    let subject = Arc::new(subject("inner_flow", &python));
    // The tool's node is called by the workflow, and by no model.
    let run = async |mocked: &[&str]| {
        let result =
            run_eval(&case_of_nodes(&subject, mocked).tool("prepare", ToolUse::Sealed)).await;
        assert_eq!(result.status, Status::Passed, "{:?}", result.error);
        let results = results(&result).into_iter().filter(|(_, _, is_mocked)| *is_mocked);
        (
            state(&result).get("ran").cloned(),
            results.map(|(name, ..)| name.to_owned()).collect::<Vec<_>>(),
        )
    };
    assert_eq!(run(&["inner", "book"]).await, (None, vec!["inner".to_owned(), "book".to_owned()]));
    // Without a mock it is a part of the agent, whose nodes are decided one by one.
    assert_eq!(run(&["step", "book"]).await, (None, vec!["step".to_owned(), "book".to_owned()]));
}
