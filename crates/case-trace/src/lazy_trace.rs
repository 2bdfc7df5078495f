//! [`LazyTrace`]: a case whose trace is made on demand.

use std::borrow::Cow;

use scoring::ToolCall;
use scoring::adk::{CallView, Conversation};

use crate::{CaseTrace, PlainCase};

/// A case, parsed as far as ADK's metrics need.
#[derive(Debug, Clone)]
pub enum LazyTrace {
    /// A plain case, with its text.
    Plain(Box<PlainCase>),
    /// Any case, as its trace.
    Read(Box<CaseTrace>),
}

impl LazyTrace {
    /// The id by which expected and actual side are paired.
    #[must_use]
    pub fn eval_id(&self) -> Cow<'_, str> {
        match self {
            Self::Plain(case) => case.eval_id(),
            Self::Read(case) => Cow::Borrowed(&case.eval_id),
        }
    }

    /// The display name; a plain case has none.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Plain(_) => None,
            Self::Read(case) => case.name.as_deref(),
        }
    }

    /// The user's first message.
    #[must_use]
    pub fn first_message(&self) -> Cow<'_, str> {
        match self {
            Self::Plain(case) => case.first_message(),
            Self::Read(case) => {
                let first = case.trace.invocations.first();
                first.map(|turn| turn.user_message()).unwrap_or_default()
            }
        }
    }

    /// The tags; a plain case has none.
    #[must_use]
    pub fn tags(&self) -> &[String] {
        match self {
            Self::Plain(_) => &[],
            Self::Read(case) => &case.tags,
        }
    }

    /// How long all turns took together, in seconds; `None` if one is not measured.
    #[must_use]
    pub fn seconds(&self) -> Option<f64> {
        match self {
            Self::Plain(case) => case.seconds(),
            Self::Read(case) => {
                let turns = &case.trace.invocations;
                let seconds: Option<f64> = turns.iter().map(|turn| turn.timing.total).sum();
                seconds.filter(|_| !turns.is_empty())
            }
        }
    }

    /// The whole trace, made now if necessary.
    #[must_use]
    pub fn trace(&self) -> Cow<'_, CaseTrace> {
        match self {
            Self::Plain(case) => Cow::Owned(case.trace()),
            Self::Read(case) => Cow::Borrowed(case),
        }
    }

    /// Makes and stores the whole trace.
    pub fn make_trace(&mut self) {
        if let Self::Plain(case) = self {
            *self = Self::from(case.trace());
        }
    }
}

impl From<CaseTrace> for LazyTrace {
    fn from(case: CaseTrace) -> Self {
        Self::Read(Box::new(case))
    }
}

/// Compares the traces.
impl PartialEq for LazyTrace {
    fn eq(&self, other: &Self) -> bool {
        self.trace() == other.trace()
    }
}

impl Conversation for LazyTrace {
    fn turns(&self) -> usize {
        match self {
            Self::Plain(case) => Conversation::turns(&**case),
            Self::Read(case) => case.trace.turns(),
        }
    }

    fn response(&self, turn: usize) -> Cow<'_, str> {
        match self {
            Self::Plain(case) => case.response(turn),
            Self::Read(case) => case.trace.response(turn),
        }
    }

    fn calls(&self, turn: usize) -> impl ExactSizeIterator<Item = CallView<'_>> {
        match self {
            Self::Plain(case) => Calls::Plain(case.calls(turn)),
            Self::Read(case) => Calls::Read(case.trace.calls(turn)),
        }
    }

    fn tool_calls(&self, turn: usize) -> Cow<'_, [ToolCall]> {
        match self {
            Self::Plain(case) => case.tool_calls(turn),
            Self::Read(case) => case.trace.tool_calls(turn),
        }
    }
}

/// The calls of either.
enum Calls<P, R> {
    Plain(P),
    Read(R),
}

impl<'c, P, R> Iterator for Calls<P, R>
where
    P: Iterator<Item = CallView<'c>>,
    R: Iterator<Item = CallView<'c>>,
{
    type Item = CallView<'c>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Plain(calls) => calls.next(),
            Self::Read(calls) => calls.next(),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match self {
            Self::Plain(calls) => calls.size_hint(),
            Self::Read(calls) => calls.size_hint(),
        }
    }
}

impl<'c, P, R> ExactSizeIterator for Calls<P, R>
where
    P: ExactSizeIterator<Item = CallView<'c>>,
    R: ExactSizeIterator<Item = CallView<'c>>,
{
}
