//! What is written is what ADK writes: the exact text, and ADK's own opinion of it.
//!
//! `REHEARSAL_TEST_PYTHON` names a Python with google-adk; without it the second half says that it
//! did not run.

use std::io::Write as _;
use std::process::{Command, Stdio};

use evalset::adk::{
    Content, EvalCase, EvalSetHeader, FunctionCall, FunctionResponse, IntermediateData, Invocation,
    SessionInput,
};
use expect_test::expect;
use json_text::JsonText;

fn json(text: &str) -> JsonText {
    JsonText::parse(text).expect("JSON")
}

fn case(args: &str) -> EvalCase {
    EvalCase {
        eval_id: "math_agent_2025-12-23T14:30:00".to_owned(),
        conversation: vec![Invocation {
            invocation_id: "s1_inv_0".to_owned(),
            user_content: Content::user("What is 5 + 3?\n\u{1}\u{7f} \"é\" 😀 </script>"),
            final_response: Some(Content::model("8")),
            intermediate_data: Some(IntermediateData {
                tool_uses: vec![FunctionCall {
                    id: "c1".to_owned(),
                    args: json(args),
                    name: "add".to_owned(),
                }],
                tool_responses: vec![FunctionResponse {
                    id: "c1".to_owned(),
                    name: "add".to_owned(),
                    response: json(r#"{"result": 8}"#),
                }],
            }),
            creation_timestamp: 1_766_500_200.25,
        }],
        session_input: Some(SessionInput {
            app_name: "math_agent".to_owned(),
            user_id: "user".to_owned(),
            state: json(r#"{"home": {"rooms": [], "x": {}}}"#),
        }),
        creation_timestamp: 1_766_500_200.0,
    }
}

fn file(case: &EvalCase) -> String {
    let header = EvalSetHeader {
        eval_set_id: "math_agent_evals".to_owned(),
        name: "MathAgent".to_owned(),
        creation_timestamp: 1_766_500_200.0,
    };
    header.file_with(&case.to_json().expect("a case that ADK reads"))
}

#[test]
fn a_new_file_reads_like_adks() {
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

/// ADK's own rewriting of `text`, or its refusal.
fn rewritten_by_adk(python: &str, text: &str) -> Result<String, String> {
    let script = "import sys\n\
        from google.adk.evaluation.eval_set import EvalSet\n\
        text = sys.stdin.buffer.read().decode('utf-8')\n\
        out = EvalSet.model_validate_json(text).model_dump_json(indent=2, exclude_unset=True,\n\
        \x20   exclude_defaults=True, exclude_none=True)\n\
        sys.stdout.buffer.write(out.encode('utf-8'))\n";
    let mut child = Command::new(python)
        .args(["-c", script])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("REHEARSAL_TEST_PYTHON starts");
    child.stdin.take().expect("piped").write_all(text.as_bytes()).expect("written");
    let output = child.wait_with_output().expect("ends");
    if output.status.success() {
        Ok(String::from_utf8(output.stdout).expect("UTF-8"))
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

#[test]
fn adk_reads_it_and_writes_the_same_bytes() {
    let Ok(python) = std::env::var("REHEARSAL_TEST_PYTHON") else {
        eprintln!(
            "SKIPPED: set REHEARSAL_TEST_PYTHON to a Python with google-adk to ask ADK itself"
        );
        return;
    };
    let mut without_tools = case("{}");
    without_tools.conversation[0].intermediate_data = Some(IntermediateData::default());
    without_tools.conversation[0].final_response = None;
    without_tools.session_input = Some(SessionInput {
        app_name: "a".to_owned(),
        user_id: "u".to_owned(),
        state: json("{ }"),
    });
    for case in [
        case(r#"{"a":5,"b":3}"#),
        case(r#"{"n":9007199254740993,"big":123456789012345678901234567890,"f":5.0,"s":null}"#),
        case(&format!("{{\"a\":{}{}}}", "[".repeat(192), "]".repeat(192))),
        case("{}"),
        without_tools,
    ] {
        let written = file(&case);
        assert_eq!(rewritten_by_adk(&python, &written).as_deref(), Ok(written.as_str()));
    }
    // The limits that `to_json` guards are ADK's: one step further and ADK refuses the file.
    let deep = file(&case(r#"{"a":"DEEP"}"#))
        .replace("\"DEEP\"", &format!("{}{}", "[".repeat(193), "]".repeat(193)));
    let surrogate = file(&case(r#"{"a":"HALF"}"#)).replace("HALF", "\\ud800");
    for refused in [deep, surrogate] {
        let error = rewritten_by_adk(&python, &refused).err().unwrap_or_default();
        assert!(error.contains("Invalid JSON"), "ADK refuses it: {error}");
    }
}
