//! Runs agents against simulated users, with every tool mocked unless allowed.
//!
//! A case ([`EvalCase`]) names an agent ([`Subject`]), what its tools return ([`ToolMock`]), who answers when
//! it waits ([`UserAgent`]) and what is measured ([`Metric`]). [`run_eval`] runs it in a world of its own:
//! every tool call goes through the [`Gate`], and a call that the case says nothing about ends the run
//! before the tool's code runs. What happened is in the ledger, and metrics read nothing else.
//!
//! What this crate leaves to others: reports, the command line.
//! Why it works as it does: `docs/design/eval-runs.md`.

pub mod case;
pub mod suite;

pub mod bridge;
pub mod change_templates;
pub mod criterion;
pub mod given_model;
pub mod golden;
pub mod judge;
pub mod message;
pub mod metric;
pub mod mock;
pub mod mock_state;
pub mod names;
pub mod person;
pub mod persona;
pub mod persona_tool;
pub mod recorded;
pub mod recorded_session;
pub mod scopes;
pub mod simulated;
pub mod subject;
pub mod tool_fault;
pub mod user_agent;

pub mod model;
pub mod model_judge;

pub mod confirmation;
pub mod fault;
pub mod gate;
pub mod ledger;
pub mod prices;
pub mod process;
pub mod remedy;
pub mod result;
pub mod store;
pub mod trace;
pub mod yields;

pub mod file;
pub mod mcp;
pub mod python;

mod adk_judge;
mod adk_member;
mod adk_persona;
mod allowed;
mod args_match;
mod event_filter;
mod name_check;
mod notes;
mod output_schema;
mod rules;
mod run;
mod runner;
mod scenario_user;
mod scope_change;
mod state_change;
mod state_conflict;
mod template;
mod value_path;
mod world;
mod written_answer;

pub use case::{CaseRun, CaseSource, EvalCase, Termination, UserAgents};
pub use fault::Fault;
pub use gate::Gate;
pub use json_text::JsonText;
pub use metric::Metric;
pub use mock::{ToolMock, ToolUse};
pub use result::{EvalResult, Status};
pub use run::{rescore, run_eval};
pub use runner::{EvalRunner, create_eval_runner};
pub use store::RunStore;
pub use subject::Subject;
pub use suite::{EvalSuite, SuiteResult, check_cases, load_subjects, run_cases, run_eval_suite};
pub use tool_fault::ToolFault;
pub use user_agent::UserAgent;
