//! [`Room`]: what held cases that have been scored, for the next ones.
//!
//! Making room anew for each case costs more than what is done with it. It is handed on in lots, so
//! that threads seldom meet here.

use std::sync::{Mutex, PoisonError};

use case_trace::PlainCase;

/// Some of them. In boxes, because they go through many hands.
pub(crate) type Lot = Vec<Box<PlainCase>>;

/// So many are kept,
const MOST: usize = 4096;
/// and none whose text is longer than this.
const LONG: usize = 64 << 10;
/// So many are handed on at a time.
const LOT: usize = 64;

/// What held cases that have been scored.
#[derive(Debug, Default)]
pub(crate) struct Room(Mutex<Spare>);

/// Cases and texts apart: cases are read many at a time and put with their texts one by one, and few
/// texts that are used again and again stay in the cache.
#[derive(Debug, Default)]
pub(crate) struct Spare {
    pub(crate) cases: Lot,
    pub(crate) texts: Vec<String>,
}

impl Room {
    /// Puts some of what there is in the place of nothing.
    pub(crate) fn fill(&self, spare: &mut Spare) {
        let mut room = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if spare.cases.is_empty() {
            let rest = room.cases.len().saturating_sub(LOT);
            spare.cases.extend(room.cases.drain(rest..));
        }
        if spare.texts.is_empty() {
            let rest = room.texts.len().saturating_sub(LOT);
            spare.texts.extend(room.texts.drain(rest..));
        }
    }

    /// Takes cases back.
    pub(crate) fn give(&self, lot: &mut Lot) {
        let mut room = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for mut case in lot.drain(..) {
            let text = std::mem::take(case.text_mut());
            if room.cases.len() < MOST && text.capacity() <= LONG {
                room.cases.push(case);
                room.texts.push(text);
            }
        }
    }
}
