//! [`Invalid`]: a value that violates its rule, and its field.

/// An invalid value: its field, by the name on the wire, and the rule that it breaks.
///
/// ```
/// use live::{AgentName, Invalid};
/// let invalid = AgentName::parse("").expect_err("empty");
/// assert_eq!(invalid.to_string(), "agent_name: must have 1 to 100 characters, not 0");
/// assert_eq!(invalid.within("event").field, "event.agent_name");
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
    /// An invalid value of `field`.
    #[must_use]
    pub fn new(field: impl Into<String>, rule: impl Into<String>) -> Self {
        Self { field: field.into(), rule: rule.into() }
    }

    /// The same with the path from the message around it.
    #[must_use]
    pub fn within(self, outer: &str) -> Self {
        let joint = if self.field.is_empty() || self.field.starts_with('[') { "" } else { "." };
        Self { field: format!("{outer}{joint}{}", self.field), rule: self.rule }
    }

    /// The same with the path from the list that contains the value.
    #[must_use]
    pub fn at(self, list: &str, position: usize) -> Self {
        self.within(&format!("{list}[{position}]"))
    }
}
