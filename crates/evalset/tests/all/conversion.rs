//! Conversion loses nothing, whichever way it begins, and both legs are what their formats allow.

use case_trace::CaseTrace;
use evalset::{EvalSet, Format, Layout, Severity, read, read_as, same_value};
use expect_test::expect;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use crate::common::{adk_rewrites, dumped, google_files, json, unordered};

/// Reads a text, which must have no errors, and checks the detected format.
fn valid(text: &str, format: Format) -> EvalSet {
    let reading = read(text.as_bytes());
    let errors: Vec<_> =
        reading.faults.iter().filter(|fault| fault.severity() == Severity::Error).collect();
    assert!(errors.is_empty(), "{errors:?}\n{text}");
    assert_eq!(reading.format, Some(format), "{text}");
    reading.whole().expect("whole")
}

fn to_agentflow(text: &str) -> String {
    let set = valid(text, Format::Adk).into_agentflow("name");
    set.to_json().laid_out(&Layout::two_spaces())
}

fn to_adk(text: &str) -> String {
    let set = valid(text, Format::AgentFlow).into_adk("name");
    set.to_json().laid_out(&Layout::two_spaces())
}

fn fixture(name: &str) -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name);
    std::fs::read_to_string(path).expect("read")
}

#[test]
fn adk_set_converts_to_readable_agentflow() {
    let text = r#"{
        "eval_set_id": "math_evals", "name": "Math", "eval_cases": [{
            "eval_id": "m1",
            "conversation": [{
                "invocation_id": "s1_inv_0",
                "user_content": {"parts": [{"text": "5 + 3?"}], "role": "user"},
                "final_response": {"parts": [{"text": "8"}], "role": "model"},
                "intermediate_data": {
                    "tool_uses": [{"id": "c1", "args": {"a": 5, "b": 3}, "name": "add"}],
                    "tool_responses": [{"id": "c1", "name": "add", "response": {"result": 8}}]
                },
                "creation_timestamp": 1766500200.25
            }],
            "session_input": {"app_name": "math_agent", "user_id": "user", "state": {"k": 1}},
            "creation_timestamp": 1766500200.25
        }],
        "creation_timestamp": 1766500200.0
    }"#;
    let there = to_agentflow(text);
    expect![[r#"
        {
          "eval_set_id": "math_evals",
          "name": "Math",
          "metadata": {
            "adk": {
              "creation_timestamp": 1766500200.0
            }
          },
          "eval_cases": [
            {
              "eval_id": "m1",
              "conversation": [
                {
                  "invocation_id": "s1_inv_0",
                  "user_content": {
                    "role": "user",
                    "content": "5 + 3?"
                  },
                  "expected_tool_trajectory": [
                    {
                      "name": "add",
                      "args": {
                        "a": 5,
                        "b": 3
                      },
                      "call_id": "c1",
                      "result": 8
                    }
                  ],
                  "expected_final_response": {
                    "role": "assistant",
                    "content": "8"
                  },
                  "metadata": {
                    "adk": {
                      "creation_timestamp": 1766500200.25
                    }
                  }
                }
              ],
              "session_input": {
                "app_name": "math_agent",
                "state": {
                  "k": 1
                }
              },
              "metadata": {
                "adk": {
                  "creation_timestamp": 1766500200.25
                }
              }
            }
          ]
        }"#]]
    .assert_eq(&there);
    assert_eq!(unordered(&to_adk(&there)), unordered(text));
}

#[test]
fn agentflow_example_converts_to_readable_adk() {
    let text = fixture("agentflow/weather_agent.evalset.json");
    let there = to_adk(&text);
    expect![[r#"
        {
          "eval_set_id": "weather_agent_v1",
          "name": "Weather Agent Tests",
          "description": "Comprehensive tests for weather agent functionality",
          "eval_cases": [
            {
              "eval_id": "basic_weather",
              "session_input": {
                "app_name": "app",
                "user_id": "user"
              },
              "conversation": [
                {
                  "invocation_id": "turn_1",
                  "user_content": {
                    "parts": [
                      {
                        "text": "What's the weather in Tokyo?"
                      }
                    ],
                    "role": "user"
                  },
                  "final_response": {
                    "parts": [
                      {
                        "text": "The current weather in Tokyo is 22°C and sunny."
                      }
                    ],
                    "role": "model"
                  },
                  "intermediate_data": {
                    "tool_uses": [
                      {
                        "args": {
                          "city": "Tokyo"
                        },
                        "name": "get_weather"
                      }
                    ]
                  }
                }
              ],
              "agentflow": {
                "name": "Basic Weather Query",
                "tags": [
                  "weather",
                  "basic"
                ],
                "session_input/thread_id": null,
                "session_input/config": {
                  "temperature": 0
                },
                "../metadata": {
                  "version": "1.0.0",
                  "created_by": "QA Team",
                  "last_updated": "2024-01-15"
                }
              }
            }
          ]
        }"#]]
    .assert_eq(&there);
    assert_eq!(unordered(&to_agentflow(&there)), unordered(&text));
}

/// Written by `EvalSet.to_file` of the package `10xscale-agentflow` 0.10.1.
#[test]
fn file_of_the_agentflow_package_is_read_and_converted() {
    let text = fixture("agentflow/0.10/weather.evalset.json");
    let reading = read(text.as_bytes());
    assert_eq!(reading.faults, []);
    let there = to_adk(&text);
    let EvalSet::Adk(set) = valid(&there, Format::Adk) else { panic!("{there}") };
    let session = set.eval_cases[0].session_input.as_ref().expect("there");
    assert_eq!((session.app_name.as_str(), session.user_id.as_str()), ("weather", "ada"));
    let state = session.state.as_ref().expect("there").compact();
    assert_eq!(state.as_str(), r#"{"units":"metric"}"#);
    assert_eq!(unordered(&to_agentflow(&there)), unordered(&text), "{there}");
}

#[test]
fn google_files_survive_conversion() {
    let every_field = fixture("adk/every_field.evalset.json");
    let google =
        google_files().into_iter().map(|path| std::fs::read_to_string(path).expect("read"));
    for text in google.chain([every_field]) {
        let reading = read(text.as_bytes());
        let Some(EvalSet::Adk(_)) = reading.set else { continue };
        let there = to_agentflow(&text);
        assert_eq!(unordered(&to_adk(&there)), unordered(&text), "{there}");
    }
}

/// A case that says how its results are recorded, and what the tools returned where that is ambiguous.
#[test]
fn the_results_of_a_marked_case_are_what_the_tools_returned() {
    let text = r#"{"eval_set_id": "s", "eval_cases": [{
        "eval_id": "a",
        "conversation": [{
            "invocation_id": "i",
            "user_content": {"parts": [{"text": "Add."}], "role": "user"},
            "intermediate_data": {
                "tool_uses": [
                    {"id": "c1", "name": "add", "args": {}},
                    {"id": "c2", "name": "add", "args": {}},
                    {"id": "c3", "name": "draw", "args": {}}
                ],
                "tool_responses": [
                    {"id": "c1", "name": "add", "response": {"result": 8}},
                    {"id": "c2", "name": "add", "response": {"result": 8}},
                    {"id": "c3", "name": "draw", "response": {},
                     "parts": [{"inline_data": {"data": "AAEC", "mime_type": "image/png"}}]}
                ]
            }
        }],
        "rehearsal": {"tool_response": "adk", "returned": {
            "c2": {"result": 8},
            "c3": {"inlineData": {"data": {"$part": 0}, "mimeType": "image/png"}}
        }}
    }]}"#;
    let results = |text: &str| {
        let set = valid(text, Format::Adk).into_agentflow("name");
        let calls = set.eval_cases[0].conversation[0].expected_tool_trajectory.clone();
        let results = calls.iter().map(|call| call.result.as_ref().expect("some").compact());
        results.map(|result| result.as_str().to_owned()).collect::<Vec<_>>()
    };
    let picture = r#"{"inlineData":{"data":"AAEC","mimeType":"image/png"}}"#;
    assert_eq!(results(text), ["8", r#"{"result":8}"#, picture]);
    let there = to_agentflow(text);
    assert_eq!(unordered(&to_adk(&there)), unordered(text), "{there}");
    let unmarked = text.replace("\"rehearsal\"", "\"other\"");
    assert_eq!(results(&unmarked), ["8", "8", "{}"]);
}

#[test]
fn legacy_list_converts_to_agentflow() {
    let text = r#"[{"query": "hi", "expected_tool_use": [{"tool_name": "t", "tool_input": {}}],
        "reference": "hello"}]"#;
    let there = valid(text, Format::AdkLegacy).into_agentflow("simple");
    assert_eq!(there.eval_cases[0].eval_id, "simple");
    let turn = &there.eval_cases[0].conversation[0];
    assert_eq!(turn.expected_tool_trajectory[0].name, "t");
    assert_eq!(turn.expected_final_response.as_ref().expect("there").get_text(), "hello");
    to_adk(&there.to_json().laid_out(&Layout::compact()));
}

#[test]
fn edits_to_the_converted_set_survive() {
    let text = fixture("adk/every_field.evalset.json");
    let mut there = valid(&text, Format::Adk).into_agentflow("name");
    let turn = &mut there.eval_cases[0].conversation[0];
    turn.user_content = evalset::agentflow::MessageContent::user("Turn on the lamp.");
    turn.expected_tool_trajectory.truncate(1);
    turn.expected_tool_trajectory[0].name = "seek".to_owned();
    there.eval_cases[0].conversation.remove(1);
    there.eval_cases.remove(1);
    let back = to_adk(&there.to_json().laid_out(&Layout::compact()));
    let EvalSet::Adk(back) = valid(&back, Format::Adk) else { panic!("ADK's") };
    let ids: Vec<_> = back.eval_cases.iter().map(|case| case.eval_id.as_str()).collect();
    assert_eq!(ids, ["talk", "camel"]);
    let case = &back.eval_cases[0];
    assert_eq!(case.session_input.as_ref().expect("there").app_name, "home");
    let [turn] = case.turns() else { panic!("one turn") };
    assert_eq!(turn.user_content.text(), "Turn on the lamp.");
    let calls: Vec<_> = turn.intermediate_data.as_ref().expect("there").calls().collect();
    assert_eq!(calls.iter().map(|call| call.name.as_deref()).collect::<Vec<_>>(), [Some("seek")]);
    assert_eq!(turn.duration.as_ref().map(evalset::Number::as_str), Some("2.50"));
}

#[test]
fn set_without_cases_round_trips() {
    let text = r#"{"eval_set_id": "s", "name": "n", "metadata": {"v": 1}}"#;
    let there = to_adk(text);
    assert_eq!(unordered(&to_agentflow(&there)), unordered(text), "{there}");
    let text = r#"{"eval_set_id": "s", "name": null, "eval_cases": [], "creation_timestamp": 5}"#;
    let there = to_agentflow(text);
    assert_eq!(unordered(&to_adk(&there)), unordered(text), "{there}");
}

/// ADK makes a file name of the set's id, so `valid` rejects one with a slash there.
#[test]
fn set_id_with_a_slash_survives_conversion() {
    let case = r#"{"eval_id": "e", "conversation": [{"invocation_id": "i", "user_content": {"role": "user", "content": "Hi"}}]}"#;
    for (cases, id) in [(case, "a/b"), (case, "..\\\\é/"), ("", "a/b")] {
        let cases = match cases {
            "" => String::new(),
            case => format!(r#", "eval_cases": [{case}]"#),
        };
        let text = format!(r#"{{"eval_set_id": "{id}", "name": "a/b"{cases}}}"#);
        let there = to_adk(&text);
        let EvalSet::Adk(set) = valid(&there, Format::Adk) else { panic!("{there}") };
        assert!(["a_b", "..__é_", ".._é_"].contains(&set.eval_set_id.as_str()), "{there}");
        assert_eq!(unordered(&to_agentflow(&there)), unordered(&text), "{there}");
        // A rename there is intended.
        let renamed = there.replacen("a_b", "c", 1);
        if renamed != there {
            let back = to_agentflow(&renamed);
            assert!(back.contains("\"eval_set_id\": \"c\""), "{back}");
        }
    }
}

// Texts of both formats, with unknown fields wherever the format allows them.

fn scalar() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        Just("9007199254740993".to_owned()),
        prop::sample::select(vec![
            "1.10",
            "1e2",
            "-0.0",
            "2.50E-9",
            "123456789012345678901",
            "7.0"
        ])
        .prop_map(str::to_owned),
        Just(r#""\u00e9\ud83d\ude00\/""#.to_owned()),
        any::<i64>().prop_map(|number| number.to_string()),
        "[a-z\"\\\\/~é\n]{0,6}".prop_map(|text| serde_json::to_string(&text).expect("a string")),
    ]
}

fn any_json() -> impl Strategy<Value = String> {
    scalar().prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3)
                .prop_map(|items| format!("[{}]", items.join(","))),
            object_of(inner),
        ]
    })
}

fn object_of(values: impl Strategy<Value = String> + Clone + 'static) -> BoxedStrategy<String> {
    let key = prop::sample::select(vec![
        "a", "b", "result", "..", "x/y", "~z", "", "0", "metadata", "type", "text",
    ]);
    prop::collection::btree_map(key, values, 0..3)
        .prop_map(|members| {
            object(members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
        })
        .boxed()
}

fn any_object() -> BoxedStrategy<String> {
    object_of(any_json().boxed())
}

fn object(members: Vec<(String, String)>) -> String {
    let members: Vec<_> = members
        .into_iter()
        .map(|(key, value)| format!("{}:{value}", serde_json::to_string(&key).expect("a string")))
        .collect();
    format!("{{{}}}", members.join(","))
}

fn list(items: &[String]) -> String {
    format!("[{}]", items.join(","))
}

fn text() -> impl Strategy<Value = String> {
    "[a-z é\"\n]{0,8}".prop_map(|text| serde_json::to_string(&text).expect("a string"))
}

/// Some of these members, each there or not, in any order, and unknown ones.
fn members(
    known: Vec<(&'static str, bool, BoxedStrategy<String>)>,
    unknown: &[&'static str],
) -> BoxedStrategy<String> {
    let known: Vec<_> = known
        .into_iter()
        .map(|(key, required, value)| {
            let there = if required { Just(true).boxed() } else { any::<bool>().boxed() };
            (Just(key.to_owned()), there, value)
        })
        .collect();
    let unknown: Vec<_> = unknown
        .iter()
        .map(|key| (Just((*key).to_owned()), prop::bool::weighted(0.2), any_json()))
        .collect();
    (known, unknown)
        .prop_flat_map(|(known, unknown)| {
            let there = |(key, there, value): (String, bool, String)| there.then_some((key, value));
            let members: Vec<_> = known
                .into_iter()
                .filter_map(there)
                .chain(unknown.into_iter().filter_map(there))
                .collect();
            Just(members).prop_shuffle()
        })
        .prop_map(object)
        .boxed()
}

fn or_null(value: BoxedStrategy<String>) -> BoxedStrategy<String> {
    prop_oneof![4 => value, 1 => Just("null".to_owned())].boxed()
}

fn items(value: BoxedStrategy<String>, most: usize) -> BoxedStrategy<String> {
    prop::collection::vec(value, 0..=most).prop_map(|items| list(&items)).boxed()
}

fn time() -> BoxedStrategy<String> {
    prop::sample::select(vec!["0.0", "1747337309.2360144", "5", "1.50"])
        .prop_map(str::to_owned)
        .boxed()
}

fn adk_content() -> BoxedStrategy<String> {
    let function = |body: &'static str| {
        members(
            vec![
                ("id", false, or_null(text().boxed())),
                (
                    "name",
                    false,
                    or_null(
                        prop::sample::select(vec!["\"f\"", "\"g\""])
                            .prop_map(str::to_owned)
                            .boxed(),
                    ),
                ),
                (body, false, or_null(any_object())),
            ],
            &[],
        )
    };
    let part = prop_oneof![
        3 => text().prop_map(|text| format!("{{\"text\":{text}}}")),
        1 => members(vec![
            ("text", false, or_null(text().boxed())),
            ("thought", false, or_null(any::<bool>().prop_map(|it| it.to_string()).boxed())),
            ("video_metadata", false, Just("null".to_owned()).boxed()),
        ], &[]),
        1 => function("args").prop_map(|call| format!("{{\"function_call\":{call}}}")),
        1 => function("response").prop_map(|call| format!("{{\"function_response\":{call}}}")),
        1 => Just(r#"{"inline_data":{"data":"aGk=","mime_type":"text/plain"}}"#.to_owned()),
    ];
    let role = prop::sample::select(vec!["\"user\"", "\"model\"", "\"tool\"", "\"x\"", "null"]);
    members(
        vec![
            ("parts", false, or_null(items(part.boxed(), 3))),
            ("role", false, role.prop_map(str::to_owned).boxed()),
        ],
        &[],
    )
}

fn adk_intermediate() -> BoxedStrategy<String> {
    let name = prop::sample::select(vec!["\"f\"", "\"g\"", "null"]).prop_map(str::to_owned).boxed();
    let id = prop::sample::select(vec!["\"1\"", "\"2\"", "null"]).prop_map(str::to_owned).boxed();
    let call = members(
        vec![
            ("id", false, id.clone()),
            ("args", false, or_null(any_object())),
            ("name", false, name.clone()),
        ],
        &[],
    );
    let response = members(
        vec![("id", false, id), ("response", false, or_null(any_object())), ("name", false, name)],
        &[],
    );
    let messages =
        (text(), text()).prop_map(|(author, text)| format!("[{author},[{{\"text\":{text}}}]]"));
    let event = members(
        vec![("author", true, text().boxed()), ("content", false, or_null(adk_content()))],
        &["vendor", "invocationIndex"],
    );
    prop_oneof![
        2 => members(vec![
            ("tool_uses", false, items(call, 3)),
            ("tool_responses", false, items(response, 3)),
            ("intermediate_responses", false, items(messages.boxed(), 2)),
        ], &[]),
        1 => members(vec![("invocation_events", true, items(event, 3))], &[]),
    ]
    .boxed()
}

fn adk_set() -> BoxedStrategy<String> {
    let rubric = (text(), text())
        .prop_map(|(id, text)| {
            format!("{{\"rubric_id\":{id},\"rubric_content\":{{\"text_property\":{text}}}}}")
        })
        .boxed();
    let turn = members(
        vec![
            ("invocation_id", false, text().boxed()),
            ("user_content", true, adk_content()),
            ("final_response", false, or_null(adk_content())),
            ("intermediate_data", false, or_null(adk_intermediate())),
            ("creation_timestamp", false, time()),
            ("duration", false, or_null(time())),
            ("rubrics", false, or_null(items(rubric.clone(), 2))),
            ("app_details", false, Just("{\"agent_details\":{}}".to_owned()).boxed()),
        ],
        &[],
    );
    let session = members(
        vec![
            ("app_name", true, text().boxed()),
            ("user_id", true, text().boxed()),
            ("session_id", false, or_null(text().boxed())),
            ("state", false, any_object()),
        ],
        &["vendor", "thread_id", "config"],
    );
    let rest = move |what: (&'static str, BoxedStrategy<String>)| {
        members(
            vec![
                (what.0, true, what.1),
                ("session_input", false, or_null(session.clone())),
                ("creation_timestamp", false, time()),
                ("rubrics", false, or_null(items(rubric.clone(), 1))),
                ("final_session_state", false, or_null(any_object())),
            ],
            &["vendor", "name", "tags", "metadata", "adk", "legacy", ".."],
        )
    };
    let scenario = (text(), text())
        .prop_map(|(a, b)| format!("{{\"starting_prompt\":{a},\"conversation_plan\":{b}}}"))
        .boxed();
    let case = prop_oneof![
        4 => rest(("conversation", items(turn, 2))),
        1 => rest(("conversation_scenario", scenario)),
    ];
    let cases = prop::collection::vec(case, 0..3).prop_map(|cases| {
        let cases = cases.iter().enumerate().map(|(index, case)| {
            let comma = if case == "{}" { "" } else { "," };
            format!("{{\"eval_id\":\"c{index}\"{comma}{}", &case[1..])
        });
        list(&cases.collect::<Vec<_>>())
    });
    members(
        vec![
            ("eval_set_id", true, Just("\"s\"".to_owned()).boxed()),
            ("name", false, or_null(text().boxed())),
            ("description", false, or_null(text().boxed())),
            ("eval_cases", true, cases.boxed()),
            ("creation_timestamp", false, time()),
        ],
        &["vendor", "metadata"],
    )
}

/// The same with the keys of its cases in camelCase.
fn in_camel_case(text: &str) -> String {
    let pairs = [
        ("eval_id", "evalId"),
        ("session_input", "sessionInput"),
        ("creation_timestamp", "creationTimestamp"),
        ("final_session_state", "finalSessionState"),
        ("conversation_scenario", "conversationScenario"),
        ("starting_prompt", "startingPrompt"),
        ("conversation_plan", "conversationPlan"),
        ("invocation_id", "invocationId"),
        ("user_content", "userContent"),
        ("final_response", "finalResponse"),
        ("intermediate_data", "intermediateData"),
        ("tool_uses", "toolUses"),
        ("tool_responses", "toolResponses"),
        ("intermediate_responses", "intermediateResponses"),
        ("invocation_events", "invocationEvents"),
        ("function_call", "functionCall"),
        ("function_response", "functionResponse"),
        ("app_details", "appDetails"),
        ("app_name", "appName"),
        ("user_id", "userId"),
        ("session_id", "sessionId"),
        ("rubric_id", "rubricId"),
        ("rubric_content", "rubricContent"),
        ("text_property", "textProperty"),
    ];
    pairs.iter().fold(text.to_owned(), |text, (snake, camel)| {
        text.replace(&format!("\"{snake}\":"), &format!("\"{camel}\":"))
    })
}

fn agentflow_message() -> BoxedStrategy<String> {
    let role = prop::sample::select(vec!["\"user\"", "\"assistant\"", "\"tool\""]);
    members(
        vec![
            ("role", true, role.prop_map(str::to_owned).boxed()),
            (
                "content",
                true,
                prop_oneof![3 => text().boxed(), 1 => items(any_object(), 2)].boxed(),
            ),
            ("metadata", false, any_object()),
        ],
        &["vendor", "parts"],
    )
}

fn agentflow_metadata() -> BoxedStrategy<String> {
    let garbage = prop::sample::select(vec![
        r#"{"adk":{"creation_timestamp":1.5}}"#,
        r#"{"adk":{"eval_id":5},"x":1}"#,
        r#"{"adk":{"~instead":{"user_content/role":{"of":"00000000","is":null}},"~without":{"name":"0"}}}"#,
        r#"{"adk":{"~casing":"camelCase","agentflow":{"name":"x"}}}"#,
        r#"{"adk":null}"#,
        r#"{"adk":{"~instead":5}}"#,
    ]);
    prop_oneof![3 => any_object(), 1 => garbage.prop_map(str::to_owned)].boxed()
}

fn agentflow_set() -> BoxedStrategy<String> {
    let call = members(
        vec![
            ("name", true, text().boxed()),
            ("args", false, any_object()),
            ("call_id", false, or_null(text().boxed())),
            ("result", false, any_json().boxed()),
        ],
        &["vendor"],
    );
    let turn = members(
        vec![
            ("invocation_id", true, text().boxed()),
            ("user_content", true, agentflow_message()),
            ("expected_tool_trajectory", false, items(call, 3)),
            ("expected_node_order", false, items(text().boxed(), 2)),
            ("expected_intermediate_responses", false, items(agentflow_message(), 2)),
            ("expected_final_response", false, or_null(agentflow_message())),
            ("metadata", false, agentflow_metadata()),
        ],
        &["vendor", "final_response"],
    );
    let session = members(
        vec![
            ("app_name", false, or_null(text().boxed())),
            ("user_id", false, or_null(text().boxed())),
            ("state", false, any_object()),
            ("thread_id", false, or_null(text().boxed())),
            ("config", false, any_object()),
            ("initial_state", false, any_object()),
        ],
        &["vendor"],
    );
    let case = members(
        vec![
            ("name", false, text().boxed()),
            (
                "conversation",
                true,
                prop::collection::vec(turn, 1..3).prop_map(|turns| list(&turns)).boxed(),
            ),
            ("session_input", false, or_null(session)),
            ("metadata", false, agentflow_metadata()),
            ("tags", false, items(text().boxed(), 2)),
        ],
        &["vendor", "adk", "agentflow", "rubrics", ".."],
    );
    let cases = prop::collection::vec(case, 1..3).prop_map(|cases| {
        let cases = cases
            .iter()
            .enumerate()
            .map(|(index, case)| format!("{{\"eval_id\":\"c{index}\",{}", &case[1..]));
        list(&cases.collect::<Vec<_>>())
    });
    members(
        vec![
            ("eval_set_id", true, Just("\"s\"".to_owned()).boxed()),
            ("name", false, text().boxed()),
            ("description", false, text().boxed()),
            ("eval_cases", true, cases.boxed()),
            ("metadata", false, agentflow_metadata()),
        ],
        &["vendor", "creation_timestamp"],
    )
}

/// Few cases by default, because each is a whole set. `PROPTEST_CASES` overrides the number.
fn draws() -> ProptestConfig {
    let asked = ProptestConfig::default();
    let cases = if std::env::var_os("PROPTEST_CASES").is_some() { asked.cases } else { 64 };
    ProptestConfig { cases, failure_persistence: None, ..asked }
}

proptest! {
    #![proptest_config(draws())]

    #[test]
    fn adk_to_agentflow_and_back_is_lossless(text in adk_set()) {
        let there = to_agentflow(&text);
        let back = to_adk(&there);
        prop_assert_eq!(unordered(&back), unordered(&text), "{}", there);
    }

    #[test]
    fn adk_camel_case_survives_conversion(text in adk_set()) {
        let text = in_camel_case(&text);
        let there = to_agentflow(&text);
        let back = to_adk(&there);
        prop_assert_eq!(unordered(&back), unordered(&text), "{}", there);
    }

    #[test]
    fn agentflow_to_adk_and_back_is_lossless(text in agentflow_set()) {
        let there = to_adk(&text);
        let back = to_agentflow(&there);
        prop_assert_eq!(unordered(&back), unordered(&text), "{}", there);
    }

    #[test]
    fn sets_round_trip(adk in adk_set(), agentflow in agentflow_set()) {
        for (text, format) in [(&adk, Format::Adk), (&agentflow, Format::AgentFlow)] {
            let set = read_as(text.as_bytes(), format).whole().expect("whole");
            let written = set.to_json().laid_out(&Layout::compact());
            prop_assert_eq!(crate::common::canonical(&written), crate::common::canonical(text));
        }
    }
}

/// Random values that a strategy draws, the same in each run.
fn drawn(strategy: &BoxedStrategy<String>, count: usize) -> Vec<String> {
    let mut runner = TestRunner::deterministic();
    let draw = |_| strategy.new_tree(&mut runner).expect("drawn").current();
    (0..count).map(draw).collect()
}

/// How many sets a test draws for Python. `REHEARSAL_TEST_SETS` overrides the number.
fn count() -> usize {
    std::env::var("REHEARSAL_TEST_SETS").ok().and_then(|text| text.parse().ok()).unwrap_or(300)
}

fn assert_same(after: &str, before: &str, between: &str) {
    assert!(same_value(&json(after), &json(before)), "{after}\n{before}\n{between}");
}

#[test]
fn fields_that_adk_drops_are_restored() {
    let Some(python) = test_needs::python() else { return };
    // What is under `adk` is ADK's own by then, and gone where ADK leaves it out.
    for (text, left) in [
        (
            r#"{"eval_set_id": "s", "metadata": {"version": "1", "adk": {"vendor": 1}},
            "eval_cases": [{"eval_id": "c", "conversation": [{"invocation_id": "i",
            "user_content": {"role": "user", "content": "hi"},
            "metadata": {"adk": {"creation_timestamp": 0.0}, "mine": 5}}],
            "session_input": {"initial_state": {}},
            "metadata": {"adk": {"creation_timestamp": 0.0}, "priority": "high"}}]}"#,
            r#"{"eval_set_id": "s", "metadata": {"version": "1"},
            "eval_cases": [{"eval_id": "c", "conversation": [{"invocation_id": "i",
            "user_content": {"role": "user", "content": "hi"}, "metadata": {"mine": 5}}],
            "session_input": {"initial_state": {}}, "metadata": {"priority": "high"}}]}"#,
        ),
        {
            let text = r#"{"eval_set_id": "s", "eval_cases": [{"eval_id": "c", "conversation": [
            {"invocation_id": "", "user_content": {"role": "user",
            "content": [{"text": null, "thought": null}, {"function_call": {"name": null}}]}}]}]}"#;
            (text, text)
        },
    ] {
        let there = to_adk(text);
        assert_eq!(unordered(&to_agentflow(&there)), unordered(text), "as it stands");
        let rewritten = adk_rewrites(&python, &[there]).remove(0).expect("ADK reads it");
        assert_same(&to_agentflow(&rewritten), left, &rewritten);
    }
}

/// Without `metadata.adk` of the set: those are fields of ADK's set by then, and ADK drops what its
/// sets have no field for.
fn without_set_metadata_of_adk(text: &str) -> String {
    let mut set: serde_json::Value = serde_json::from_str(text).expect("JSON");
    if let Some(metadata) = set.get_mut("metadata").and_then(|it| it.as_object_mut())
        && metadata.remove("adk").is_some()
        && metadata.is_empty()
    {
        set.as_object_mut().expect("a set").remove("metadata");
    }
    set.to_string()
}

#[test]
fn adk_accepts_converted_sets() {
    let Some(python) = test_needs::python() else { return };
    // What begins as ADK's is ADK's, and ADK understands the same when it has come back.
    let begun = drawn(&adk_set(), count());
    let back: Vec<_> = begun.iter().map(|text| to_adk(&to_agentflow(text))).collect();
    let (before, after) = (adk_rewrites(&python, &begun), adk_rewrites(&python, &back));
    for ((before, after), text) in before.iter().zip(&after).zip(&begun) {
        let before = before.as_ref().unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_same(after.as_ref().expect("ADK reads it"), before, text);
    }
    // What begins as AgentFlow's survives ADK's own rewriting of the leg between.
    let begun = drawn(&agentflow_set(), count());
    let there: Vec<_> = begun.iter().map(|text| to_adk(text)).collect();
    let rewritten: Vec<_> = adk_rewrites(&python, &there)
        .into_iter()
        .zip(&there)
        .map(|(rewritten, there)| rewritten.unwrap_or_else(|error| panic!("{error}\n{there}")))
        .collect();
    for ascii in [true, false] {
        let dumped = dumped(&python, &rewritten, ascii);
        for (rewritten, text) in rewritten.iter().chain(&dumped).zip(begun.iter().chain(&begun)) {
            let (through, text) = (to_agentflow(rewritten), without_set_metadata_of_adk(text));
            assert_same(&without_set_metadata_of_adk(&through), &text, rewritten);
        }
    }
}

#[test]
fn conversion_survives_python_rewrites() {
    let Some(python) = test_needs::python() else { return };
    type Convert = fn(&str) -> String;
    let legs: [(BoxedStrategy<String>, Convert, Convert); 2] =
        [(adk_set(), to_agentflow, to_adk), (agentflow_set(), to_adk, to_agentflow)];
    for (strategy, there, back) in legs {
        let begun = drawn(&strategy, count());
        for ascii in [true, false] {
            let between: Vec<_> = begun.iter().map(|text| there(text)).collect();
            let between = dumped(&python, &between, ascii);
            let returned: Vec<_> = between.iter().map(|text| back(text)).collect();
            let returned = dumped(&python, &returned, ascii);
            // Once more, from the rewritten file.
            let again: Vec<_> = returned.iter().map(|text| there(text)).collect();
            let again = dumped(&python, &again, ascii);
            for (((returned, between), again), text) in
                returned.iter().zip(&between).zip(&again).zip(&begun)
            {
                assert_same(returned, text, between);
                assert_same(&back(again), text, again);
            }
        }
    }
}

#[test]
fn conversion_keeps_every_verdict() {
    let traces = |text: &str, format: Format| -> Vec<String> {
        // Traces are compared as text, and conversion writes no needless escapes.
        let text = text.replace(r"\u00e9\ud83d\ude00\/", "é😀/");
        let set = valid(json(&text).compact().as_str(), format);
        let cases = set.into_cases("s");
        cases.iter().map(|case| format!("{:#?}", CaseTrace::of(case).map(|it| it.trace))).collect()
    };
    for text in drawn(&adk_set(), count()) {
        let there = to_agentflow(&text);
        assert_eq!(
            traces(&there, Format::AgentFlow),
            traces(&text, Format::Adk),
            "{text}\n{there}"
        );
    }
    for text in drawn(&agentflow_set(), count()) {
        let there = to_adk(&text);
        assert_eq!(
            traces(&there, Format::Adk),
            traces(&text, Format::AgentFlow),
            "{text}\n{there}"
        );
    }
}
