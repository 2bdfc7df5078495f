//! [`StoredResults`]: the results of one session that are too large for the browser.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agents::spill_store::{MemoryBound, SpillStore};
use api::ResultSlice;
use json_text::JsonText;
use session::{CallId, StoredResult, ToolResult};

/// Longer results stay on the host.
pub(crate) const STORED_OVER_BYTES: usize = 1024 * 1024;
/// How much of a stored result the page receives at first.
const HEAD_BYTES: usize = 64 * 1024;
/// How much of a stored result the page receives for each further request.
const SLICE_BYTES: u64 = 256 * 1024;

/// The stored results of one session.
pub(crate) struct StoredResults(Mutex<Entries>);

struct Entries {
    store: SpillStore,
    numbers: HashMap<CallId, usize>,
}

impl StoredResults {
    pub(crate) fn new(bound: Arc<MemoryBound>) -> Self {
        Self(Mutex::new(Entries { store: SpillStore::new(bound), numbers: HashMap::new() }))
    }

    fn entries(&self) -> MutexGuard<'_, Entries> {
        // Plain data: a panic elsewhere leaves it consistent.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stores a result and returns the part for the page.
    ///
    /// # Errors
    /// The operating system's, if the memory is used up and the disk cannot store it.
    pub(crate) fn keep(&self, call_id: &CallId, result: JsonText) -> std::io::Result<StoredResult> {
        let text = result.as_str();
        let kept = StoredResult {
            bytes: result.byte_len() as u64,
            head: text[..text.floor_char_boundary(HEAD_BYTES)].to_owned(),
            is_warning: ToolResult::Whole(result.clone()).is_warning(),
        };
        let mut entries = self.entries();
        let number = entries.store.put(result)?;
        entries.numbers.insert(call_id.clone(), number);
        Ok(kept)
    }

    /// A part of a result; `None` if no result is stored for this call.
    ///
    /// # Errors
    /// The operating system's, if the part cannot be read.
    pub(crate) fn slice(
        &self,
        call_id: &CallId,
        offset: u64,
    ) -> std::io::Result<Option<ResultSlice>> {
        let mut entries = self.entries();
        let Some(number) = entries.numbers.get(call_id).copied() else { return Ok(None) };
        let part = entries.store.part(number, offset, SLICE_BYTES)?;
        Ok(part.map(|(offset, text, total)| ResultSlice { offset, text, total }))
    }

    /// A whole result, for export; `None` if no result is stored for this call.
    ///
    /// # Errors
    /// The operating system's, if it cannot be read.
    pub(crate) fn whole(&self, call_id: &CallId) -> std::io::Result<Option<JsonText>> {
        let mut entries = self.entries();
        match entries.numbers.get(call_id).copied() {
            Some(number) => entries.store.whole(number),
            None => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stores_results_by_call_id() {
        let stored = StoredResults::new(MemoryBound::new(0));
        let call = |id| CallId::parse(id).expect("valid");
        let text = format!(r#"{{"error": {:?}}}"#, "é".repeat(700_000));
        let kept = stored.keep(&call("c1"), JsonText::parse(&text).expect("valid")).expect("kept");
        assert!(kept.is_warning && kept.bytes == text.len() as u64 && text.starts_with(&kept.head));
        let slice =
            stored.slice(&call("c1"), kept.head.len() as u64).expect("reads").expect("stored");
        assert!(text[kept.head.len()..].starts_with(&slice.text) && slice.total == kept.bytes);
        assert_eq!(stored.whole(&call("c1")).expect("reads").expect("stored").as_str(), text);
        assert!(stored.slice(&call("c2"), 0).expect("reads").is_none());
        assert!(stored.whole(&call("c2")).expect("reads").is_none());
    }
}
