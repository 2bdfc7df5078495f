//! [`Stream`]: the cases of a file, read on the calling thread or by a thread that reads ahead.
//!
//! Validating a file is independent of the other side. With several threads, each side's file therefore
//! has its own reading thread, which is ahead by a bounded number of batches.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use evalset_file::{Cases, FoundCase};

use crate::error::RunError;
use crate::facts::FileFacts;
use crate::pairing::{Key, Pairing};
use crate::task::Side;

/// A batch ends at this many bytes of text,
const BATCH_BYTES: usize = 128 << 10;
/// or at this many cases.
const BATCH_CASES: usize = 256;
/// The most batches that wait.
const MAX_WAITING: usize = 3;

/// A file being read.
#[derive(Debug)]
pub(crate) struct Stream {
    pub(crate) facts: Arc<FileFacts>,
    source: Source,
    pairing: Pairing,
    peeked: Option<Keyed>,
}

/// A case and its key; `None` if it cannot have a partner.
#[derive(Debug)]
pub(crate) struct Keyed {
    pub(crate) found: FoundCase,
    pub(crate) key: Option<Key>,
}

#[derive(Debug)]
enum Source {
    Here(Box<Cases>),
    Ahead(Ahead),
}

/// The batches of a thread that reads ahead.
#[derive(Debug)]
struct Ahead {
    batches: Receiver<Result<Batch, RunError>>,
    cases: VecDeque<(Keyed, Side)>,
    /// The side of the last returned case.
    side: Option<Side>,
    read: u64,
    ended: bool,
}

/// A batch of cases.
#[derive(Debug, Default)]
struct Batch {
    cases: VecDeque<(Keyed, Side)>,
    /// The number of bytes of the file read.
    read: u64,
    is_last: bool,
}

impl Stream {
    pub(crate) fn new(facts: Arc<FileFacts>, cases: Cases, pairing: Pairing) -> Self {
        Self { facts, source: Source::Here(Box::new(cases)), pairing, peeked: None }
    }

    /// Starts a thread that reads ahead; call before the first case is read.
    pub(crate) fn ahead(self) -> Result<Self, RunError> {
        let Self { facts, source: Source::Here(mut cases), pairing, peeked: None } = self else {
            return Ok(self);
        };
        let (sender, batches) = sync_channel(MAX_WAITING);
        let of = Arc::clone(&facts);
        let run = move || deliver(&of, &mut cases, pairing, &sender);
        std::thread::Builder::new()
            .name("eval set".to_owned())
            .spawn(run)
            .map_err(|cause| RunError::Unreadable { path: facts.path.clone(), cause })?;
        let ahead = Ahead { batches, cases: VecDeque::new(), side: None, read: 0, ended: false };
        Ok(Self { facts, source: Source::Ahead(ahead), pairing, peeked: None })
    }

    /// The next case, without consuming it.
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

    /// The last returned case as a [`Side`].
    pub(crate) fn side(&mut self, found: &FoundCase) -> Result<Side, RunError> {
        match &mut self.source {
            Source::Here(cases) => side(&self.facts, cases, found),
            Source::Ahead(ahead) => Ok(ahead.side.take().unwrap_or(Side::Absent)),
        }
    }

    /// The number of bytes read.
    pub(crate) fn read(&self) -> u64 {
        match &self.source {
            Source::Here(cases) => cases.progress().0,
            Source::Ahead(ahead) => ahead.read,
        }
    }
}

impl Ahead {
    /// Waits for a case or the end of the file.
    fn wait(&mut self) -> Result<(), RunError> {
        while self.cases.is_empty() && !self.ended {
            // A thread that ends without the last batch did not reach the end of the file.
            let batch = self.batches.recv().map_err(|_| {
                RunError::Panicked("the thread that reads an eval set is gone".to_owned())
            })??;
            (self.cases, self.read, self.ended) = (batch.cases, batch.read, batch.is_last);
        }
        Ok(())
    }
}

/// Reads the whole file, or until the receiver is dropped.
fn deliver(
    facts: &Arc<FileFacts>,
    cases: &mut Cases,
    pairing: Pairing,
    batches: &SyncSender<Result<Batch, RunError>>,
) {
    loop {
        let batch = batch(facts, cases, pairing);
        let goes_on = batch.as_ref().is_ok_and(|batch| !batch.is_last);
        if batches.send(batch).is_err() || !goes_on {
            return;
        }
    }
}

fn batch(facts: &Arc<FileFacts>, cases: &mut Cases, pairing: Pairing) -> Result<Batch, RunError> {
    let (mut batch, mut bytes) = (Batch::default(), 0);
    while bytes < BATCH_BYTES && batch.cases.len() < BATCH_CASES && !batch.is_last {
        match keyed(facts, cases, pairing)? {
            Some(keyed) => {
                let side = side(facts, cases, &keyed.found)?;
                bytes += side.size();
                batch.cases.push_back((keyed, side));
            }
            None => batch.is_last = true,
        }
    }
    batch.read = cases.progress().0;
    Ok(batch)
}

fn keyed(
    facts: &FileFacts,
    cases: &mut Cases,
    pairing: Pairing,
) -> Result<Option<Keyed>, RunError> {
    let Some(found) = cases.next().transpose()? else { return Ok(None) };
    let key = pairing.key(&found, facts, || cases.text(&found))?;
    Ok(Some(Keyed { found, key }))
}

/// The case, while its chunk is in memory.
fn side(facts: &Arc<FileFacts>, cases: &Cases, found: &FoundCase) -> Result<Side, RunError> {
    let (facts, text) = (Arc::clone(facts), cases.text(found)?);
    Ok(Side::Text { facts, text, start: found.start, index: found.index })
}
