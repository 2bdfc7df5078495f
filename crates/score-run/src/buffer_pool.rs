//! [`BufferPool`]: the buffers of scored cases, for reuse.
//!
//! Allocating a case costs more than scoring it. Buffers move in batches, so that threads rarely
//! contend for the pool.

use std::sync::{Mutex, PoisonError};

use case_trace::PlainCase;

/// Buffers of cases, boxed because they move between threads often.
pub(crate) type Buffers = Vec<Box<PlainCase>>;

/// The most buffers kept,
const MAX_KEPT: usize = 4096;
/// and the longest text kept, in bytes.
const MAX_TEXT: usize = 64 << 10;
/// How many buffers move at a time.
const BATCH: usize = 64;

/// The buffers of scored cases, shared by all threads.
#[derive(Debug, Default)]
pub(crate) struct BufferPool(Mutex<PooledBuffers>);

/// Buffers of cases and of texts. They are separate because many cases are read at a time and get their texts
/// one by one, so a few texts are reused and stay in the CPU cache.
#[derive(Debug, Default)]
pub(crate) struct PooledBuffers {
    pub(crate) cases: Buffers,
    pub(crate) texts: Vec<String>,
}

impl BufferPool {
    /// Refills what is empty in `spare`.
    pub(crate) fn fill(&self, spare: &mut PooledBuffers) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if spare.cases.is_empty() {
            let rest = kept.cases.len().saturating_sub(BATCH);
            spare.cases.extend(kept.cases.drain(rest..));
        }
        if spare.texts.is_empty() {
            let rest = kept.texts.len().saturating_sub(BATCH);
            spare.texts.extend(kept.texts.drain(rest..));
        }
    }

    /// Returns the buffers of scored cases to the pool.
    pub(crate) fn give_back(&self, used: &mut Buffers) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for mut case in used.drain(..) {
            let text = std::mem::take(case.text_mut());
            if kept.cases.len() < MAX_KEPT && text.capacity() <= MAX_TEXT {
                kept.cases.push(case);
                kept.texts.push(text);
            }
        }
    }
}
