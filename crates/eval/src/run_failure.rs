//! [`RunFailure`]: why a case could not be run to its end, and who was at fault.

use json_text::JsonText;
use serde::{Deserialize, Serialize};

use crate::remedy::{WrittenIn, key, no_user_agent, not_recorded, unmocked};
use crate::yields::YieldKind;

/// Who was at fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AtFault {
    /// The agent under test, or its framework.
    Subject,
    /// A user agent.
    UserAgent,
    /// A mock.
    Mock,
    /// A metric.
    Metric,
    /// The engine, a process or a connection.
    Infrastructure,
}

/// The part of a run that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// The subject, its mocks, or what runs it.
    System,
    /// A user agent.
    UserAgent,
    /// A metric.
    Metric,
}

impl AtFault {
    /// Its name in results.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Subject => "subject",
            Self::UserAgent => "user_agent",
            Self::Mock => "mock",
            Self::Metric => "metric",
            Self::Infrastructure => "infrastructure",
        }
    }

    /// The part of the run that it belongs to.
    #[must_use]
    pub fn phase(self) -> Phase {
        match self {
            Self::Subject | Self::Mock | Self::Infrastructure => Phase::System,
            Self::UserAgent => Phase::UserAgent,
            Self::Metric => Phase::Metric,
        }
    }
}

/// Why a case could not be run to its end. Each variant has a [code](Self::code), which stays when texts change.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RunFailure {
    /// A tool without a mock was called. It did not run.
    #[error("{}", unmocked(*.written_in, .tool, .args, *.is_long_running, *.can_be_sealed))]
    UnmockedTool {
        /// What the case is written in.
        written_in: WrittenIn,
        /// The tool.
        tool: String,
        /// The arguments.
        args: JsonText,
        /// Whether a user agent could respond to it too.
        is_long_running: bool,
        /// Whether it could run without effects.
        can_be_sealed: bool,
    },
    /// The case names a tool that the subject does not have. Nothing ran.
    #[error(
        "the case says what happens to calls of {tool}, and the agent has no such tool; {hint}"
    )]
    UnknownTool {
        /// The name in the case.
        tool: String,
        /// The nearest name.
        hint: String,
    },
    /// A metric looks for something that the subject does not have. Nothing ran.
    #[error("the metric {metric} looks for {wanted}, which the agent does not have; {hint}")]
    BlindMetric {
        /// The metric.
        metric: String,
        /// What it looks for, such as `the tool send_alerts`.
        wanted: String,
        /// The nearest name.
        hint: String,
    },
    /// A metric passed that looks for something that neither the subject showed nor the run had.
    #[error(
        "the metric {metric} looks for {wanted}, which neither the agent shows nor the run had, so it would pass whatever happens; {hint}{}",
        if *is_tool { ". If the agent has it, say in `tools` what happens to its calls" } else { "" }
    )]
    UnfoundName {
        /// The metric.
        metric: String,
        /// What it looks for, such as `the tool send_alerts`.
        wanted: String,
        /// Whether that is a tool.
        is_tool: bool,
        /// The nearest name.
        hint: String,
    },
    /// A tool was called that only a recording answers, with other arguments than recorded. It did not run.
    #[error("{}", not_recorded(*.written_in, .tool, .args, *.can_be_sealed))]
    NotRecorded {
        /// What the case is written in.
        written_in: WrittenIn,
        /// The tool.
        tool: String,
        /// The arguments.
        args: JsonText,
        /// Whether it could run without effects.
        can_be_sealed: bool,
    },
    /// The subject waits for the user, and the case has no user agent for it.
    #[error("{}", no_user_agent(*.written_in, .tool, .args))]
    NoUserAgent {
        /// What the case is written in.
        written_in: WrittenIn,
        /// The tool that waits.
        tool: String,
        /// Its arguments.
        args: JsonText,
    },
    /// The case has a user agent for a tool that was called and did not ask.
    #[error(
        "the case has a user agent for {tool}, which was called and did not ask: a user agent responds to a tool that is long-running, or that asks for a confirmation, a credential or an input. Remove it, or check why the tool did not ask"
    )]
    NeverAsked {
        /// The tool.
        tool: String,
    },
    /// A user agent failed, or its answer cannot be used.
    #[error("the user agent of {of} failed: {message}")]
    UserAgent {
        /// What it responds to.
        of: YieldKind,
        /// What happened.
        message: String,
    },
    /// A mock failed or has no answer left.
    #[error("the mock of {tool} failed: {message}")]
    Mock {
        /// The tool.
        tool: String,
        /// What happened.
        message: String,
    },
    /// A metric could not measure the run.
    #[error("the metric {metric} failed: {message}")]
    Metric {
        /// The metric.
        metric: String,
        /// Why.
        message: String,
    },
    /// A tool is to run without effects, in an agent whose tools always have them.
    #[error(
        "the tool {tool} cannot be `sealed`: only agents of google-adk run in a process that can be closed. Mock the tool, or let it run with its effects: `{tool}: real`"
    )]
    Unsealable {
        /// The tool.
        tool: String,
    },
    /// A mock asks for a confirmation, in an agent that is not called again when the user has answered.
    #[error(
        "the mock of {tool} cannot ask for a confirmation: only agents of google-adk call a tool again when it is confirmed. Leave out `asks_confirmation`, and let the mock give the result of the confirmed call"
    )]
    Unconfirmable {
        /// The tool.
        tool: String,
    },
    /// A fork changes requests, and the subject does not have what it changes, or cannot change it.
    #[error("the requests of the agent cannot be changed: {reason}")]
    Unchangeable {
        /// What is wrong, and the remedy.
        reason: String,
    },
    /// Code of the subject tried to change something outside of a tool that may run. It was stopped.
    #[error(
        "in the case {case}, the agent {what}, at {place}. Only tools that the case allows with `real` may write files, start programs or use the network. Move the code into such a tool, mock what it does, or name the folder, program or host in the case, as in `allow: [./logs/, git, \"localhost:4318\"]`"
    )]
    ForbiddenEffect {
        /// The case.
        case: String,
        /// What was tried.
        what: String,
        /// The file and line.
        place: String,
    },
    /// A part of the subject cannot be intercepted, and the case does not allow it. Nothing ran.
    #[error(
        "EvalToolError: {name} of {agent} {what}, which cannot be intercepted. To let it run, name it in the case: `allow: [{name}]`"
    )]
    Unseen {
        /// The name under which a case allows it.
        name: String,
        /// The agent that has it.
        agent: String,
        /// What it does.
        what: String,
    },
    /// An MCP server would have to be started to list its tools, and the case does not allow it. Nothing ran.
    #[error("{}", unlisted(.server, .agent))]
    UnlistedServer {
        /// The server, by the name under which a case allows it.
        server: String,
        /// The agent that has it.
        agent: String,
    },
    /// What is recorded of the subject's MCP servers does not fit it. Nothing ran.
    #[error("the recorded declarations do not fit the agent: {message}")]
    Declarations {
        /// What does not fit, and what to write.
        message: String,
    },
    /// The subject cannot be loaded, or its code failed.
    #[error("{message}")]
    Subject {
        /// The exception's message.
        message: String,
        /// Its traceback; empty if there is none.
        traceback: String,
    },
    /// A tool raised an error because the case says so, and it ended the subject's run.
    #[error(
        "the tool {tool} raised the error that the case gives it, and no callback or plugin of the agent handled it: {message}"
    )]
    Unhandled {
        /// The tool.
        tool: String,
        /// The error's message.
        message: String,
    },
    /// The model that the case gives has no response left, or its script does not fit.
    #[error("{message}")]
    GivenModel {
        /// What does not fit, and the remedy.
        message: String,
    },
    /// A fork does not do again what happened in the run that it forks from.
    #[error(
        "the agent goes another way than in the run that it forks from: {message}. Its code, or what it reads, has changed since, or depends on chance or time. Run the case again, and fork from the new run"
    )]
    Diverged {
        /// At which step, and how.
        message: String,
    },
    /// A model that the subject names itself cannot be asked. Nothing ran.
    #[error("{message}")]
    OwnModel {
        /// Which agent names it, why it cannot be asked, and the remedy.
        message: String,
    },
    /// The process that runs the case ended, and not because of the case, which can run again.
    #[error("{message}")]
    ProcessLost {
        /// What ended it.
        message: String,
    },
    /// What runs the subject failed.
    #[error("{message}")]
    Infrastructure {
        /// What happened.
        message: String,
    },
}

/// The code of [`RunFailure::Diverged`].
pub(crate) const FORK_DIVERGED: &str = "fork_diverged";

/// The code of each variant, and the list of all codes.
macro_rules! codes {
    ($($variant:ident => $code:expr,)+) => {
        /// All codes of errors, which `docs/guide/eval-runs.md` describes.
        pub const CODES: &[&str] = &[$($code),+];

        impl RunFailure {
            /// The code of the error in results, ledgers and reports.
            #[must_use]
            pub fn code(&self) -> &'static str {
                match self {
                    $(Self::$variant { .. } => $code,)+
                }
            }
        }
    };
}

codes! {
    UnmockedTool => "unmocked_tool",
    NotRecorded => "not_recorded",
    UnknownTool => "unknown_tool",
    Mock => "mock_failed",
    GivenModel => "given_model_failed",
    Diverged => FORK_DIVERGED,
    Unsealable => "unsealable_tool",
    Unconfirmable => "unconfirmable_tool",
    Unchangeable => "unchangeable_request",
    Unseen => "not_interceptable",
    UnlistedServer => "unlisted_server",
    Declarations => "declarations_mismatch",
    NoUserAgent => "no_user_agent",
    NeverAsked => "user_agent_not_asked",
    UserAgent => "user_agent_failed",
    BlindMetric => "unknown_name_in_metric",
    UnfoundName => "name_not_found_by_metric",
    Metric => "metric_failed",
    Subject => "subject_failed",
    Unhandled => "unhandled_tool_error",
    ForbiddenEffect => "forbidden_effect",
    OwnModel => "model_unavailable",
    ProcessLost => "process_lost",
    Infrastructure => "infrastructure_failed",
}

impl RunFailure {
    /// The failure of the user agent that responds to `of`.
    #[must_use]
    pub fn user_agent(of: YieldKind, error: impl std::fmt::Display) -> Self {
        Self::UserAgent { of, message: error.to_string() }
    }

    /// Who was at fault.
    #[must_use]
    pub fn at_fault(&self) -> AtFault {
        match self {
            Self::UnmockedTool { .. }
            | Self::UnknownTool { .. }
            | Self::NotRecorded { .. }
            | Self::Unseen { .. }
            | Self::UnlistedServer { .. }
            | Self::Declarations { .. }
            | Self::Mock { .. }
            | Self::Unsealable { .. }
            | Self::Unconfirmable { .. }
            | Self::Unchangeable { .. }
            | Self::Diverged { .. }
            | Self::GivenModel { .. } => AtFault::Mock,
            Self::NoUserAgent { .. } | Self::NeverAsked { .. } | Self::UserAgent { .. } => {
                AtFault::UserAgent
            }
            Self::ForbiddenEffect { .. }
            | Self::Subject { .. }
            | Self::OwnModel { .. }
            | Self::Unhandled { .. } => AtFault::Subject,
            Self::BlindMetric { .. } | Self::UnfoundName { .. } | Self::Metric { .. } => {
                AtFault::Metric
            }
            Self::ProcessLost { .. } | Self::Infrastructure { .. } => AtFault::Infrastructure,
        }
    }
}

fn unlisted(server: &str, agent: &str) -> String {
    format!(
        "EvalToolError: the MCP server {server} of {agent} must be started to list its tools, which cannot be intercepted. It was not started.\n\n\
         Record its tools with `rehearsal eval tools SUITE --output tools.json`, and name the file:\n  subject:\n    mcp: {{ declarations: tools.json, ... }}\n\n\
         Or let the case start the server:\n  allow: [{}]",
        key(server)
    )
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn the_guide_describes_every_code_and_no_other() {
        let guide = include_str!("../../../docs/guide/eval-runs.md");
        let (_, section) = guide.split_once("\n### Errors\n").expect("the section of errors");
        let section = section.split("\n## ").next().unwrap_or_default();
        let rows = section.lines().filter_map(|line| line.strip_prefix("| `"));
        let described: Vec<_> = rows.filter_map(|row| row.split('`').next()).collect();
        assert_eq!(described, CODES);
    }

    #[test]
    fn an_error_of_an_unmocked_tool_shows_both_remedies() {
        let args = JsonText::parse(r#"{"query":"headache","limit":10}"#).expect("valid");
        let failure = RunFailure::UnmockedTool {
            written_in: WrittenIn::Suite,
            tool: "search".to_owned(),
            args,
            is_long_running: false,
            can_be_sealed: true,
        };
        assert_eq!((failure.at_fault().phase(), failure.code()), (Phase::System, "unmocked_tool"));
        expect![[r#"
            EvalToolError: the tool search was called, and the case has no mock for it. It did not run.

            Add a mock:
              tools:
                search: { returns: ... }

            Or let it run. It can change its session, and nothing else:
              tools:
                search: sealed

            Or with all its effects:
              tools:
                search: real

            It was called with:
              {
                "query": "headache",
                "limit": 10
              }"#]]
        .assert_eq(&failure.to_string());
    }

    #[test]
    fn an_error_of_a_tool_without_a_user_agent_shows_the_remedy() {
        let args = JsonText::parse(r#"{"request":"Proceed?"}"#).expect("valid");
        let failure = RunFailure::NoUserAgent {
            written_in: WrittenIn::Suite,
            tool: "request approval".to_owned(),
            args,
        };
        assert_eq!(failure.at_fault().phase(), Phase::UserAgent);
        expect![[r#"
            EvalUserAgentError: the tool request approval waits for the user, and the case has no user agent for it.

            Add one:
              user_agents:
                tools:
                  "request approval": { script: [...] }

            It was called with:
              {
                "request": "Proceed?"
              }"#]]
        .assert_eq(&failure.to_string());
    }
}
