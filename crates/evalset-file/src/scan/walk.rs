//! [`Walk`]: the same scan, chunk by chunk, which yields the cases one by one.

use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

use super::masks::BLOCK;
use super::reader::{CaseReader, CaseTokens, ReadCase};
use super::structure::Structure;
use super::tokens::Batch;
use super::utf8::Utf8;
use super::{AHEAD, LastCase, Outline, Sink, SyntaxFault, ask_for};

/// Bytes read at a time; a multiple of the block. More than in a scan without a case reader, because a
/// case across two chunks is read again.
const AT_HAND: usize = 256 << 10;

/// A case found by the scan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Passed {
    pub(crate) case: LastCase,
    pub(crate) eval_id: Option<String>,
    pub(crate) turns: u64,
}

/// A scan in progress. It has one chunk, and the cases that ended in it.
#[derive(Debug)]
pub(crate) struct Walk<R = ()> {
    length: u64,
    at: u64,
    /// The offset of the current chunk.
    chunk: u64,
    asked: u64,
    structure: Structure,
    utf8: Utf8,
    batch: Batch,
    buffer: Vec<u8>,
    events: CaseEvents<R>,
    outline: Option<Outline>,
    /// The fault after the last cases found.
    fault: Option<SyntaxFault>,
    /// Whether a set must have an id.
    needs_id: bool,
}

#[derive(Debug)]
struct CaseEvents<R> {
    reader: R,
    eval_id: Option<String>,
    passed: VecDeque<Passed>,
}

impl<R: CaseReader> Sink for CaseEvents<R> {
    fn eval_id(&mut self, id: &str, _: u64, _: u64) -> io::Result<()> {
        self.eval_id = Some(id.to_owned());
        Ok(())
    }

    fn invocation_id(&mut self, _: &str, _: u64, _: u64) -> io::Result<()> {
        Ok(())
    }

    fn case(&mut self, case: LastCase, turns: u64) -> io::Result<()> {
        self.passed.push_back(Passed { case, eval_id: self.eval_id.take(), turns });
        Ok(())
    }

    fn read_case(&mut self, start: u64, tokens: CaseTokens<'_>) -> Option<ReadCase> {
        let mut read = self.reader.read(start, tokens)?;
        self.eval_id = Some(std::mem::take(&mut read.eval_id));
        Some(read)
    }
}

impl<R: CaseReader> Walk<R> {
    /// At the start of a file of `length` bytes.
    pub(crate) fn new(length: u64, reader: R) -> Self {
        Self {
            length,
            at: 0,
            chunk: 0,
            asked: 0,
            structure: Structure::new(),
            utf8: Utf8::default(),
            batch: Batch::of(AT_HAND / BLOCK),
            buffer: vec![0; AT_HAND],
            events: CaseEvents { reader, eval_id: None, passed: VecDeque::new() },
            outline: None,
            fault: None,
            needs_id: true,
        }
    }

    /// Accepts a set without an id.
    pub(crate) fn without_id(mut self) -> Self {
        self.needs_id = false;
        self
    }

    /// Accepts ADK's older lists; call it before the first read.
    pub(crate) fn with_older_lists(mut self) -> Self {
        self.structure = self.structure.with_older_lists();
        self
    }

    /// Whether the file is an older list.
    pub(crate) fn is_older(&self) -> bool {
        self.structure.is_older()
    }

    /// Whether the file is a list whose items are the turns of one case.
    pub(crate) fn is_one_case(&self) -> bool {
        self.structure.is_one_case()
    }

    /// The case reader.
    pub(crate) fn reader(&mut self) -> &mut R {
        &mut self.events.reader
    }

    /// The number of bytes read.
    pub(crate) fn read(&self) -> u64 {
        self.at
    }

    /// The length of the file.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// The bytes of a range, if it is in the current chunk.
    pub(crate) fn at_hand(&self, from: u64, to: u64) -> Option<&[u8]> {
        let begin = usize::try_from(from.checked_sub(self.chunk)?).ok()?;
        let length = usize::try_from(self.at - self.chunk).ok()?;
        self.buffer.get(..length)?.get(begin..usize::try_from(to - self.chunk).ok()?)
    }

    /// The outline of the file, after it is read completely.
    pub(crate) fn outline(&self) -> Option<&Outline> {
        self.outline.as_ref()
    }

    /// The next case; `None` at the end of a valid file.
    ///
    /// # Errors
    /// The outer error is an I/O error; the inner one is a fault of the file.
    pub(crate) fn next(&mut self, file: &File) -> io::Result<Result<Option<Passed>, SyntaxFault>> {
        loop {
            if let Some(passed) = self.events.passed.pop_front() {
                return Ok(Ok(Some(passed)));
            }
            if let Some(fault) = self.fault {
                return Ok(Err(fault));
            }
            if self.outline.is_some() {
                return Ok(Ok(None));
            }
            if self.at >= self.length {
                if !self.utf8.is_between() {
                    return Ok(Err(SyntaxFault::invalid(self.length, "the text is not UTF-8")));
                }
                let finished = match self.needs_id {
                    true => self.structure.finish(self.length),
                    false => self.structure.finish_with_cases(self.length),
                };
                match finished {
                    Ok(outline) => self.outline = Some(outline),
                    Err(fault) => return Ok(Err(fault)),
                }
                continue;
            }
            if let Err(fault) = self.read_chunk(file)? {
                // The cases before it are returned first.
                self.events.passed.retain(|passed| passed.case.end <= fault.at);
                self.fault = Some(fault);
            }
        }
    }

    fn read_chunk(&mut self, file: &File) -> io::Result<Result<(), SyntaxFault>> {
        if self.asked < self.length && self.asked - self.at <= AHEAD / 2 {
            ask_for(file, self.asked..(self.at + AHEAD).min(self.length));
            self.asked = self.at + AHEAD;
        }
        let wanted = usize::try_from(self.length - self.at).unwrap_or(AT_HAND).min(AT_HAND);
        file.read_exact_at(&mut self.buffer[..wanted], self.at)?;
        self.chunk = self.at;
        self.at += wanted as u64;
        let padded = wanted.next_multiple_of(BLOCK);
        self.buffer[wanted..padded].fill(b' ');
        self.events.reader.next_chunk();
        let (blocks, _) = self.buffer[..padded].as_chunks::<BLOCK>();
        let high = match self.structure.take(blocks, &mut self.batch, &mut self.events)? {
            Ok(high) => high,
            Err(fault) => return Ok(Err(SyntaxFault { at: fault.at.min(self.length), ..fault })),
        };
        if (high || !self.utf8.is_between())
            && let Err(index) = self.utf8.take(&self.buffer[..wanted])
        {
            return Ok(Err(SyntaxFault::invalid(
                self.chunk + index as u64,
                "the text is not UTF-8",
            )));
        }
        Ok(Ok(()))
    }
}
