//! [`SpillStore`]: keeps JSON texts in memory up to a shared bound, and further ones in an unnamed temporary
//! file.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use json_text::JsonText;

/// The memory that several stores share.
#[derive(Debug)]
pub struct MemoryBound {
    bytes: u64,
    used: AtomicU64,
}

impl MemoryBound {
    /// Lets stores keep at most `bytes` in memory together.
    #[must_use]
    pub fn new(bytes: u64) -> Arc<Self> {
        Arc::new(Self { bytes, used: AtomicU64::new(0) })
    }

    fn reserve(&self, bytes: u64) -> bool {
        let within = |used: u64| used.checked_add(bytes).filter(|total| *total <= self.bytes);
        self.used.fetch_update(Ordering::AcqRel, Ordering::Acquire, within).is_ok()
    }

    #[cfg(test)]
    fn used(&self) -> u64 {
        self.used.load(Ordering::Acquire)
    }
}

/// Texts in the order in which they were added. Dropping it frees their memory.
#[derive(Debug)]
pub struct SpillStore {
    bound: Arc<MemoryBound>,
    reserved: u64,
    texts: Vec<TextLocation>,
    spill: Option<File>,
    spilled: u64,
}

#[derive(Debug)]
enum TextLocation {
    Memory(JsonText),
    Disk { offset: u64, bytes: u64 },
}

impl SpillStore {
    /// Keeps nothing yet.
    #[must_use]
    pub fn new(bound: Arc<MemoryBound>) -> Self {
        Self { bound, reserved: 0, texts: Vec::new(), spill: None, spilled: 0 }
    }

    /// The memory that the store shares.
    #[must_use]
    pub fn bound(&self) -> &Arc<MemoryBound> {
        &self.bound
    }

    /// Keeps a text and returns its number, counted from 0.
    ///
    /// # Errors
    /// The operating system's, when the memory is used up and the disk takes no more. The store is
    /// as it was.
    pub fn put(&mut self, text: JsonText) -> std::io::Result<usize> {
        let bytes = text.byte_len() as u64;
        let location = if self.bound.reserve(bytes) {
            self.reserved += bytes;
            TextLocation::Memory(text)
        } else {
            let file = match &mut self.spill {
                Some(file) => file,
                none => none.insert(tempfile::tempfile()?),
            };
            let offset = self.spilled;
            file.seek(SeekFrom::Start(offset))?;
            file.write_all(text.as_str().as_bytes())?;
            self.spilled += bytes;
            TextLocation::Disk { offset, bytes }
        };
        self.texts.push(location);
        Ok(self.texts.len() - 1)
    }

    /// How many texts it keeps.
    #[must_use]
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether it keeps nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// A whole text; `None` when there is none of this number.
    ///
    /// # Errors
    /// The operating system's, when it cannot be read back.
    pub fn whole(&mut self, number: usize) -> std::io::Result<Option<JsonText>> {
        match self.texts.get(number) {
            None => Ok(None),
            Some(TextLocation::Memory(text)) => Ok(Some(text.clone())),
            Some(TextLocation::Disk { offset, bytes }) => {
                let part = read(self.spill.as_mut(), *offset, *bytes)?;
                let text = String::from_utf8(part).map_err(std::io::Error::other)?;
                JsonText::parse(&text).map(Some).map_err(std::io::Error::other)
            }
        }
    }
}

fn read(spill: Option<&mut File>, offset: u64, bytes: u64) -> std::io::Result<Vec<u8>> {
    let mut part = Vec::new();
    if let Some(file) = spill {
        file.seek(SeekFrom::Start(offset))?;
        file.take(bytes).read_to_end(&mut part)?;
    }
    Ok(part)
}

impl Drop for SpillStore {
    fn drop(&mut self) {
        self.bound.used.fetch_sub(self.reserved, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bound: u64) {
        let mut store = SpillStore::new(MemoryBound::new(bound));
        let texts = [format!("{:?}", "é".repeat(70_000)), "[1, 2]".to_owned(), "null".to_owned()];
        for (number, text) in texts.iter().enumerate() {
            let put = store.put(JsonText::parse(text).expect("valid")).expect("kept");
            assert_eq!(put, number);
        }
        for (number, text) in texts.iter().enumerate() {
            let whole = store.whole(number).expect("reads").expect("there");
            assert_eq!(whole.as_str(), text);
        }
        assert!(store.whole(3).expect("reads").is_none() && store.len() == 3);
    }

    #[test]
    fn returns_texts_from_memory_and_from_disk() {
        check(u64::MAX);
        check(0);
        check(10);
    }

    #[test]
    fn a_dropped_store_frees_its_memory() {
        let bound = MemoryBound::new(100);
        let mut store = SpillStore::new(Arc::clone(&bound));
        store.put(JsonText::string("x")).expect("kept");
        assert_eq!(bound.used(), 3);
        drop(store);
        assert_eq!(bound.used(), 0);
    }
}
