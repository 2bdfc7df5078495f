//! From the cases of eval sets to the traces that metrics compare.
//!
//! The one place where the models of `evalset` meet those of `scoring`. The same reading serves both
//! sides: what a case expects, and what another eval set or ADK's history says that an agent did.
//!
//! Left to others: reading files, pairing cases, scoring them.
//!
//! ```
//! use case_trace::CaseTrace;
//! use evalset::{Format, Origin, read_case};
//!
//! let text = r#"{"eval_id": "a", "conversation": [{
//!     "user_content": {"parts": [{"text": "Tokyo?"}]},
//!     "intermediate_data": {"tool_uses": [{"name": "get_weather", "args": null}]}}]}"#;
//! let (case, _) = read_case(text, Format::Adk, Origin::default());
//! let found = CaseTrace::of(&case.expect("a case"))?;
//! let turn = &found.trace.invocations[0];
//! assert_eq!((turn.user_text.as_str(), turn.tool_calls[0].args.as_ref()), ("Tokyo?", None));
//! # Ok::<(), case_trace::Misread>(())
//! ```

mod accepted;
mod adk;
mod agentflow;
mod config;
mod error;
mod lazy;
mod plain;

use evalset::Case;
use evalset::adk::EvalCaseResult;
use scoring::Trace;

pub use config::criteria;
pub use error::Misread;
pub use lazy::LazyTrace;
pub use plain::PlainCase;

/// A case, or a recording of one, as it is scored.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CaseTrace {
    /// The id by which expected and actual side are paired.
    pub eval_id: String,
    /// For people, where there is one: AgentFlow only.
    pub name: Option<String>,
    /// By which cases are chosen.
    pub tags: Vec<String>,
    /// What is expected, or what was done.
    pub trace: Trace,
}

impl CaseTrace {
    /// The trace of a case in any format.
    ///
    /// What a conversion keeps of the other format counts too: a case that was converted gives the
    /// trace that it gave before.
    ///
    /// # Errors
    /// [`Misread`] when accepted trajectories are written in a form that cannot be meant. The
    /// models' own faults are found when the case is read.
    pub fn of(case: &Case) -> Result<Self, Misread> {
        let tags = case.tags();
        match case {
            Case::Adk(case) => adk::case_trace(case, tags),
            Case::AdkLegacy(case) => adk::case_trace(&case.modernised(), tags),
            Case::AgentFlow(case) => agentflow::case_trace(case, tags),
        }
    }

    /// What the agent did in a run that ADK's history tells of.
    #[must_use]
    pub fn of_result(result: &EvalCaseResult) -> Self {
        let turns = result.eval_metric_result_per_invocation.iter();
        let invocations = turns.map(|turn| adk::invocation(&turn.actual_invocation)).collect();
        let trace = Trace { invocations, final_state: result.final_state() };
        Self { eval_id: result.eval_id.clone(), name: None, tags: Vec::new(), trace }
    }
}
