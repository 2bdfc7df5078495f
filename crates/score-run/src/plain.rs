//! [`PlainCases`]: reads plain cases during the scan of their file.

use std::collections::VecDeque;
use std::sync::Arc;

use case_trace::PlainCase;
use evalset_file::{CaseReader, CaseTokens, OneCase, ReadCase};

use crate::buffer_pool::{BufferPool, PooledBuffers};

/// Reads the plain cases of an ADK file during the scan; other cases are parsed later.
#[derive(Debug)]
pub(crate) struct PlainCases {
    is_adk: bool,
    /// The cases of the current chunk, by their start.
    read: VecDeque<(u64, Box<PlainCase>)>,
    spare: PooledBuffers,
    buffers: Arc<BufferPool>,
}

impl PlainCases {
    pub(crate) fn new(is_adk: bool, buffers: &Arc<BufferPool>) -> Self {
        Self {
            is_adk,
            read: VecDeque::new(),
            spare: PooledBuffers::default(),
            buffers: Arc::clone(buffers),
        }
    }

    /// The case that begins at `start`, if it was read, with an empty buffer for its text.
    pub(crate) fn take(&mut self, start: u64) -> Option<Box<PlainCase>> {
        while let Some((begins, case)) = self.read.pop_front_if(|(begins, _)| *begins <= start) {
            if begins == start {
                return Some(self.with_text(case));
            }
            self.spare.cases.push(case);
        }
        None
    }

    /// An empty case with a text buffer.
    pub(crate) fn spare(&mut self) -> Box<PlainCase> {
        let case = self.case();
        self.with_text(case)
    }

    fn case(&mut self) -> Box<PlainCase> {
        if self.spare.cases.is_empty() {
            self.buffers.fill(&mut self.spare);
        }
        self.spare.cases.pop().unwrap_or_default()
    }

    fn with_text(&mut self, mut case: Box<PlainCase>) -> Box<PlainCase> {
        if self.spare.texts.is_empty() {
            self.buffers.fill(&mut self.spare);
        }
        *case.text_mut() = self.spare.texts.pop().unwrap_or_default();
        case
    }
}

impl CaseReader for PlainCases {
    fn next_chunk(&mut self) {
        self.spare.cases.extend(self.read.drain(..).map(|(_, case)| case));
    }

    fn read(&mut self, start: u64, tokens: CaseTokens<'_>) -> Option<ReadCase> {
        if !self.is_adk {
            return None;
        }
        let mut case = self.case();
        match fill(&mut case, tokens) {
            Some(read) => {
                self.read.push_back((start, case));
                Some(read)
            }
            None => {
                self.spare.cases.push(case);
                None
            }
        }
    }
}

fn fill(case: &mut PlainCase, tokens: CaseTokens<'_>) -> Option<ReadCase> {
    let CaseTokens { bytes, starts, escapes } = tokens;
    let count = case.fill(bytes, starts, escapes)?;
    let begin = *starts.first()? as usize;
    let eval_id = case.eval_id_in(bytes.get(begin..)?)?;
    Some(ReadCase { tokens: count, eval_id, turns: case.turns() as u64 })
}

/// Reads a case from its own text; returns whether it is plain.
pub(crate) fn read_alone(case: &mut PlainCase) -> bool {
    let text = std::mem::take(case.text_mut());
    let tokens = OneCase::of(&text);
    let is_plain = tokens.is_some_and(|one| {
        let CaseTokens { bytes, starts, escapes } = one.tokens();
        case.fill(bytes, starts, escapes) == Some(starts.len()) && starts.first() == Some(&0)
    });
    *case.text_mut() = text;
    is_plain
}
