//! Agents of adk-rust in eval runs.

#[path = "../../../eval/tests/all/fork_equality.rs"]
mod fork_equality;
mod triage;
#[path = "../../../eval/tests/all/wire.rs"]
#[expect(dead_code, reason = "the tests of `eval` use the rest")]
mod wire;

mod guide;
mod guide_example;
mod interception;
mod isolation;
mod own_models;
mod replay;
mod story;
