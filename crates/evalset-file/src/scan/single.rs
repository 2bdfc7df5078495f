//! [`OneCase`]: the tokens of a case, given as text.

use super::masks::BLOCK;
use super::reader::CaseTokens;
use super::tokens::{Batch, Tokens};

/// A case's text, and the offsets of its tokens.
#[derive(Debug)]
pub struct OneCase {
    padded: Vec<u8>,
    batch: Batch,
    count: usize,
}

impl OneCase {
    /// Finds the tokens; `None` if a string, number or literal is invalid.
    #[must_use]
    pub fn of(text: &str) -> Option<Self> {
        let mut padded = text.as_bytes().to_vec();
        padded.resize(text.len().next_multiple_of(BLOCK), b' ');
        let (blocks, _) = padded.as_chunks::<BLOCK>();
        let (mut batch, mut tokens) = (Batch::of(blocks.len()), Tokens::at(0));
        let (count, filled) = batch.fill(blocks, &mut tokens);
        filled.and_then(|_| tokens.finish()).ok()?;
        Some(Self { padded, batch, count })
    }

    /// Its tokens.
    #[must_use]
    pub fn tokens(&self) -> CaseTokens<'_> {
        let (starts, escapes) = (self.batch.starts(self.count), self.batch.escapes());
        CaseTokens { bytes: &self.padded, starts, escapes }
    }
}
