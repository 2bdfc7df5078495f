//! [`ApiError`]: the one error that crosses to the browser.

use session::{AgentId, CallId, SessionId};

use super::{AgentFault, FieldMessage, LostResult};

/// Why the host did not do what the page asked. The message says what to do next.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, serde::Serialize, serde::Deserialize)]
pub enum ApiError {
    /// No agent is registered under this id.
    #[error("Agent {id} was not found. Known agents: {}.", list(known))]
    UnknownAgent {
        /// The id that was asked for.
        id: AgentId,
        /// The ids there are.
        known: Vec<AgentId>,
    },
    /// The agent cannot be used.
    #[error("{}", .0.reason)]
    AgentFaulted(Box<AgentFault>),
    /// The host has closed this session.
    #[error(
        "The host closed session {0} because it restarted or the page was inactive for more than ten minutes. The history is kept, and your next step opens the session again."
    )]
    UnknownSession(SessionId),
    /// No server function has this URL: page and host have different versions.
    #[error("The page and the host have different versions. Reload the page.")]
    UnknownFunction,
    /// The agent has no such tool.
    #[error("The agent has no tool {0}. Reload the page to update its tools.")]
    UnknownTool(String),
    /// The call does not exist, or does not wait for this input.
    #[error(
        "Call {call_id} is no longer waiting for {what} because it ended or was already answered."
    )]
    NotWaiting {
        /// The call.
        call_id: CallId,
        /// The input that the page sent.
        what: String,
    },
    /// The call was canceled before its start arrived.
    #[error("Call {0} was canceled before it started.")]
    CallCancelled(CallId),
    /// A stored result is gone; the page has only its beginning.
    #[error(
        "The host no longer has this result: it keeps large results until the session is exported, or for a day. Leave this call out of the case, or start over to call the tool again."
    )]
    ResultGone(CallId),
    /// A resource of an MCP server was not read: what happened and what to do.
    #[error("{0}")]
    Resource(String),
    /// The question is not pending.
    #[error("This request is closed because the call ended or another page answered it.")]
    QuestionGone,
    /// Another call of this session is running.
    #[error("A tool of this session is still running. Wait for it or cancel it.")]
    CallRunning,
    /// A value does not fit its schema.
    #[error("{} attention: {}", count(.0.len()), first(.0))]
    Invalid(Vec<FieldMessage>),
    /// The history is not one of a completed session.
    #[error("This session cannot be exported: {0}.")]
    NotExportable(String),
    /// The host no longer has these large results, without which the case would be incomplete.
    #[error("{}", lost(.0))]
    ResultsLost(Vec<LostResult>),
    /// The person acted as one agent of a workflow, so that what happened is not a case of the workflow.
    #[error("{0}")]
    PartOfWorkflow(String),
    /// The case could not be appended to the eval-set file, which is unchanged.
    #[error("{reason}")]
    Export {
        /// What happened and what to do.
        reason: String,
        /// The file.
        path: String,
    },
    /// An eval set could not be read.
    #[error("{0}")]
    EvalSet(String),
    /// There is no such eval set.
    #[error(
        "Eval set {0} was not found. Its file may have been renamed or removed. Reload the list of eval sets."
    )]
    UnknownSet(String),
    /// There is no such report.
    #[error(
        "Report {0} was not found. Its file may have been renamed or removed. Reload the list of reports."
    )]
    UnknownReport(String),
    /// A report could not be read.
    #[error("{0}")]
    Report(String),
    /// A run or a fork could not be read or begun: what happened and what to do.
    #[error("{0}")]
    Run(String),
    /// The set has no such case.
    #[error(
        "Case {0} was not found in this eval set. It may have been removed. Reload the list of cases."
    )]
    UnknownCase(String),
    /// The case was changed after the page read it.
    #[error("Another program or page changed this case after it was loaded.")]
    CaseChanged,
    /// There is no such live session.
    #[error("Live session {0} was not found on this host.")]
    UnknownLiveSession(String),
    /// The turn already has a response, or was canceled.
    #[error("{by} {}.", if *cancelled { "canceled this request" } else { "responded first" })]
    LiveClosed {
        /// The person or agent that closed it.
        by: String,
        /// Whether it was canceled.
        cancelled: bool,
    },
    /// Another person holds the lease of this turn.
    #[error("{0} holds the lease. You can take it when {0} hands it over or it expires.")]
    LeaseHeld(String),
    /// The session has pending turns.
    #[error("{}", pending(*.0))]
    LiveWaiting(u64),
    /// The rules of live sessions do not allow it.
    #[error("{0}")]
    LiveRefused(String),
    /// The host is stopping.
    #[error("The host is stopping. Try again after it restarts.")]
    Stopping,
    /// The host failed; the cause is in its log.
    #[error("The host could not {0}. See its log for the cause.")]
    Internal(String),
    /// The request did not reach the host, or page and host could not read each other's data. The text is the
    /// whole message.
    #[error("{0}")]
    Transport(String),
}

impl ApiError {
    /// The host did not respond, for this reason.
    #[must_use]
    pub fn no_response(reason: &str) -> Self {
        Self::Transport(format!("The host did not respond ({reason}). Check that it is running."))
    }
}

fn list(ids: &[AgentId]) -> String {
    if ids.is_empty() {
        return "none".to_owned();
    }
    ids.iter().map(AgentId::as_str).collect::<Vec<_>>().join(", ")
}

fn pending(requests: u64) -> String {
    match requests {
        1 => "1 request of this session is pending.".to_owned(),
        _ => format!("{requests} requests of this session are pending."),
    }
}

fn lost(results: &[LostResult]) -> String {
    let mut tools: Vec<&str> = Vec::new();
    for lost in results {
        if !tools.contains(&lost.tool.as_str()) {
            tools.push(lost.tool.as_str());
        }
    }
    let (result, call) = match results {
        [_] => ("result", "that call"),
        _ => ("results", "those calls"),
    };
    format!(
        "The host no longer has the large {result} of {}. Leave {call} out of the case, or start over to call the \
         tool again.",
        tools.join(", ")
    )
}

fn count(fields: usize) -> String {
    if fields == 1 { "1 field needs".to_owned() } else { format!("{fields} fields need") }
}

fn first(messages: &[FieldMessage]) -> String {
    messages.first().map_or_else(String::new, |message| {
        let place = if message.pointer.is_empty() { "the value" } else { &message.pointer };
        format!("{place}: {}", message.text)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lost_results_are_named_by_their_tools_with_the_way_out() {
        let text = |tools: &[(&str, &str)]| {
            let lost = tools.iter().map(|(call_id, tool)| LostResult {
                call_id: CallId::parse(call_id).expect("valid"),
                tool: session::ToolName::parse(tool).expect("valid"),
            });
            ApiError::ResultsLost(lost.collect()).to_string()
        };
        assert_eq!(
            text(&[("c1", "archive")]),
            "The host no longer has the large result of archive. Leave that call out of the case, or start over to \
             call the tool again."
        );
        let several = text(&[("c1", "archive"), ("c2", "log"), ("c3", "archive")]);
        assert!(several.contains("large results of archive, log. Leave those calls"), "{several}");
    }
}
