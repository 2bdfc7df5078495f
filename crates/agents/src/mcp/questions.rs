//! [`Questions`]: the open questions of servers to the person of one session.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::{Answer, Asks, Question, SourceEvent};
use json_text::JsonText;
use session::{CallId, SessionId};
use tokio::sync::oneshot;

use crate::schemas;
use crate::{AnswerError, Reporter};

/// Numbers are not reused while the host runs, so that a late answer does not reach another question.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// The open questions of one session.
pub(super) struct Questions {
    session: SessionId,
    reporter: Reporter,
    open: Mutex<BTreeMap<u64, Open>>,
}

struct Open {
    question: Question,
    answer: oneshot::Sender<Answer>,
}

/// Withdraws the question when its request ends, for example because the call is canceled.
struct Withdrawal<'q>(&'q Questions, u64);

impl Drop for Withdrawal<'_> {
    fn drop(&mut self) {
        self.0.close(self.1);
    }
}

impl Questions {
    pub(super) fn new(session: SessionId, reporter: Reporter) -> Self {
        Self { session, reporter, open: Mutex::default() }
    }

    fn open(&self) -> MutexGuard<'_, BTreeMap<u64, Open>> {
        // Plain data: a panic elsewhere leaves it complete.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks, and waits for as long as it takes.
    pub(super) async fn ask(&self, server: &str, call_id: Option<CallId>, asks: Asks) -> Answer {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let question = Question {
            session: self.session.clone(),
            number,
            asked_by: server.to_owned(),
            call_id,
            asks,
        };
        let (answer, answered) = oneshot::channel();
        self.open().insert(number, Open { question: question.clone(), answer });
        let _withdrawal = Withdrawal(self, number);
        self.reporter.report(SourceEvent::Asked(Box::new(question)));
        // The sender is dropped with the session.
        answered.await.unwrap_or(Answer::Dismiss)
    }

    /// Sends the person's answer to the request that waits for it.
    pub(super) async fn answer(&self, number: u64, answer: Answer) -> Result<(), AnswerError> {
        let asks = match self.open().get(&number) {
            Some(waiting) => waiting.question.asks.clone(),
            None => return Err(AnswerError::NotWaiting),
        };
        if let (Asks::Form { schema, .. }, Answer::Accept(values)) = (asks, &answer) {
            let nothing = || JsonText::from_value(&serde_json::json!({}));
            let values = values.clone().unwrap_or_else(nothing);
            let messages =
                schemas::run_blocking(move || schemas::check_schema(Some(&schema), &values)).await;
            if !messages.is_empty() {
                return Err(AnswerError::Invalid(messages));
            }
        }
        // It may have been answered or withdrawn meanwhile.
        let waiting = self.open().remove(&number).ok_or(AnswerError::NotWaiting)?;
        self.reporter.report(SourceEvent::Withdrawn { session: self.session.clone(), number });
        // The request may have ended just now.
        let _ = waiting.answer.send(answer);
        Ok(())
    }

    /// The questions that wait, oldest first.
    pub(super) fn waiting(&self) -> Vec<Question> {
        self.open().values().map(|open| open.question.clone()).collect()
    }

    /// Withdraws the questions of a call that has ended.
    pub(super) fn withdraw(&self, call_id: &CallId) {
        let of_call = |open: &Open| open.question.call_id.as_ref() == Some(call_id);
        let numbers: Vec<u64> = self
            .open()
            .iter()
            .filter(|(_, open)| of_call(open))
            .map(|(number, _)| *number)
            .collect();
        numbers.into_iter().for_each(|number| self.close(number));
    }

    fn close(&self, number: u64) {
        if self.open().remove(&number).is_some() {
            self.reporter.report(SourceEvent::Withdrawn { session: self.session.clone(), number });
        }
    }
}
