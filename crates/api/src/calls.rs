//! Tool calls. Each of these returns at once; how a call goes on is told by a
//! [`HostEvent`](super::HostEvent), so that no browser connection is held while a tool runs.

use json_text::JsonText;
use serde::{Deserialize, Serialize};
use session::{CallId, SessionId, ToolName};

/// One tool call to start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolRequest {
    /// The session it belongs to.
    pub session: SessionId,
    /// A new id.
    pub call_id: CallId,
    /// The tool.
    pub tool: ToolName,
    /// The arguments, a JSON object.
    pub arguments: JsonText,
}

/// A part of a result that the host holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResultSlice {
    /// Byte offset of `text` in the whole JSON text.
    pub offset: u64,
    /// The part, cut at characters.
    pub text: String,
    /// Length of the whole in bytes.
    pub total: u64,
}
