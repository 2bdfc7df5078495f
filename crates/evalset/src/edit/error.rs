//! [`EditError`]: why a case was not changed.

/// Why a case was not changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The conversation is shorter.
    #[error("there is no turn {}, because the case has {turns}. Reload the case", turn + 1)]
    NoTurn {
        /// The index of the turn, from 0.
        turn: usize,
        /// The number of them.
        turns: usize,
    },
    /// The turn has fewer calls.
    #[error("there is no call {}, because the turn has {calls}. Reload the case", call + 1)]
    NoCall {
        /// The index of the call, from 0.
        call: usize,
        /// The number of them.
        calls: usize,
    },
    /// A value of another kind than the format takes.
    #[error("{what} must be a JSON object")]
    NotAnObject {
        /// Which value.
        what: &'static str,
    },
    /// The case is not a plan for a simulated user.
    #[error("the case is a recorded conversation and has no plan")]
    NoScenario,
    /// Leftovers of a conversion cannot be edited.
    #[error(
        "the case was converted from ADK's format, which stores the expected state. \
         Edit it in the JSON, under metadata.adk"
    )]
    KeptState,
    /// An older list has no fields for most of what can be changed.
    #[error(
        "cases of ADK's older lists cannot be edited. \
         Convert the file with `rehearsal evalset convert` first"
    )]
    OlderList,
    /// Calls of several agents in a list of events keep the order of their events.
    #[error("the calls are recorded as events of several agents. Change their order in the JSON")]
    InEvents,
}
