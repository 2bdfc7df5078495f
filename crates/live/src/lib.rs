//! Live sessions as values: an agent that runs elsewhere sends requests, and a person responds.
//!
//! `session`, `content` and `event` define what is stored, and `limit` how much; `queue` is the state machine:
//! `(Queue, Command) -> Vec<Fact>`, where only facts change the queue.
//! Nothing here reads a clock or creates an identifier. The wire format is in `rpc`; the host stores
//! events and waits.

mod content;
mod error;
mod event;
mod id;
mod limit;
mod name;
mod queue;
mod session;
mod time;

pub use content::{
    Content, FunctionCall, FunctionDeclaration, FunctionResponse, HumanResponse, InlineData,
    LlmRequest, OtherPart, Part, Role, Tool,
};
pub use error::Invalid;
pub use event::{Payload, PayloadType, RunEnd, RunOutcome, SessionEvent, ToolOutcome};
pub use id::{EventId, LeaseId, LiveSessionId, TurnId};
pub use limit::{Limit, TooLarge};
pub use name::{AgentName, DisplayName, InvocationId, Note};
pub use queue::{
    ClosedTurn, Closing, Command, CommandReply, Entry, Fact, Fingerprint, Lease, PendingTurn,
    Queue, Recorded, Refusal, Sequence, Status, Transition, Unknown,
};
pub use session::LiveSession;
pub use time::{Moment, Ticks, Timestamp};
