//! [`YieldInfo`]: what the subject waits for.

use std::fmt;

use json_text::JsonText;
use serde::{Deserialize, Serialize};

/// A wait for the user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct YieldInfo {
    /// What waits.
    #[serde(flatten)]
    pub kind: YieldKind,
    /// The invocation of the framework.
    pub invocation_id: String,
    /// Of a loop yield, whether the user's next message is expected.
    pub awaiting_input: bool,
    /// The id of the call, of a tool yield.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    /// The arguments of the call, of a tool yield.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub args: Option<JsonText>,
    /// What a long-running tool has returned so far.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interim: Option<JsonText>,
}

/// What waits for the user.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
// Not `type`, which is the name of the event in a ledger.
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum YieldKind {
    /// The subject ended its turn.
    Loop,
    /// A tool.
    Tool {
        /// Its name.
        tool_name: String,
    },
}

impl fmt::Display for YieldKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Loop => formatter.write_str("the conversation"),
            Self::Tool { tool_name } => formatter.write_str(tool_name),
        }
    }
}
