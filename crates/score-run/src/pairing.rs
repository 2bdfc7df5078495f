//! [`Pairing`]: how the cases of both sides are paired.

use case_trace::CaseTrace;
use evalset_file::FoundCase;
use scoring::Trace;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::facts::{FileFacts, Whole};

/// How the cases of both sides are paired.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pairing {
    /// The same `eval_id`.
    #[default]
    Id,
    /// The same index, counted over all files of a side in their order.
    Order,
    /// The same user messages in every turn. Several such cases are paired in order.
    Query,
}

/// A hash of an id or of the user messages.
pub(crate) type Key = u64;

impl Pairing {
    /// The end of the message "no case …".
    pub(crate) fn partner(self) -> &'static str {
        match self {
            Self::Id => "with this id",
            Self::Order => "at this place",
            Self::Query => "with the same user messages",
        }
    }

    /// The key of a found case; `None` if it cannot have a partner. `text` gives its text.
    pub(crate) fn key<E>(
        self,
        found: &FoundCase,
        facts: &FileFacts,
        text: impl FnOnce() -> Result<String, E>,
    ) -> Result<Option<Key>, E> {
        Ok(match self {
            Self::Id => found.eval_id.as_deref().map(of_id),
            Self::Order => Some(found.index),
            Self::Query => {
                let case = facts.read(&text()?, found.start, found.index, CaseTrace::of);
                case.ok().and_then(|case| of_query(&case.trace))
            }
        })
    }

    /// The key of a case of a history file.
    pub(crate) fn key_of_whole(self, whole: &Whole, place: u64) -> Option<Key> {
        match self {
            Self::Id => Some(of_id(&whole.0)),
            Self::Order => Some(place),
            Self::Query => whole.1.as_ref().ok().and_then(|case| of_query(&case.trace)),
        }
    }
}

/// The key of an id.
pub(crate) fn of_id(eval_id: &str) -> Key {
    xxh3_64(eval_id.as_bytes())
}

fn of_query(trace: &Trace) -> Option<Key> {
    let mut hash = Xxh3::new();
    for turn in &trace.invocations {
        hash.update(turn.user_text.as_bytes());
        for part in turn.user_parts.iter().flatten() {
            hash.update(part.compact().as_str().as_bytes());
        }
        // UTF-8 text never has this byte, so it separates turns.
        hash.update(&[0xff]);
    }
    (!trace.invocations.is_empty()).then(|| hash.digest())
}
