//! [`Stream`]: a file gone through case by case, on this thread or by one that runs ahead.
//!
//! Checking a file and reading its plain cases takes most of the time of a run, and what becomes of
//! a case depends on nothing but its file. So with several threads each side's file has one of its
//! own, and the thread that pairs them finds the cases read. It runs ahead by a bounded number.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use evalset_file::{Cases, FoundCase};

use crate::error::RunError;
use crate::file::FileFacts;
use crate::pairing::{Key, Pairing};
use crate::plain::PlainCases;
use crate::task::{Side, Way};

/// A lot holds so many bytes of text,
const LOT_BYTES: usize = 128 << 10;
/// or so many cases.
const LOT_CASES: usize = 256;
/// So many lots wait at most.
const WAITING: usize = 3;

/// A file that is gone through.
#[derive(Debug)]
pub(crate) struct Stream {
    pub(crate) facts: Arc<FileFacts>,
    source: Source,
    pairing: Pairing,
    peeked: Option<Keyed>,
}

/// A case, and what its partner is found by; none of one that has no partner.
#[derive(Debug)]
pub(crate) struct Keyed {
    pub(crate) found: FoundCase,
    pub(crate) key: Option<Key>,
}

#[derive(Debug)]
enum Source {
    Here(Box<Cases<PlainCases>>),
    Ahead(Ahead),
}

/// What a thread that runs ahead has handed over.
#[derive(Debug)]
struct Ahead {
    lots: Receiver<Result<Lot, RunError>>,
    cases: VecDeque<(Keyed, Side)>,
    /// Of the case that was asked for last.
    side: Option<Side>,
    read: u64,
    ended: bool,
}

/// Some cases.
#[derive(Debug, Default)]
struct Lot {
    cases: VecDeque<(Keyed, Side)>,
    /// How many bytes of the file have been read.
    read: u64,
    is_last: bool,
}

impl Stream {
    pub(crate) fn new(facts: Arc<FileFacts>, cases: Cases<PlainCases>, pairing: Pairing) -> Self {
        Self { facts, source: Source::Here(Box::new(cases)), pairing, peeked: None }
    }

    /// Lets a thread of its own run ahead; nothing of the file may have been asked for.
    pub(crate) fn ahead(self) -> Result<Self, RunError> {
        let Self { facts, source: Source::Here(mut cases), pairing, peeked: None } = self else {
            return Ok(self);
        };
        let (sender, lots) = sync_channel(WAITING);
        let of = Arc::clone(&facts);
        let run = move || hand_over(&of, &mut cases, pairing, &sender);
        std::thread::Builder::new()
            .name("eval set".to_owned())
            .spawn(run)
            .map_err(|cause| RunError::Unreadable { path: facts.path.clone(), cause })?;
        let ahead = Ahead { lots, cases: VecDeque::new(), side: None, read: 0, ended: false };
        Ok(Self { facts, source: Source::Ahead(ahead), pairing, peeked: None })
    }

    /// The next case, left in its place.
    pub(crate) fn peek(&mut self) -> Result<Option<&Keyed>, RunError> {
        match &mut self.source {
            Source::Here(cases) => {
                if self.peeked.is_none() {
                    self.peeked = keyed(&self.facts, cases, self.pairing)?;
                }
                Ok(self.peeked.as_ref())
            }
            Source::Ahead(ahead) => {
                ahead.wait()?;
                Ok(ahead.cases.front().map(|(found, _)| found))
            }
        }
    }

    /// The next case.
    pub(crate) fn next(&mut self) -> Result<Option<Keyed>, RunError> {
        self.peek()?;
        match &mut self.source {
            Source::Here(_) => Ok(self.peeked.take()),
            Source::Ahead(ahead) => {
                let next = ahead.cases.pop_front();
                Ok(next.map(|(found, side)| {
                    ahead.side = Some(side);
                    found
                }))
            }
        }
    }

    /// The case that was asked for last, read or to be read.
    pub(crate) fn side(&mut self, found: &FoundCase) -> Result<Side, RunError> {
        match &mut self.source {
            Source::Here(cases) => side(&self.facts, cases, found),
            Source::Ahead(ahead) => Ok(ahead.side.take().unwrap_or(Side::Absent)),
        }
    }

    /// How many bytes have been read.
    pub(crate) fn read(&self) -> u64 {
        match &self.source {
            Source::Here(cases) => cases.progress().0,
            Source::Ahead(ahead) => ahead.read,
        }
    }
}

impl Ahead {
    /// Waits until a case is there, or the file has ended.
    fn wait(&mut self) -> Result<(), RunError> {
        while self.cases.is_empty() && !self.ended {
            // A thread that goes without a last lot has not come to the end of the file.
            let lot = self.lots.recv().map_err(|_| {
                RunError::Panicked("the thread that reads an eval set is gone".to_owned())
            })??;
            (self.cases, self.read, self.ended) = (lot.cases, lot.read, lot.is_last);
        }
        Ok(())
    }
}

/// Goes through the whole file, until nobody listens any more.
fn hand_over(
    facts: &Arc<FileFacts>,
    cases: &mut Cases<PlainCases>,
    pairing: Pairing,
    lots: &SyncSender<Result<Lot, RunError>>,
) {
    loop {
        let lot = lot(facts, cases, pairing);
        let goes_on = lot.as_ref().is_ok_and(|lot| !lot.is_last);
        if lots.send(lot).is_err() || !goes_on {
            return;
        }
    }
}

fn lot(
    facts: &Arc<FileFacts>,
    cases: &mut Cases<PlainCases>,
    pairing: Pairing,
) -> Result<Lot, RunError> {
    let (mut lot, mut bytes) = (Lot::default(), 0);
    while bytes < LOT_BYTES && lot.cases.len() < LOT_CASES && !lot.is_last {
        match keyed(facts, cases, pairing)? {
            Some(keyed) => {
                let side = side(facts, cases, &keyed.found)?;
                bytes += side.size();
                lot.cases.push_back((keyed, side));
            }
            None => lot.is_last = true,
        }
    }
    lot.read = cases.progress().0;
    Ok(lot)
}

fn keyed(
    facts: &FileFacts,
    cases: &mut Cases<PlainCases>,
    pairing: Pairing,
) -> Result<Option<Keyed>, RunError> {
    let Some(found) = cases.next().transpose()? else { return Ok(None) };
    let key = pairing.key(&found, facts, || cases.text(&found))?;
    Ok(Some(Keyed { found, key }))
}

/// The case, while it is at hand.
fn side(
    facts: &Arc<FileFacts>,
    cases: &mut Cases<PlainCases>,
    found: &FoundCase,
) -> Result<Side, RunError> {
    let facts = Arc::clone(facts);
    let reader = cases.reader();
    let (mut case, way) = match reader.take(found.start) {
        Some(case) => (case, Way::Plain),
        None => (reader.spare(), Way::Unknown),
    };
    cases.text_into(found, case.text_mut())?;
    Ok(Side::Text { facts, case, way, start: found.start, index: found.index })
}
