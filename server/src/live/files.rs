//! Serves the files of an event, each at a URL of its own.
//!
//! A page shows images and plays sounds from there. Files of other types are served as downloads.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use api::ApiError;
use live::{Content, InlineData, LiveSessionId, Part, Payload, Sequence, SessionEvent};

use crate::served_file::ServedFile;

/// The route: a session, an event, and the index of the file in the event.
pub(crate) const FILES_ROUTE: &str = "/api/live/{session}/{event}/{file}";

/// The URL of a file.
pub(super) fn address(session: LiveSessionId, event: Sequence, file: usize) -> String {
    format!("/api/live/{session}/{}/{file}", event.0)
}

/// The files in contents, in order.
pub(super) fn among(contents: &[Content]) -> impl Iterator<Item = &InlineData> {
    contents.iter().flat_map(|content| &content.parts).filter_map(|part| match part {
        Part::InlineData(data) => Some(data),
        _ => None,
    })
}

/// A file of a message.
fn served(data: InlineData) -> ServedFile {
    ServedFile { mime_type: data.mime_type, bytes: data.data.into() }
}

/// All files of an event, in order.
fn all(event: SessionEvent) -> Arc<[ServedFile]> {
    let contents = match event.payload {
        Payload::Request(request) => request.contents,
        Payload::Response(response) => response.candidates,
        Payload::Cancelled(_) | Payload::ToolResult(_) | Payload::RunEnded(_) => Vec::new(),
    };
    let parts = contents.into_iter().flat_map(|content| content.parts);
    let files = parts.filter_map(|part| match part {
        Part::InlineData(data) => Some(served(data)),
        _ => None,
    });
    files.collect()
}

/// The files of recently requested events: a page requests each image of a request separately, and
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

    use live::{AgentName, EventId, HumanResponse, InvocationId, Role, Timestamp, TurnId};

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
