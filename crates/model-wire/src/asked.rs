//! [`Asked`]: a vendor's request, read.

use json_text::JsonText;
use live::LlmRequest;

use crate::custom::FreeText;

/// A request as it goes to a person, and what its answer needs to know of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// What the model would be given. `generation_config` holds every member of the body that has no
    /// place of its own, in the vendor's words; tools that are no functions are among them.
    pub request: LlmRequest,
    /// Whether the answer is wanted as a stream of events.
    pub stream: bool,
    /// How many candidates the client takes, at least one.
    pub candidates: usize,
    /// Members of the request that the vendor's response repeats, an object.
    pub echo: Option<JsonText>,
    /// Which of the tools take a free text.
    pub free_text: FreeText,
}

impl Asked {
    pub(crate) fn new(request: LlmRequest) -> Self {
        Self { request, stream: false, candidates: 1, echo: None, free_text: FreeText::default() }
    }
}
