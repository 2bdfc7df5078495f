//! [`CaseReader`]: reads cases during the scan.
//!
//! The scan has found the tokens, and checked strings, numbers and literals. So a reader
//! that knows what it looks for goes from token to token and looks at few bytes, and the scan need
//! not follow the same tokens again.

use std::fmt;

/// The tokens of a case and of the rest of its chunk.
#[derive(Debug, Clone, Copy)]
pub struct CaseTokens<'b> {
    /// The chunk. It may be cut inside of a case, and has not been found to be UTF-8 yet.
    pub bytes: &'b [u8],
    /// Where tokens begin in it, the case's `{` first: each of `{ } [ ] , :`, the opening quote of
    /// each string, and the first byte of each number or word, of which `NaN` and `Infinity` are
    /// some.
    pub starts: &'b [u32],
    /// Where stretches of 64 bytes begin in which something is escaped in a string, in order.
    pub escapes: &'b [u32],
}

/// What a reader has made of a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadCase {
    /// How many tokens the case has, its last `}` included.
    pub tokens: usize,
    /// Its id.
    pub eval_id: String,
    /// Its number of turns.
    pub turns: u64,
}

/// Reads cases while the file is gone through.
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
