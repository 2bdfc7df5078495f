//! [`Outline`]: the offsets in an eval-set file that an append needs.

use super::reader::{CaseTokens, ReadCase};

/// Byte offsets from the start of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Outline {
    /// The `[` of `eval_cases`.
    pub(crate) list_open: u64,
    /// The `]` of `eval_cases`.
    pub(crate) list_close: u64,
    /// The last case, if there is one.
    pub(crate) last: Option<LastCase>,
    /// How many cases there are.
    pub(crate) cases: u64,
}

/// The offsets of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LastCase {
    /// The `,` or `[` before it.
    pub(crate) parting: u64,
    /// Its `{`.
    pub(crate) start: u64,
    /// The byte after its `}`.
    pub(crate) end: u64,
}

/// Receives the ids in a file.
pub(crate) trait Sink {
    /// A case's id, the offset of its opening quote, and the offset of its case.
    ///
    /// # Errors
    /// The sink's own writing may fail.
    fn eval_id(&mut self, id: &str, at: u64, case: u64) -> std::io::Result<()>;
    /// The same for an invocation's.
    ///
    /// # Errors
    /// The sink's own writing may fail.
    fn invocation_id(&mut self, id: &str, at: u64, case: u64) -> std::io::Result<()>;
    /// A case has ended; it has so many turns.
    ///
    /// # Errors
    /// The sink's own writing may fail.
    fn case(&mut self, _case: LastCase, _turns: u64) -> std::io::Result<()> {
        Ok(())
    }
    /// A case begins at `start`. A sink that reads the whole case here returns the result, and then only
    /// gets its end; `None` leaves it to the scan.
    fn read_case(&mut self, _start: u64, _tokens: CaseTokens<'_>) -> Option<ReadCase> {
        None
    }
}
