//! Reads, appends to and edits eval-set files, in constant memory and durably.
//!
//! An append reads the file once, and rewrites only the bytes after the last case, in place, with an undo
//! journal beside the file; all earlier bytes stay.
//! The reasons are in `docs/design/eval-set-append.md`.
//!
//! What this crate leaves to others: the models and their text (`evalset`).
//!
//! ```
//! use evalset::adk::{Content, EvalCase, EvalSetHeader, Invocation};
//! use evalset_file::{Appended, EvalSetFiles};
//!
//! # let folder = tempfile::tempdir().expect("a folder");
//! # let folder = folder.path();
//! let files = EvalSetFiles::within([folder.to_owned()]);
//! let turn = Invocation::new("s1_inv_0", Content::user("5 + 3?"));
//! let case = EvalCase::new("math_agent_2025-12-23T14:30:00", vec![turn]);
//! let header = EvalSetHeader {
//!     eval_set_id: "math_agent_evals".to_owned(),
//!     name: "MathAgent".to_owned(),
//!     creation_timestamp: 1_766_500_200.into(),
//! };
//! let path = folder.join("evals/math.evalset.json");
//! let first = files.append(&path, case.clone(), &header)?;
//! assert!(matches!(first, Appended::Added { new_file: true, .. }));
//! let again = files.append(&path, case, &header)?;
//! assert!(matches!(again, Appended::AlreadyThere { eval_id, .. } if eval_id.starts_with("math")));
//! # Ok::<(), evalset_file::AppendError>(())
//! ```

mod append;
mod cases;
mod checked;
mod edit;
mod error;
mod explain;
mod files;
mod identity;
mod journal;
mod line_column;
mod lock;
mod numbers;
mod place;
mod scan;
mod separator;
mod write;
mod write_step;

pub use append::{Appended, Appender};
pub use cases::{Cases, FoundCase, stem};
pub use checked::{Checked, CheckedCase, CheckedCases};
pub use edit::{CaseAt, Edited};
pub use error::AppendError;
pub use files::EvalSetFiles;
pub use line_column::LineColumn;

#[doc(hidden)]
pub use write_step::{WriteObserver, WriteStep};
