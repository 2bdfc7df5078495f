//! [`ReadError`]: why a text is not a report.

/// Why a text is not a report: where, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// There is nothing in it.
    #[error("The file is empty. {REMEDY}")]
    Empty,
    /// It is not JSON.
    #[error("Line {line}, column {column} is not valid JSON: {reason}. {REMEDY}")]
    NotJson {
        /// From 1.
        line: usize,
        /// From 1.
        column: usize,
        /// What is wrong there.
        reason: String,
    },
    /// It is a file of another kind.
    #[error("This is {what}. {remedy}")]
    OtherFile {
        /// What it looks like, with its article.
        what: &'static str,
        /// How to get a report of it.
        remedy: &'static str,
    },
    /// A part has the wrong type.
    #[error("{path} (line {line}, column {column}): {reason}. {REMEDY}")]
    Shape {
        /// The part, as `results[3].criterion_results[0].score`.
        path: String,
        /// From 1.
        line: usize,
        /// From 1.
        column: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// A part contradicts another.
    #[error("{path}: {reason}. {REMEDY}")]
    Rule {
        /// The part.
        path: String,
        /// The rule that it breaks.
        reason: String,
    },
}

/// How to create a report.
const REMEDY: &str = "Create a report with `rehearsal score --format json --output FILE`.";
