//! [`ParsedRequest`]: a vendor's request, parsed.

use json_text::JsonText;
use live::LlmRequest;

use crate::custom::FreeText;

/// A request for a person, and what its response needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedRequest {
    /// The request. `generation_config` has the members of the body without a field of their own, under
    /// the vendor's names, such as tools other than functions.
    pub request: LlmRequest,
    /// Whether the client expects a stream of events.
    pub stream: bool,
    /// The number of candidates that the client accepts, at least one.
    pub candidates: usize,
    /// Members of the request that the vendor's response repeats, an object.
    pub echo: Option<JsonText>,
    /// The tools that take free text.
    pub free_text: FreeText,
    /// Whether the client requests the counts of tokens at the end of a stream.
    pub include_usage: bool,
}

impl ParsedRequest {
    pub(crate) fn new(request: LlmRequest) -> Self {
        Self {
            request,
            stream: false,
            candidates: 1,
            echo: None,
            free_text: FreeText::default(),
            include_usage: false,
        }
    }
}
