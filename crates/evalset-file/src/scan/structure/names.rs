//! Reads strings: keys on the path to the cases, and ids.

use super::quote::{ClosingQuote, LONGEST_ID, unescaped};
use super::{Level, Structure};
use crate::scan::outline::Sink;

/// The meaning of the latest key at the watched depth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    /// Leads to the next [`Level`].
    Leads,
    /// Holds the id of the place.
    Id,
    /// Holds what a case has in place of a conversation.
    Scenario,
    Other,
}

/// What a string is read for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    Key,
    Id,
}

impl Structure {
    pub(super) fn begin(&mut self, reading: Reading, at: u64) {
        self.reading = Some(reading);
        self.text.clear();
        self.closing = ClosingQuote::default();
        self.text_at = at;
    }

    /// Continues with the current string from `from` on.
    pub(super) fn read_on<S: Sink>(
        &mut self,
        bytes: &[u8],
        from: usize,
        sink: &mut S,
    ) -> std::io::Result<()> {
        let rest = bytes.get(from..).unwrap_or_default();
        let end = self.closing.find(rest);
        let Some(end) = end else {
            if self.text.len() <= LONGEST_ID {
                self.text.extend_from_slice(rest);
            }
            return Ok(());
        };
        let reading = self.reading.take();
        if self.text.is_empty() {
            return self.string_read(reading, &rest[..end], sink);
        }
        let mut text = std::mem::take(&mut self.text);
        text.extend_from_slice(&rest[..end]);
        let read = self.string_read(reading, &text, sink);
        self.text = text;
        read
    }

    /// Reads a string without escapes.
    pub(super) fn read_whole<S: Sink>(&mut self, text: &[u8], sink: &mut S) -> std::io::Result<()> {
        let reading = self.reading.take();
        self.string_read(reading, text, sink)
    }

    fn string_read<S: Sink>(
        &mut self,
        reading: Option<Reading>,
        raw: &[u8],
        sink: &mut S,
    ) -> std::io::Result<()> {
        let escapes = self.closing.passed_escape;
        match reading {
            Some(Reading::Key) if escapes => {
                let key = unescaped(raw, escapes).unwrap_or_default();
                self.key_read(key.as_bytes());
            }
            Some(Reading::Key) => self.key_read(raw),
            Some(Reading::Id) => {
                let Some(id) = unescaped(raw, escapes) else { return Ok(()) };
                if self.place == Level::Case {
                    sink.eval_id(&id, self.text_at, self.case_start)?;
                } else {
                    sink.invocation_id(&id, self.text_at, self.case_start)?;
                }
            }
            None => {}
        }
        Ok(())
    }

    fn key_read(&mut self, key: &[u8]) {
        if self.is_older {
            self.has_data |= matches!((self.place, key), (Level::Case, b"data"));
            self.key = match (self.place, key) {
                (Level::Case, b"data") => Key::Leads,
                (Level::Case, b"name") => Key::Id,
                _ => Key::Other,
            };
            return;
        }
        self.key = match (self.place, key) {
            (Level::Set, b"eval_cases") | (Level::Case, b"conversation") => Key::Leads,
            (Level::Set, b"eval_set_id")
            | (Level::Case, b"eval_id" | b"evalId")
            | (Level::Invocation, b"invocation_id" | b"invocationId") => Key::Id,
            (Level::Case, b"conversation_scenario" | b"conversationScenario") => Key::Scenario,
            (Level::Set, b"eval_case_results" | b"evalCaseResults") => {
                self.is_history = true;
                Key::Other
            }
            (Level::Set, b"evalCases") => {
                self.camel_case_list = self.camel_case_list.or(Some(self.text_at));
                Key::Other
            }
            _ => Key::Other,
        };
    }
}
