//! [`OpenedResources`]: the contents of MCP resources that the person opened, for the page to show and save.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use agents::ResourceContent;
use api::LiveBytes;
use session::SessionId;

use crate::served_file::{ServedFile, is_text};

/// The route: a session, and the number of a content in it.
pub(crate) const RESOURCES_ROUTE: &str = "/api/resources/{session}/{number}";
/// The memory for the contents of one session. The oldest are forgotten.
const KEPT_BYTES: usize = 32 * 1024 * 1024;
/// The longest text that the page gets to show.
const SHOWN_BYTES: usize = 1024 * 1024;

/// The opened contents of one session.
#[derive(Default)]
pub(crate) struct OpenedResources(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    next: u64,
    files: VecDeque<(u64, ServedFile)>,
}

impl OpenedResources {
    /// Keeps a content and returns it for the page.
    pub(crate) fn keep(
        &self,
        session: &SessionId,
        content: ResourceContent,
    ) -> api::ResourceContent {
        let ResourceContent { uri, mime_type, bytes, is_text: was_text } = content;
        let text = if bytes.len() <= SHOWN_BYTES && (was_text || is_text(&mime_type)) {
            String::from_utf8(bytes.clone()).ok()
        } else {
            None
        };
        let length = bytes.len() as u64;
        let file = ServedFile { mime_type: mime_type.clone(), bytes: bytes.into() };
        let at = format!("/api/resources/{session}/{}", self.add(file));
        let content = match text {
            Some(text) => LiveBytes::Text { text, at },
            None => LiveBytes::At(at),
        };
        api::ResourceContent { uri, mime_type, bytes: length, content }
    }

    fn add(&self, file: ServedFile) -> u64 {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let number = kept.next;
        kept.next += 1;
        kept.files.push_back((number, file));
        let total = |files: &VecDeque<(u64, ServedFile)>| {
            files.iter().map(|(_, file)| file.bytes.len()).sum::<usize>()
        };
        while kept.files.len() > 1 && total(&kept.files) > KEPT_BYTES {
            kept.files.pop_front();
        }
        number
    }

    /// A content by its number; `None` if it was forgotten.
    pub(crate) fn find(&self, number: u64) -> Option<ServedFile> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.files.iter().find(|(it, _)| *it == number).map(|(_, file)| file.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(mime_type: &str, bytes: Vec<u8>, is_text: bool) -> ResourceContent {
        ResourceContent { uri: "a:b".to_owned(), mime_type: mime_type.to_owned(), bytes, is_text }
    }

    #[test]
    fn only_short_texts_are_sent_with_their_address() {
        let (opened, session) = (OpenedResources::default(), SessionId::parse("s").expect("valid"));
        for (mime_type, bytes, was_text, is_shown) in [
            ("", b"plain".to_vec(), true, true),
            ("text/plain", b"plain".to_vec(), false, true),
            ("text/plain", vec![0xff], false, false),
            ("", b"plain".to_vec(), false, false),
            ("image/png", vec![1], false, false),
            ("", vec![b'x'; SHOWN_BYTES + 1], true, false),
        ] {
            let length = bytes.len();
            let shown = opened.keep(&session, content(mime_type, bytes, was_text));
            assert_eq!(matches!(shown.content, LiveBytes::Text { .. }), is_shown, "{mime_type}");
            assert_eq!(shown.bytes, length as u64);
        }
        assert_eq!(opened.find(0).expect("kept").bytes.as_ref(), b"plain");
        assert_eq!(opened.find(4).expect("kept").mime_type, "image/png");
        assert!(opened.find(6).is_none());
    }

    #[test]
    fn the_oldest_are_forgotten() {
        let (opened, session) = (OpenedResources::default(), SessionId::parse("s").expect("valid"));
        let large = || content("", vec![0; KEPT_BYTES / 2], false);
        for _ in 0..3 {
            opened.keep(&session, large());
        }
        assert!(opened.find(0).is_none() && opened.find(1).is_some() && opened.find(2).is_some());
        opened.keep(&session, content("", vec![0; KEPT_BYTES + 1], false));
        assert!(opened.find(2).is_none() && opened.find(3).is_some());
    }
}
