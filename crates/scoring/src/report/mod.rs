//! Reports: what became of every case, and of all together.
//!
//! The shapes are AgentFlow's `EvalReport` and its parts, with what unscored adds to them. The
//! JSON Schema is published as `docs/eval-report.schema.json`.

mod case;
mod exact;
mod figure;
mod summary;

pub use case::{CaseVerdict, CriterionResult, EvalCaseResult};
pub use figure::{figure, short_figure};
pub use summary::{CriterionStats, EvalReport, EvalSummary, Tally};
