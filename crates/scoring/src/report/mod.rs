//! Reports: the result of every case, and the summary.
//!
//! The types are AgentFlow's `EvalReport` and its parts, with unscored results in addition. The JSON
//! Schema is published as `docs/eval-report.schema.json`.

mod case;
mod changes;
mod eval_run;
mod exact_number;
mod repeats;
mod summary;
mod timeline;
mod why;

pub use case::{CaseVerdict, CriterionResult, EvalCaseResult};
pub use changes::{CaseChange, Change, Compared, Comparison};
pub use eval_run::{EvalRun, RunStatus};
pub use repeats::Repeats;
pub use summary::{CriterionStats, EvalReport, EvalSummary, Sources, TagStats, Tally};
pub use timeline::{TimelineEntry, TimelineKind, timeline};
pub use why::{sentences, why, why_calls};

pub use crate::figure::{figure, figures_apart, short_figure};
