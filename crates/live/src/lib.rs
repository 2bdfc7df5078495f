//! Live sessions as values: an agent that runs elsewhere asks, a person answers.
//!
//! `session`, `content` and `event` define what is stored; `queue` is the state machine:
//! `(Queue, Command) -> Vec<Fact>`, where the facts alone move the queue.
//! Nothing here reads a clock or creates an identifier, and this crate leaves to others the
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
    ClosedTurn, Closing, Command, CommandReply, Entry, Fact, Fingerprint, Lease, PendingTurn,
    Queue, Recorded, Refusal, Sequence, Status, Transition, Unknown,
};
pub use session::{LiveSession, Timestamp};
