//! Live sessions as values: an agent that runs elsewhere asks, a person answers.
//!
//! `session`, `content` and `event` say what is kept; `queue` says what may happen next:
//! `(Queue, Command) -> Vec<Fact>`, where the facts alone move the queue.
//! Nothing here reads a clock or makes an identifier, and what this crate leaves to others is the
//! wire (`rpc`), the disk and the waiting (the host).

mod content;
mod error;
mod event;
mod id;
mod name;
mod queue;
mod session;

pub use content::{
    Content, FunctionCall, FunctionDeclaration, FunctionResponse, HumanResponse, InlineData,
    LlmRequest, OtherPart, Part, Role, Tool,
};
pub use error::Invalid;
pub use event::{Payload, PayloadType, RunEnd, RunOutcome, SessionEvent, ToolOutcome};
pub use id::{EventId, LeaseId, LiveSessionId, TurnId};
pub use name::{AgentName, DisplayName, InvocationId, Note};
pub use queue::{
    Answer, ClosedTurn, Closing, Command, Entry, Fact, Fingerprint, Lease, PendingTurn, Queue,
    Recorded, Refusal, Sequence, Status, Step, Unknown,
};
pub use session::{LiveSession, Timestamp};
