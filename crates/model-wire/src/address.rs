//! Parses a request's path: the vendor's API, and Gemini's model and method.

use crate::api_fault::{ApiFault, FaultKind};

/// A vendor's API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Vendor {
    /// OpenAI's Chat Completions, and all other paths below `/v1/`.
    OpenAiChat,
    /// OpenAI's Responses.
    OpenAiResponses,
    /// Anthropic's Messages.
    Anthropic,
    /// Gemini's API.
    Gemini,
}

impl Vendor {
    /// The vendor of a path, which may begin with a session and an agent; `None` for other paths.
    ///
    /// ```
    /// use model_wire::Vendor;
    /// assert_eq!(Vendor::of_path("/s/demo/a/planner/v1/messages"), Some(Vendor::Anthropic));
    /// assert_eq!(Vendor::of_path("/agents"), None);
    /// ```
    #[must_use]
    pub fn of_path(path: &str) -> Option<Self> {
        let mut rest = path;
        for prefix in ["/s/", "/a/"] {
            if let Some(named) = rest.strip_prefix(prefix) {
                rest = named.find('/').map_or("", |end| &named[end..]);
            }
        }
        if rest.starts_with("/v1/messages") {
            Some(Self::Anthropic)
        } else if rest.starts_with("/v1/responses") {
            Some(Self::OpenAiResponses)
        } else if rest.starts_with("/v1beta/") || is_gemini_call(rest) {
            Some(Self::Gemini)
        } else {
            rest.starts_with("/v1/").then_some(Self::OpenAiChat)
        }
    }
}

fn is_gemini_call(path: &str) -> bool {
    path.strip_prefix("/v1/models/").is_some_and(|model| model.contains(':'))
}

/// The last segment of a Gemini path: the model, and whether the response is streamed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct GeminiCall<'a> {
    /// The model.
    pub model: &'a str,
    /// Whether the response is streamed.
    pub stream: bool,
}

impl<'a> GeminiCall<'a> {
    /// Reads `MODEL:generateContent` and `MODEL:streamGenerateContent`.
    ///
    /// # Errors
    /// [`FaultKind::NotImplemented`] for methods that a person cannot do, such as counting tokens, and
    /// [`FaultKind::NotFound`] for unknown methods.
    pub fn read(segment: &'a str) -> Result<Self, ApiFault> {
        let (model, method) = segment.rsplit_once(':').unwrap_or((segment, ""));
        match method {
            "generateContent" => Ok(Self { model, stream: false }),
            "streamGenerateContent" => Ok(Self { model, stream: true }),
            "countTokens" | "embedContent" | "batchEmbedContents" => {
                let message =
                    format!("{method} is not supported, because a person responds to the requests");
                Err(ApiFault::new(FaultKind::NotImplemented, message))
            }
            _ => {
                let message = format!(
                    "unknown {segment:?}: use MODEL:generateContent or MODEL:streamGenerateContent"
                );
                Err(ApiFault::new(FaultKind::NotFound, message))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vendor_is_detected_behind_any_prefix() {
        for prefix in ["", "/s/demo", "/a/planner", "/s/demo/a/planner"] {
            let vendor = |path: &str| Vendor::of_path(&format!("{prefix}{path}"));
            assert_eq!(vendor("/v1/chat/completions"), Some(Vendor::OpenAiChat));
            assert_eq!(vendor("/v1/responses"), Some(Vendor::OpenAiResponses));
            assert_eq!(vendor("/v1/messages"), Some(Vendor::Anthropic));
            assert_eq!(vendor("/v1beta/models/m:generateContent"), Some(Vendor::Gemini));
            assert_eq!(vendor("/v1/models/m:generateContent"), Some(Vendor::Gemini));
            assert_eq!(vendor("/v1/models/m"), Some(Vendor::OpenAiChat));
            assert_eq!(vendor("/agents"), None);
        }
        assert_eq!(Vendor::of_path("/"), None);
    }

    #[test]
    fn method_follows_the_last_colon() {
        let read = GeminiCall::read("tuned:1:streamGenerateContent").expect("valid");
        assert_eq!(read, GeminiCall { model: "tuned:1", stream: true });
        let kind = |segment| GeminiCall::read(segment).expect_err("an error").kind;
        assert_eq!(kind("m:countTokens"), FaultKind::NotImplemented);
        assert_eq!(kind("m:train"), FaultKind::NotFound);
        assert_eq!(kind("m"), FaultKind::NotFound);
    }
}
