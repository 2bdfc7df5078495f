//! What is written is what ADK writes: the exact text, and ADK's own opinion of it.
//!
//! `REHEARSAL_TEST_PYTHON` names a Python with google-adk; without it the second half says that it
//! did not run.

use evalset::Number;
use evalset::adk::{
    Content, EvalCase, EvalSetHeader, FunctionCall, FunctionResponse, IntermediateData, Invocation,
    SessionInput,
};
use expect_test::expect;

use crate::common::{adk_rewrites, json};

fn case(args: &str) -> EvalCase {
    let text = "What is 5 + 3?\n\u{1}\u{7f} \"é\" 😀 </script>";
    let turn = Invocation {
        final_response: Some(Content::model("8")),
        intermediate_data: Some(IntermediateData {
            tool_uses: vec![FunctionCall::new("c1", "add", json(args))],
            tool_responses: vec![FunctionResponse::new("c1", "add", json(r#"{"result": 8}"#))],
            ..IntermediateData::default()
        }),
        creation_timestamp: Number::parse("1766500200.25"),
        ..Invocation::new("s1_inv_0", Content::user(text))
    };
    let state = json(r#"{"home": {"rooms": [], "x": {}}}"#);
    EvalCase {
        session_input: Some(SessionInput::new("math_agent", "user", state)),
        creation_timestamp: Number::parse("1766500200.0"),
        ..EvalCase::new("math_agent_2025-12-23T14:30:00", vec![turn])
    }
}

fn file(case: &EvalCase) -> String {
    let header = EvalSetHeader {
        eval_set_id: "math_agent_evals".to_owned(),
        name: "MathAgent".to_owned(),
        creation_timestamp: Number::from_f64(1_766_500_200.0).expect("finite"),
    };
    header.file_with(&case.to_json().expect("a case that ADK reads"))
}

#[test]
fn new_file_matches_adk_output() {
    expect![[r#"
        {
          "eval_set_id": "math_agent_evals",
          "name": "MathAgent",
          "eval_cases": [
            {
              "eval_id": "math_agent_2025-12-23T14:30:00",
              "conversation": [
                {
                  "invocation_id": "s1_inv_0",
                  "user_content": {
                    "parts": [
                      {
                        "text": "What is 5 + 3?\n\u0001 \"é\" 😀 </script>"
                      }
                    ],
                    "role": "user"
                  },
                  "final_response": {
                    "parts": [
                      {
                        "text": "8"
                      }
                    ],
                    "role": "model"
                  },
                  "intermediate_data": {
                    "tool_uses": [
                      {
                        "id": "c1",
                        "args": {
                          "a": 5,
                          "b": 3
                        },
                        "name": "add"
                      }
                    ],
                    "tool_responses": [
                      {
                        "id": "c1",
                        "name": "add",
                        "response": {
                          "result": 8
                        }
                      }
                    ]
                  },
                  "creation_timestamp": 1766500200.25
                }
              ],
              "session_input": {
                "app_name": "math_agent",
                "user_id": "user",
                "state": {
                  "home": {
                    "rooms": [],
                    "x": {}
                  }
                }
              },
              "creation_timestamp": 1766500200.0
            }
          ],
          "creation_timestamp": 1766500200.0
        }"#]]
    .assert_eq(&file(&case(r#"{"a":5,"b":3}"#)).replace('\u{7f}', ""));
}

#[test]
fn adk_rewrites_the_same_bytes() {
    let Some(python) = test_needs::python() else { return };
    let mut without_tools = case("{}");
    let turn = &mut without_tools.conversation.as_mut().expect("turns")[0];
    turn.intermediate_data = Some(IntermediateData::default());
    turn.final_response = None;
    without_tools.session_input = Some(SessionInput::new("a", "u", json("{ }")));
    let written = [
        case(r#"{"a":5,"b":3}"#),
        case(r#"{"n":9007199254740993,"big":123456789012345678901234567890,"f":5.0,"s":null}"#),
        case(&format!("{{\"a\":{}{}}}", "[".repeat(192), "]".repeat(192))),
        case("{}"),
        without_tools,
    ];
    let written = written.each_ref().map(file);
    for (written, rewrite) in written.iter().zip(adk_rewrites(&python, &written)) {
        assert_eq!(rewrite.as_ref(), Ok(written));
    }
    // The limits that `to_json` guards are ADK's: one step further and ADK rejects the file.
    let deep = file(&case(r#"{"a":"DEEP"}"#))
        .replace("\"DEEP\"", &format!("{}{}", "[".repeat(193), "]".repeat(193)));
    let surrogate = file(&case(r#"{"a":"HALF"}"#)).replace("HALF", "\\ud800");
    for rewrite in adk_rewrites(&python, &[deep, surrogate]) {
        let error = rewrite.err().unwrap_or_default();
        assert!(error.contains("Invalid JSON"), "ADK refuses it: {error}");
    }
}
