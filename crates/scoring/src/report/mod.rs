//! Reports: what became of every case, and of all together.
//!
//! The shapes are AgentFlow's `EvalReport` and its parts, with what unscored adds to them. The
//! JSON Schema is published as `docs/eval-report.schema.json`.

mod case;
mod exact;
mod summary;

pub use case::{CaseVerdict, CriterionResult, EvalCaseResult};
pub use summary::{CriterionStats, EvalReport, EvalSummary, Tally};
