//! [`Invalid`]: a value that violates its rule, and its field.

/// A value that is refused: the field, as it is called on the wire, and the rule that it breaks.
///
/// ```
/// use live::{AgentName, Invalid};
/// let refused = AgentName::parse("").expect_err("empty");
/// assert_eq!(refused.to_string(), "agent_name: must have 1 to 100 characters, not 0");
/// assert_eq!(refused.within("event").field, "event.agent_name");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {rule}")]
pub struct Invalid {
    /// The path of the field, such as `request.contents[2].parts[0].function_call.args`.
    pub field: String,
    /// The rule, and how the value breaks it.
    pub rule: String,
}

impl Invalid {
    /// A fault of `field`.
    #[must_use]
    pub fn new(field: impl Into<String>, rule: impl Into<String>) -> Self {
        Self { field: field.into(), rule: rule.into() }
    }

    /// The same fault seen from one message further out.
    #[must_use]
    pub fn within(self, outer: &str) -> Self {
        let joint = if self.field.is_empty() || self.field.starts_with('[') { "" } else { "." };
        Self { field: format!("{outer}{joint}{}", self.field), rule: self.rule }
    }

    /// The same fault seen from the list that holds the value.
    #[must_use]
    pub fn at(self, list: &str, position: usize) -> Self {
        self.within(&format!("{list}[{position}]"))
    }
}
