//! Converts the cases of eval sets to the traces that metrics compare.
//!
//! Only this crate uses the models of both `evalset` and `scoring`. The same conversion serves both
//! sides: expected cases, and actual cases from another eval set or from ADK's history.
//!
//! Left to others: reading files, pairing cases, scoring.
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
//! # Ok::<(), case_trace::InvalidField>(())
//! ```

mod accepted;
mod adk;
mod agentflow;
mod config;
mod error;
mod expected_state;
mod member;
mod rubrics;

use evalset::adk::EvalCaseResult;
use evalset::{Case, CaseFault, CaseLocation, Origin, Problem, path_of};
use scoring::Trace;

use crate::accepted::Accepted;

pub use config::criteria;
pub use error::InvalidField;
pub use rubrics::CaseRubrics;

/// An expected or actual case, as it is scored.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CaseTrace {
    /// The id by which expected and actual side are paired.
    pub eval_id: String,
    /// The display name, which only AgentFlow has.
    pub name: Option<String>,
    /// Tags, to select cases.
    pub tags: Vec<String>,
    /// The expected or actual trace.
    pub trace: Trace,
    /// Rubrics besides those of the criteria, which only ADK has.
    pub rubrics: CaseRubrics,
}

impl CaseTrace {
    /// The trace of a case in any format.
    ///
    /// The leftovers of a conversion are included: a converted case gives the same trace as before.
    ///
    /// # Errors
    /// [`InvalidField`] for invalid accepted trajectories. Other faults are found when the case is read.
    pub fn of(case: &Case) -> Result<Self, InvalidField> {
        let tags = case.tags();
        match case {
            Case::Adk(case) => adk::case_trace(case, tags),
            Case::AdkLegacy(case) => adk::case_trace(&case.to_current(), tags),
            // A converted ADK case is restored.
            Case::AgentFlow(flow) if agentflow::keeps_adk(flow) => {
                let trace = adk::case_trace(&case.clone().into_adk(), tags)?;
                Ok(Self { name: agentflow::name(flow), ..trace })
            }
            Case::AgentFlow(case) => agentflow::case_trace(case, tags),
        }
    }

    /// The trace of an expected case.
    ///
    /// # Errors
    /// Those of [`CaseTrace::of`], and an invalid query for the final state. The same state in an actual
    /// case is not an error.
    pub fn of_expected(case: &Case) -> Result<Self, InvalidField> {
        expected_state::invalid_state_query(case).map_or_else(|| Self::of(case), Err)
    }

    /// All faults in the fields that only scoring reads: accepted trajectories, and the expected final
    /// state. `text` is the text of the case, which begins at `origin` in its file.
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
    ///      name each turn once, by its invocation_id or its index, such as \"#0\""
    /// );
    /// ```
    #[must_use]
    pub fn faults(case: &Case, text: &str, origin: Origin<'_>) -> Vec<CaseFault> {
        let fault = |invalid_field: InvalidField| {
            let InvalidField { eval_id, path, fault, remedy } = invalid_field;
            let (line, column) = origin.place(text, &path);
            let index = origin.case.unwrap_or_default();
            let case = Some(CaseLocation { index, eval_id: Some(eval_id) });
            let problem = Problem::NotScored { fault, remedy };
            CaseFault { case, path: path_of(&path), line, column, problem }
        };
        let invalid_field =
            accepted(case).faults.into_iter().chain(expected_state::invalid_state_query(case));
        let mut faults: Vec<CaseFault> = invalid_field.map(fault).collect();
        faults.sort_by_key(|fault| (fault.line, fault.column));
        faults
    }

    /// The trace of a case in ADK's history.
    #[must_use]
    pub fn of_result(result: &EvalCaseResult) -> Self {
        let turns = result.eval_metric_result_per_invocation.iter();
        let invocations =
            turns.map(|turn| adk::invocation(&turn.actual_invocation, None)).collect();
        let trace = Trace { invocations, final_state: result.final_state() };
        Self { eval_id: result.eval_id.clone(), trace, ..Self::default() }
    }
}

/// The accepted trajectories of a case in any format; ADK's older lists have none.
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
