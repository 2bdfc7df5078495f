//! [`ToolCall`]: an expected or actual tool call.

use json_text::JsonText;

use super::form;
use crate::OriginalForm;
use crate::equality::same_value;
use crate::model::model;

model! {
    /// An expected or actual tool call.
    pub struct ToolCall { form("a tool call") }
    /// The tool.
    name: String = required,
    /// The arguments: a JSON object; `None` is an empty one.
    args: Option<JsonText> = object,
    /// Its id.
    call_id: Option<String> = optional,
    /// The tool's result: any JSON value.
    result: Option<JsonText> = optional,
}

impl ToolCall {
    /// A call of `name` with `args`, a JSON object.
    #[must_use]
    pub fn new(name: impl Into<String>, args: JsonText) -> Self {
        let (name, args) = (name.into(), Some(args));
        Self { name, args, call_id: None, result: None, written: OriginalForm::default() }
    }

    /// Whether `actual` matches this expected call: the same tool and, if requested, the same arguments and
    /// call id.
    ///
    /// Arguments are compared as Python compares them: `1`, `1.0` and `true` are equal, and the
    /// order of keys does not count.
    ///
    /// ```
    /// use evalset::agentflow::ToolCall;
    /// use json_text::JsonText;
    /// let expected = ToolCall::new("get_weather", JsonText::parse(r#"{"city": "Tokyo"}"#)?);
    /// let actual = ToolCall::new("get_weather", JsonText::parse(r#"{"city":"Paris"}"#)?);
    /// assert!(!expected.matches(&actual, true, false));
    /// assert!(expected.matches(&actual, false, false));
    /// # Ok::<(), json_text::JsonTextError>(())
    /// ```
    #[must_use]
    pub fn matches(&self, actual: &Self, check_args: bool, check_call_id: bool) -> bool {
        let same_args = || match (&self.args, &actual.args) {
            (Some(expected), Some(actual)) => same_value(expected, actual),
            (None, None) => true,
            (Some(args), None) | (None, Some(args)) => args.compact().as_str() == "{}",
        };
        self.name == actual.name
            && (!check_args || same_args())
            && (!check_call_id || self.call_id == actual.call_id)
    }
}
