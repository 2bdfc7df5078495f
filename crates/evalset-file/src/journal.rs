//! [`Journal`]: the undo journal, with the old and the new end of the file.
//!
//! It is flushed before the file is written and removed after the file is flushed. A process that finds
//! one finishes or undoes the write, if the file is in a state that the write can have left: every byte
//! from the splice on is the old one, the new one or, past the old end, one that never reached the disk.
//! Otherwise the file was changed since, and the journal is not applied.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

use xxhash_rust::xxh3::xxh3_128;

const MAGIC: &[u8; 8] = b"RHSLUND1";
const HEADER: usize = 8 + 4 * 8;
const CHECKSUM: usize = 16;

/// The number of bytes before the splice that identify the file.
const ANCHOR: u64 = 4096;

/// A write at the end of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Journal {
    /// The offset of the tail.
    pub(crate) splice: u64,
    /// The bytes just before.
    anchor: Vec<u8>,
    /// The old tail.
    pub(crate) old: Vec<u8>,
    /// The new tail.
    pub(crate) new: Vec<u8>,
}

/// The state of a file with a journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Recovery {
    /// The write had not begun, or was undone.
    Undone,
    /// The write was complete.
    Finished,
    /// The file was changed since.
    ChangedSince,
}

impl Journal {
    pub(crate) fn new(file: &File, splice: u64, old: Vec<u8>, new: Vec<u8>) -> io::Result<Self> {
        Ok(Self { splice, anchor: anchor(file, splice)?, old, new })
    }

    pub(crate) fn old_length(&self) -> u64 {
        self.splice + self.old.len() as u64
    }

    pub(crate) fn new_length(&self) -> u64 {
        self.splice + self.new.len() as u64
    }

    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let lengths = [self.anchor.len(), self.old.len(), self.new.len()];
        let mut bytes = Vec::with_capacity(HEADER + lengths.iter().sum::<usize>() + CHECKSUM);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&self.splice.to_le_bytes());
        for length in lengths {
            bytes.extend_from_slice(&(length as u64).to_le_bytes());
        }
        bytes.extend_from_slice(&self.anchor);
        bytes.extend_from_slice(&self.old);
        bytes.extend_from_slice(&self.new);
        let checksum = xxh3_128(&bytes);
        bytes.extend_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// `None` for an incomplete journal: then its write never began.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (body, checksum) = bytes.split_last_chunk::<CHECKSUM>()?;
        if !body.starts_with(MAGIC) || xxh3_128(body).to_le_bytes() != *checksum {
            return None;
        }
        let number = |index: usize| -> Option<u64> {
            let at = MAGIC.len() + index * 8;
            Some(u64::from_le_bytes(body.get(at..at + 8)?.try_into().ok()?))
        };
        let length = |index| usize::try_from(number(index)?).ok();
        let mut rest = body.get(HEADER..)?;
        let mut next = |length: usize| -> Option<Vec<u8>> {
            let (taken, after) = rest.split_at_checked(length)?;
            rest = after;
            Some(taken.to_vec())
        };
        let (anchor, old, new) = (next(length(1)?)?, next(length(2)?)?, next(length(3)?)?);
        rest.is_empty().then_some(Self { splice: number(0)?, anchor, old, new })
    }

    /// Finishes or undoes the write in `file`; flushes what it writes.
    pub(crate) fn settle(&self, file: &File) -> io::Result<Recovery> {
        let length = file.metadata()?.len();
        let (old, new) = (self.old_length(), self.new_length());
        if length < old.min(new) || length > old.max(new) {
            return Ok(Recovery::ChangedSince);
        }
        if anchor(file, self.splice)? != self.anchor {
            return Ok(Recovery::ChangedSince);
        }
        let mut tail = vec![0; usize::try_from(length - self.splice).unwrap_or(0)];
        file.read_exact_at(&mut tail, self.splice)?;
        if tail == self.old {
            return Ok(Recovery::Undone);
        }
        if tail == self.new {
            // Written, but perhaps not flushed.
            file.sync_all()?;
            return Ok(Recovery::Finished);
        }
        let ours = tail.iter().enumerate().all(|(index, &byte)| {
            self.new.get(index) == Some(&byte)
                || match self.old.get(index) {
                    Some(&old) => old == byte,
                    None => byte == 0,
                }
        });
        if !ours {
            return Ok(Recovery::ChangedSince);
        }
        self.undo(file)?;
        Ok(Recovery::Undone)
    }

    /// Whether the file is between the old state and the new one.
    pub(crate) fn is_under_way(&self, file: &File) -> io::Result<bool> {
        let length = file.metadata()?.len();
        if anchor(file, self.splice)? != self.anchor {
            return Ok(false);
        }
        let mut tail = vec![0; usize::try_from(length.saturating_sub(self.splice)).unwrap_or(0)];
        file.read_exact_at(&mut tail, self.splice)?;
        Ok(tail != self.old && tail != self.new)
    }

    /// Restores the old tail.
    pub(crate) fn undo(&self, file: &File) -> io::Result<()> {
        file.write_all_at(&self.old, self.splice)?;
        file.set_len(self.old_length())?;
        file.sync_all()
    }
}

fn anchor(file: &File, splice: u64) -> io::Result<Vec<u8>> {
    let from = splice.saturating_sub(ANCHOR);
    let mut anchor = vec![0; usize::try_from(splice - from).unwrap_or(0)];
    file.read_exact_at(&mut anchor, from)?;
    Ok(anchor)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn file_of(bytes: &[u8]) -> File {
        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(bytes).expect("written");
        file
    }

    fn content(file: &File) -> Vec<u8> {
        let mut bytes =
            vec![0; usize::try_from(file.metadata().expect("there").len()).expect("small")];
        file.read_exact_at(&mut bytes, 0).expect("read");
        bytes
    }

    const OLD: &[u8] = b"head{old}]\n}";
    const NEW: &[u8] = b"head{old},{new case}]\n}";

    fn journal() -> Journal {
        Journal::new(&file_of(OLD), 9, OLD[9..].to_vec(), NEW[9..].to_vec()).expect("made")
    }

    #[test]
    fn recovery_handles_every_intermediate_state() {
        let journal = journal();
        // Written from the front, from the back, or in pages that came in any order.
        for cut in 9..=NEW.len() {
            for hole in [false, true] {
                let mut state = NEW[..cut].to_vec();
                if hole {
                    state = OLD[..OLD.len().min(cut)].to_vec();
                    state.resize(cut, 0);
                }
                if state.len() < OLD.len() {
                    state.extend_from_slice(&OLD[state.len()..]);
                }
                let file = file_of(&state);
                let found = journal.settle(&file).expect("settled");
                if state == NEW {
                    assert_eq!((found, content(&file)), (Recovery::Finished, NEW.to_vec()));
                } else {
                    assert_eq!(
                        (found, content(&file)),
                        (Recovery::Undone, OLD.to_vec()),
                        "{cut} {hole}"
                    );
                }
            }
        }
    }

    #[test]
    fn recovery_handles_a_file_that_shrinks() {
        // The old and the new state are swapped.
        let (old, new) = (NEW, OLD);
        let journal = Journal::new(&file_of(old), 9, old[9..].to_vec(), new[9..].to_vec());
        let journal = journal.expect("made");
        for written in 9..=new.len() {
            for length in new.len()..=old.len() {
                let mut state = new[..written].to_vec();
                state.extend_from_slice(&old[written..]);
                state.truncate(length);
                let file = file_of(&state);
                let found = journal.settle(&file).expect("settled");
                let expected =
                    if state == new { (Recovery::Finished, new) } else { (Recovery::Undone, old) };
                assert_eq!((found, content(&file).as_slice()), expected, "{written} {length}");
            }
        }
        for state in [&new[..new.len() - 1], b"head{old}]\n}x", b"HEAD{old}]\n}"] {
            let found = journal.settle(&file_of(state)).expect("looked at");
            assert_eq!(found, Recovery::ChangedSince);
        }
    }

    #[test]
    fn journal_is_not_applied_to_a_changed_file() {
        for state in [
            &b"head{old},{NEW case}]\n}"[..],
            b"HEAD{old}]\n}",
            b"head{old}]",
            b"",
            b"head{old},{new case}]\n}  ",
            b"head{old},{new}]\n}xxxxx",
        ] {
            let file = file_of(state);
            assert_eq!(journal().settle(&file).expect("looked at"), Recovery::ChangedSince);
            assert_eq!(content(&file), state);
        }
    }

    #[test]
    fn incomplete_journal_is_ignored() {
        let journal = journal();
        let bytes = journal.to_bytes();
        assert_eq!(Journal::from_bytes(&bytes), Some(journal));
        for cut in 0..bytes.len() {
            assert_eq!(Journal::from_bytes(&bytes[..cut]), None);
            let mut flipped = bytes.clone();
            flipped[cut] ^= 1;
            assert_eq!(Journal::from_bytes(&flipped), None);
        }
        assert_eq!(Journal::from_bytes(&[bytes, vec![0]].concat()), None);
    }
}
