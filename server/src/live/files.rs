//! Serves the parts of an event as files, each at a URL of its own.
//!
//! A page shows images and plays sounds from there. Files of other types are served as downloads, and so are
//! texts and values of which the page gets only the beginning.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use api::ApiError;
use json_text::JsonText;
use live::{LiveSessionId, Part, Payload, Sequence, SessionEvent};

use crate::served_file::ServedFile;

/// The route: a session, an event, and the index of the part among all parts of the event.
pub(crate) const FILES_ROUTE: &str = "/api/live/{session}/{event}/{file}";

/// The URL of a part.
pub(super) fn address(session: LiveSessionId, event: Sequence, file: usize) -> String {
    format!("/api/live/{session}/{}/{file}", event.0)
}

/// A part as a file.
fn served(part: Part) -> ServedFile {
    let text = |text: String| ("text/plain".to_owned(), text.into_bytes());
    let json = |value: Option<JsonText>| {
        let value = value.map_or_else(String::new, |value| value.as_str().to_owned());
        ("application/json".to_owned(), value.into_bytes())
    };
    let (mime_type, bytes) = match part {
        Part::Text(it) | Part::Thought(it) => text(it),
        Part::FunctionCall(call) => json(call.args),
        Part::FunctionResponse(response) => json(response.response),
        Part::InlineData(data) => (data.mime_type, data.data),
        Part::Other(other) => json(Some(other.json)),
    };
    ServedFile { mime_type, bytes: bytes.into() }
}

/// All parts of an event, in order.
fn all(event: SessionEvent) -> Arc<[ServedFile]> {
    let contents = match event.payload {
        Payload::Request(request) => request.contents,
        Payload::Response(response) => response.candidates,
        Payload::ToolResult(result) => {
            return Arc::new([served(Part::FunctionResponse(result.response))]);
        }
        Payload::Cancelled(_) | Payload::RunEnded(_) => Vec::new(),
    };
    contents.into_iter().flat_map(|content| content.parts).map(served).collect()
}

/// The parts of recently requested events: a page requests each image of a request separately, and
/// the event is read once.
#[derive(Default)]
pub(super) struct ReadFiles {
    events: tokio::sync::Mutex<VecDeque<ReadEvent>>,
}

struct ReadEvent {
    session: LiveSessionId,
    event: Sequence,
    files: Arc<[ServedFile]>,
    asked: Instant,
}

impl ReadFiles {
    /// The most cached events.
    const MOST: usize = 4;
    /// How long an event is cached.
    const KEPT: Duration = Duration::from_secs(10);

    /// The files of an event; `read` loads them if they are not cached. Concurrent callers wait,
    /// because they mostly request the same event.
    pub(super) async fn of(
        self: &Arc<Self>,
        (session, event): (LiveSessionId, Sequence),
        read: impl Future<Output = Result<SessionEvent, ApiError>>,
    ) -> Result<Arc<[ServedFile]>, ApiError> {
        let mut events = self.events.lock().await;
        let known = events.iter_mut().find(|it| it.session == session && it.event == event);
        if let Some(known) = known {
            known.asked = Instant::now();
            return Ok(Arc::clone(&known.files));
        }
        let files = all(read.await?);
        if events.is_empty() {
            tokio::spawn(Self::forget(Arc::downgrade(self)));
        }
        if events.len() == Self::MOST {
            events.pop_front();
        }
        let asked = Instant::now();
        events.push_back(ReadEvent { session, event, files: Arc::clone(&files), asked });
        Ok(files)
    }

    /// Removes expired entries until none are left.
    async fn forget(kept: std::sync::Weak<Self>) {
        loop {
            tokio::time::sleep(Self::KEPT).await;
            let Some(kept) = kept.upgrade() else { return };
            let mut events = kept.events.lock().await;
            events.retain(|it| it.asked.elapsed() < Self::KEPT);
            if events.is_empty() {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use live::{
        AgentName, Content, EventId, HumanResponse, InlineData, InvocationId, Role, Timestamp,
        TurnId,
    };

    use super::*;

    #[tokio::test]
    async fn caches_the_files_of_recent_events() {
        let event = |number: u64| {
            let data = InlineData { mime_type: "x".into(), data: vec![1], display_name: None };
            let parts = vec![Part::InlineData(data)];
            let response = HumanResponse { candidates: vec![Content { role: Role::Model, parts }] };
            (LiveSessionId::from_random([1; 16]), Sequence(number), Payload::Response(response))
        };
        let kept = Arc::new(ReadFiles::default());
        let reads = AtomicUsize::new(0);
        let ask = async |number| {
            let (session_id, sequence, payload) = event(number);
            let read = async {
                reads.fetch_add(1, Ordering::Relaxed);
                Ok(SessionEvent {
                    event_id: EventId::from_random([2; 16]),
                    session_id,
                    sequence,
                    at: Timestamp(0),
                    turn_id: TurnId::from_random([3; 16]),
                    agent_name: AgentName::parse("a").expect("a name"),
                    invocation_id: InvocationId::default(),
                    by: None,
                    payload,
                })
            };
            kept.of((session_id, sequence), read).await.expect("reads").len()
        };
        for _ in 0..3 {
            assert_eq!(ask(1).await, 1);
        }
        assert_eq!(reads.load(Ordering::Relaxed), 1);
        for number in 2..=5 {
            ask(number).await;
        }
        ask(5).await;
        assert_eq!(reads.load(Ordering::Relaxed), 5);
        ask(1).await;
        assert_eq!(reads.load(Ordering::Relaxed), 6, "the oldest was evicted");
        assert_eq!(kept.events.lock().await.len(), ReadFiles::MOST);
    }
}
