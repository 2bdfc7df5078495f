//! [`Form`]: the formats of a report.

/// The format of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Form {
    /// For a terminal.
    Text,
    /// The `EvalReport` of `docs/eval-report.schema.json`.
    Json,
    /// JUnit's XML, as CI systems read it.
    Junit,
    /// One page that needs nothing else.
    Html,
    /// For a comment on a pull request.
    Markdown,
}
