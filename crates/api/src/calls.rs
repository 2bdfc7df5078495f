//! Tool calls. Their server functions return at once; a [`HostEvent`](super::HostEvent) reports the
//! progress of a call, so that no browser connection stays open while a tool runs.

use json_text::JsonText;
use serde::{Deserialize, Serialize};
use session::{CallId, SessionId, ToolName};

use super::LiveBytes;

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

/// A part of a result that is stored on the host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResultSlice {
    /// Byte offset of `text` in the whole JSON text.
    pub offset: u64,
    /// The part, cut at characters.
    pub text: String,
    /// Length of the whole in bytes.
    pub total: u64,
}

/// One of the contents of an MCP server's resource.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResourceContent {
    /// Its URI: that of the resource, or of a part of it.
    pub uri: String,
    /// Such as `image/png`; may be empty.
    pub mime_type: String,
    /// How many bytes it has.
    pub bytes: u64,
    /// The text if it is short, or the URL from which the host serves the content.
    pub content: LiveBytes,
}
