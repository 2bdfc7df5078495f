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
pub(crate) const LOT: usize = 64;

/// What held cases that have been scored.
#[derive(Debug, Default)]
pub(crate) struct Room(Mutex<Vec<Lot>>);

impl Room {
    /// A lot of them, or none at the beginning.
    pub(crate) fn take(&self) -> Lot {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    /// Gives a lot back; nothing is left of it.
    pub(crate) fn give(&self, lot: &mut Lot) {
        lot.retain_mut(|case| case.text_mut().capacity() <= LONG);
        let lot = std::mem::take(lot);
        let mut lots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if lots.len() < MOST / LOT && !lot.is_empty() {
            lots.push(lot);
        }
    }
}
