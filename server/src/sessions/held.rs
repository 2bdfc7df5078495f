//! [`HeldResults`]: results too large for the browser, in memory up to a bound and on disk beyond.

use std::collections::HashMap;
use std::io::{Read, Seek, SeekFrom, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use app::api::ResultSlice;
use json_text::JsonText;
use session::{CallId, HeldResult, ToolResult};

/// Results longer than this stay on the host.
pub(crate) const HELD_OVER_BYTES: usize = 1024 * 1024;
/// How much of a held result the page gets at first.
const HEAD_BYTES: usize = 64 * 1024;
/// How much of a held result the page gets for each further request.
const SLICE_BYTES: usize = 256 * 1024;

/// The memory that all sessions' held results share.
#[derive(Debug)]
pub(crate) struct ResultStore {
    bound: u64,
    in_memory: AtomicU64,
}

impl ResultStore {
    /// Keeps at most `bound` bytes in memory.
    pub(crate) fn new(bound: u64) -> Arc<Self> {
        Arc::new(Self { bound, in_memory: AtomicU64::new(0) })
    }

    fn reserve(&self, bytes: u64) -> bool {
        self.in_memory
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, |used| {
                used.checked_add(bytes).filter(|total| *total <= self.bound)
            })
            .is_ok()
    }
}

/// The held results of one session.
pub(crate) struct HeldResults {
    store: Arc<ResultStore>,
    results: Mutex<HashMap<CallId, Held>>,
}

enum Held {
    Memory(JsonText),
    Disk { file: std::fs::File, bytes: u64 },
}

impl HeldResults {
    pub(crate) fn new(store: Arc<ResultStore>) -> Self {
        Self { store, results: Mutex::default() }
    }

    /// Takes a result in and gives what the page may see of it.
    ///
    /// # Errors
    /// The operating system's, when the memory is used up and the disk takes no more.
    pub(crate) fn keep(&self, call_id: &CallId, result: JsonText) -> std::io::Result<HeldResult> {
        let bytes = result.byte_len() as u64;
        let whole = ToolResult::Whole(result);
        let is_warning = whole.is_warning();
        let ToolResult::Whole(result) = whole else {
            return Err(std::io::Error::other("a whole result is whole"));
        };
        let head = up_to(result.as_str(), HEAD_BYTES).to_owned();
        let held = if self.store.reserve(bytes) {
            Held::Memory(result)
        } else {
            let mut file = tempfile::tempfile()?;
            file.write_all(result.as_str().as_bytes())?;
            Held::Disk { file, bytes }
        };
        let mut results = self.results.lock().unwrap_or_else(PoisonError::into_inner);
        results.insert(call_id.clone(), held);
        Ok(HeldResult { bytes, head, is_warning })
    }

    /// A part of a result; `None` when nothing is held for this call.
    ///
    /// # Errors
    /// The operating system's, when the part cannot be read back.
    pub(crate) fn slice(
        &self,
        call_id: &CallId,
        offset: u64,
    ) -> std::io::Result<Option<ResultSlice>> {
        let mut results = self.results.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(held) = results.get_mut(call_id) else { return Ok(None) };
        Ok(Some(match held {
            Held::Memory(result) => {
                let whole = result.as_str();
                let start = ceil_boundary(whole, usize::try_from(offset).unwrap_or(usize::MAX));
                ResultSlice {
                    offset: start as u64,
                    text: up_to(&whole[start..], SLICE_BYTES).to_owned(),
                    total: whole.len() as u64,
                }
            }
            Held::Disk { file, bytes } => {
                let offset = offset.min(*bytes);
                file.seek(SeekFrom::Start(offset))?;
                let mut part = Vec::with_capacity(SLICE_BYTES);
                file.take(SLICE_BYTES as u64).read_to_end(&mut part)?;
                let skipped = part.iter().take_while(|byte| (**byte & 0xC0) == 0x80).count();
                let text = match std::str::from_utf8(&part[skipped..]) {
                    Ok(text) => text,
                    Err(error) => {
                        let valid = &part[skipped..skipped + error.valid_up_to()];
                        std::str::from_utf8(valid).unwrap_or_default()
                    }
                };
                ResultSlice {
                    offset: offset + skipped as u64,
                    text: text.to_owned(),
                    total: *bytes,
                }
            }
        }))
    }

    /// A whole result, for export; `None` when nothing is held for this call.
    ///
    /// # Errors
    /// The operating system's, when it cannot be read back.
    pub(crate) fn whole(&self, call_id: &CallId) -> std::io::Result<Option<JsonText>> {
        let mut results = self.results.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(held) = results.get_mut(call_id) else { return Ok(None) };
        match held {
            Held::Memory(result) => Ok(Some(result.clone())),
            Held::Disk { file, .. } => {
                file.seek(SeekFrom::Start(0))?;
                let mut text = String::new();
                file.read_to_string(&mut text)?;
                JsonText::parse(&text).map(Some).map_err(std::io::Error::other)
            }
        }
    }
}

impl Drop for HeldResults {
    fn drop(&mut self) {
        let results = self.results.get_mut().unwrap_or_else(PoisonError::into_inner);
        let freed: u64 = results
            .values()
            .map(|held| match held {
                Held::Memory(result) => result.byte_len() as u64,
                Held::Disk { .. } => 0,
            })
            .sum();
        self.store.in_memory.fetch_sub(freed, Ordering::AcqRel);
    }
}

fn up_to(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

fn ceil_boundary(text: &str, offset: usize) -> usize {
    let mut start = offset.min(text.len());
    while !text.is_char_boundary(start) {
        start += 1;
    }
    start
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bound: u64) {
        let held = HeldResults::new(ResultStore::new(bound));
        let call_id = CallId::parse("c1").expect("valid");
        let text = format!("{:?}", "é".repeat(700_000));
        let kept = held.keep(&call_id, JsonText::parse(&text).expect("valid")).expect("kept");
        assert_eq!(kept.bytes, text.len() as u64);
        assert!(text.starts_with(&kept.head));
        let mut read = kept.head;
        while (read.len() as u64) < kept.bytes {
            let offset = read.len() as u64;
            let slice = held.slice(&call_id, offset).expect("reads").expect("held");
            assert_eq!((slice.offset, slice.total), (offset, kept.bytes));
            read.push_str(&slice.text);
        }
        assert_eq!(read, text);
        let whole = held.whole(&call_id).expect("reads").expect("held");
        assert_eq!(whole.as_str(), text);
        assert!(held.slice(&CallId::parse("c2").expect("valid"), 0).expect("reads").is_none());
        // In the middle of a character: the next whole one.
        assert_eq!(held.slice(&call_id, 2).expect("reads").expect("held").offset, 3);
    }

    #[test]
    fn results_come_back_whole_from_memory() {
        check(u64::MAX);
    }

    #[test]
    fn results_come_back_whole_from_disk() {
        check(0);
    }

    #[test]
    fn a_dropped_session_frees_its_memory() {
        let store = ResultStore::new(100);
        let call_id = CallId::parse("c1").expect("valid");
        let held = HeldResults::new(Arc::clone(&store));
        held.keep(&call_id, JsonText::string("x")).expect("kept");
        assert_eq!(store.in_memory.load(Ordering::Acquire), 3);
        drop(held);
        assert_eq!(store.in_memory.load(Ordering::Acquire), 0);
    }
}
