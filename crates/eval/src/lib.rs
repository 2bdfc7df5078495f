//! Runs agents against simulated users, with every tool mocked unless allowed.
//!
//! A case ([`EvalCase`]) names an agent ([`Subject`]), what its tools return ([`ToolMock`]), who answers when
//! it waits ([`UserAgent`]) and what is measured ([`Metric`]). [`run_eval`] runs it in a world of its own:
//! every tool call goes through the [`Gate`], and a call that the case says nothing about ends the run
//! before the tool's code runs. What happened is in the ledger, and metrics read nothing else.
//!
//! What this crate leaves to others: reports, the command line.
//! Why it works as it does: `docs/design/eval-runs.md`.

// Values: what cases say, what happens in a run, and what a run gives.
pub mod adk_sessions;
mod args_match;
pub mod change_templates;
pub mod confirmation;
mod conformance;
mod event_filter;
pub mod fork;
pub mod function_error;
pub mod given_model;
pub mod golden;
pub mod ledger;
pub mod message;
pub mod metric;
pub mod mock_state;
mod name_check;
pub mod names;
mod output_schema;
pub mod person_verdict;
pub mod place;
pub mod prices;
pub mod recorded;
mod recorded_events;
mod recorded_file;
pub mod recorded_session;
pub mod recorded_source;
pub mod remedy;
pub mod request_changes;
pub mod result;
pub mod run_failure;
mod scope_change;
pub mod scopes;
mod state_change;
mod state_conflict;
mod template;
pub mod tool_fault;
pub mod tool_mode;
pub mod trace;
mod value_path;
pub mod yields;

// The engine, which drives a subject and answers its calls. It knows no model, no framework and no file format.
mod allowed;
pub mod bridge;
pub mod case;
pub mod gate;
pub mod mock;
mod names_after_run;
mod notes;
pub mod process;
mod rules;
mod run;
mod runner;
pub mod subject;
pub mod take_over;
pub mod under_way;
pub mod user_agent;
mod world;

// Models and people in the place of users, tools and metrics.
mod adk_judge;
mod adk_member;
mod adk_persona;
pub mod criterion;
pub mod judge;
pub mod model;
pub mod model_judge;
pub mod person;
pub mod persona;
pub mod persona_tool;
mod scenario_user;
pub mod simulated;
mod written_answer;

// Subjects.
pub mod mcp;
pub mod python;

// Suites: many cases, their files and their results.
pub mod continuations;
pub mod file;
pub mod source_patch;
pub mod store;
pub mod suite;

pub use case::{CaseRun, CaseSource, EvalCase, Termination, UserAgents};
pub use function_error::FunctionError;
pub use gate::Gate;
pub use json_text::JsonText;
pub use metric::Metric;
pub use mock::{ToolMock, ToolUse};
pub use result::{EvalResult, Status};
pub use run::{check_metrics, rescore, run_eval};
pub use run_failure::RunFailure;
pub use runner::{EvalRunner, create_eval_runner};
pub use store::RunStore;
pub use subject::Subject;
pub use suite::{EvalSuite, SuiteResult, check_cases, run_cases, run_eval_suite};
pub use tool_fault::ToolFault;
pub use user_agent::UserAgent;
