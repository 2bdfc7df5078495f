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
mod asked;
mod config;
mod error;
mod lazy;
mod plain;

use evalset::adk::EvalCaseResult;
use evalset::{Case, CaseLocation, Fault, Origin, Problem, path_of};
use scoring::Trace;

use crate::accepted::Accepted;

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
            Case::AdkLegacy(case) => adk::case_trace(&case.to_current(), tags),
            Case::AgentFlow(case) => agentflow::case_trace(case, tags),
        }
    }

    /// The trace of a case that says what is expected.
    ///
    /// # Errors
    /// Those of [`CaseTrace::of`], and a state after the last turn that cannot be asked for. As what
    /// an agent did such a state is no error.
    pub fn of_expected(case: &Case) -> Result<Self, Misread> {
        asked::unaskable(case).map_or_else(|| Self::of(case), Err)
    }

    /// All that is wrong in what is read of a case for scoring alone: its other accepted
    /// trajectories, and the state that it expects. `text` is the case's, which begins at `origin` in its file.
    ///
    /// ```
    /// use case_trace::CaseTrace;
    /// use evalset::{Format, Origin, read_case};
    ///
    /// let text = r##"{"eval_id": "a", "conversation": [{"user_content": {}}],
    ///     "accepted_trajectories": {"#0": [[{"name": "f"}]], "#1": []}}"##;
    /// let (case, _) = read_case(text, Format::Adk, Origin::default());
    /// let faults = CaseTrace::faults(&case.expect("a case"), text, Origin::default());
    /// assert_eq!(
    ///     faults[0].to_string(),
    ///     "line 2, column 62, case \"a\" at accepted_trajectories.#1: there is no turn \"#1\"; \
    ///      name a turn once, by its invocation_id, or by its place: \"#0\""
    /// );
    /// ```
    #[must_use]
    pub fn faults(case: &Case, text: &str, origin: Origin<'_>) -> Vec<Fault> {
        let fault = |misread: Misread| {
            let Misread { eval_id, path, fault, remedy } = misread;
            let (line, column) = origin.place(text, &path);
            let index = origin.case.unwrap_or_default();
            let case = Some(CaseLocation { index, eval_id: Some(eval_id) });
            let problem = Problem::NotScored { fault, remedy };
            Fault { case, path: path_of(&path), line, column, problem }
        };
        let misread = accepted(case).faults.into_iter().chain(asked::unaskable(case));
        let mut faults: Vec<Fault> = misread.map(fault).collect();
        faults.sort_by_key(|fault| (fault.line, fault.column));
        faults
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

/// What is accepted in a case of any format; ADK's older lists keep nothing of the kind.
fn accepted(case: &Case) -> Accepted {
    match case {
        Case::Adk(case) => Accepted::of_adk(case, adk::kept(case).as_ref()),
        Case::AdkLegacy(_) => Accepted::default(),
        Case::AgentFlow(case) if agentflow::keeps_adk(case) => {
            let case = Case::AgentFlow(case.clone()).into_adk();
            Accepted::of_adk(&case, adk::kept(&case).as_ref())
        }
        Case::AgentFlow(case) => Accepted::of_agentflow(case),
    }
}
