//! [`CaseReader`]: reads cases during the scan.
//!
//! The scan has found the tokens, and checked strings, numbers and literals. So a reader
//! for known fields can skip from token to token, and the scan does not process these tokens again.

use std::fmt;

/// The tokens of a case and of the rest of its chunk.
#[derive(Debug, Clone, Copy)]
pub struct CaseTokens<'b> {
    /// The chunk. It may end within a case, and is not checked as UTF-8 yet.
    pub bytes: &'b [u8],
    /// The offsets of its tokens, from the case's `{` on: each of `{ } [ ] , :`, the opening quote of each
    /// string, and the first byte of each number or literal, including `NaN` and `Infinity`.
    pub starts: &'b [u32],
    /// The offsets of blocks of 64 bytes with an escape in a string, in order.
    pub escapes: &'b [u32],
}

/// The result of reading a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadCase {
    /// The number of its tokens, including the last `}`.
    pub tokens: usize,
    /// Its id.
    pub eval_id: String,
    /// Its number of turns.
    pub turns: u64,
}

/// Reads cases during the scan.
pub trait CaseReader: fmt::Debug {
    /// The current chunk is dropped; results from it are not requested any more.
    fn next_chunk(&mut self) {}

    /// Reads the case that begins at `start` of the file. The reader must check that its tokens form a
    /// JSON object; `None` leaves the case to the scan, which reports its faults.
    fn read(&mut self, start: u64, tokens: CaseTokens<'_>) -> Option<ReadCase>;
}

/// Reads none.
impl CaseReader for () {
    fn read(&mut self, _: u64, _: CaseTokens<'_>) -> Option<ReadCase> {
        None
    }
}
