//! [`Format`]: detects the format of a file from its content.

use json_text::Kind;

use crate::reading::Cursor;

/// The formats of eval sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// Google ADK's current one.
    Adk,
    /// ADK's older one: a list.
    AdkLegacy,
    /// AgentFlow's.
    AgentFlow,
}

impl Format {
    /// `adk`, `adk-legacy` or `agentflow`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Adk => "adk",
            Self::AdkLegacy => "adk-legacy",
            Self::AgentFlow => "agentflow",
        }
    }

    /// Detects the format of a whole file, which must be JSON.
    ///
    /// A list is ADK's older format. The format of a set is detected from its cases ([`FormatDetector`]).
    /// If they do not decide, a set with `eval_cases` is ADK's, and one without, which ADK requires, is
    /// AgentFlow's. A file with results is ADK's history, which is neither.
    pub(crate) fn of_set(text: &str) -> Self {
        let mut cursor = Cursor::new(text);
        if cursor.kind() == Kind::Array {
            return Self::AdkLegacy;
        }
        if cursor.kind() != Kind::Object {
            return Self::Adk;
        }
        let mut names_cases = false;
        let mut detector = FormatDetector::default();
        cursor.enter();
        while cursor.more() {
            let key = cursor.key();
            if !matches!(&*key, "eval_cases" | "evalCases") || cursor.kind() != Kind::Array {
                cursor.pass();
                continue;
            }
            names_cases = true;
            cursor.enter();
            while cursor.more() {
                let case = cursor.pass();
                if let Some(format) = detector.inspect(case.text) {
                    return format;
                }
            }
        }
        if let Some(format) = detector.format() {
            return format;
        }
        if names_cases || !is_set_without_cases(text) { Self::Adk } else { Self::AgentFlow }
    }
}

/// Detects the format of a set from its cases.
///
/// The first case with a field that only one of the formats accepts decides. A case without a
/// conversation, which ADK rejects and AgentFlow does not, decides only when no other case does,
/// because it may be a mistake in an ADK set.
///
/// ```
/// use evalset::{Format, FormatDetector};
/// let mut detector = FormatDetector::default();
/// assert_eq!(detector.inspect(r#"{"eval_id": "a"}"#), None);
/// assert_eq!(detector.format(), Some(Format::AgentFlow));
/// let adk = r#"{"eval_id": "b", "conversation": [{"user_content": {"parts": []}}]}"#;
/// assert_eq!(detector.inspect(adk), Some(Format::Adk));
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct FormatDetector {
    lacks_conversation: bool,
}

impl FormatDetector {
    /// Inspects the next case, which must be JSON, and returns the format as soon as it is certain.
    pub fn inspect(&mut self, case: &str) -> Option<Format> {
        let mut evidence = Evidence::default();
        evidence.look_at_case(&mut Cursor::new(case));
        match (evidence.adk, evidence.agentflow) {
            (true, false) => Some(Format::Adk),
            (false, true) => Some(Format::AgentFlow),
            (true, true) => None,
            (false, false) => {
                self.lacks_conversation |= evidence.lacks_conversation;
                None
            }
        }
    }

    /// The likely format when no case was certain; `None` when the cases fit both formats or
    /// neither.
    #[must_use]
    pub fn format(self) -> Option<Format> {
        self.lacks_conversation.then_some(Format::AgentFlow)
    }
}

fn is_set_without_cases(text: &str) -> bool {
    let mut cursor = Cursor::new(text);
    let (mut has_id, mut has_results) = (false, false);
    cursor.enter();
    while cursor.more() {
        let key = cursor.key();
        has_id |= key == "eval_set_id";
        has_results |= matches!(&*key, "eval_case_results" | "evalCaseResults");
        cursor.pass();
    }
    has_id && !has_results
}

/// What a case has that only one format accepts.
#[derive(Debug, Default)]
struct Evidence {
    adk: bool,
    agentflow: bool,
    /// It has neither a conversation nor what ADK takes for one.
    lacks_conversation: bool,
}

impl Evidence {
    fn look_at_case(&mut self, cursor: &mut Cursor<'_>) {
        if cursor.kind() != Kind::Object {
            cursor.pass();
            return;
        }
        // ADK needs one of the two; AgentFlow none.
        let mut has_conversation = false;
        cursor.enter();
        while cursor.more() {
            match &*cursor.key() {
                "conversation" if cursor.kind() == Kind::Array => {
                    has_conversation = true;
                    cursor.enter();
                    while cursor.more() {
                        self.look_at_invocation(cursor);
                    }
                }
                "conversation" => {
                    has_conversation |= cursor.kind() != Kind::Null;
                    cursor.pass();
                }
                "conversation_scenario" | "conversationScenario" => {
                    has_conversation = true;
                    // AgentFlow does not have it, but would not reject it either.
                    self.adk |= cursor.kind() == Kind::Object;
                    cursor.pass();
                }
                "evalId" | "sessionInput" | "creationTimestamp" | "finalSessionState" => {
                    self.adk = true;
                    cursor.pass();
                }
                "session_input" if cursor.kind() == Kind::Object => {
                    self.look_at_session_input(cursor);
                }
                _ => {
                    cursor.pass();
                }
            }
        }
        self.lacks_conversation = !has_conversation;
    }

    fn look_at_session_input(&mut self, cursor: &mut Cursor<'_>) {
        let (mut adk, mut agentflow) = (false, false);
        cursor.enter();
        while cursor.more() {
            match &*cursor.key() {
                "app_name" | "appName" | "user_id" | "userId" => adk = true,
                "thread_id" | "config" | "initial_state" => agentflow = true,
                _ => {}
            }
            cursor.pass();
        }
        self.agentflow |= agentflow && !adk;
    }

    fn look_at_invocation(&mut self, cursor: &mut Cursor<'_>) {
        if cursor.kind() != Kind::Object {
            cursor.pass();
            return;
        }
        cursor.enter();
        while cursor.more() {
            match &*cursor.key() {
                "user_content" if cursor.kind() == Kind::Object => {
                    let mut content = false;
                    cursor.enter();
                    while cursor.more() {
                        content |= cursor.key() == "content";
                        cursor.pass();
                    }
                    self.agentflow |= content;
                    self.adk |= !content;
                }
                "userContent" | "finalResponse" | "intermediateData" | "invocationId" => {
                    self.adk = true;
                    cursor.pass();
                }
                "expected_tool_trajectory"
                | "expected_intermediate_responses"
                | "expected_final_response" => {
                    self.agentflow = true;
                    cursor.pass();
                }
                _ => {
                    cursor.pass();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn format_is_detected_from_content() {
        let set = |cases: &str| format!(r#"{{"eval_set_id":"s","eval_cases":[{cases}]}}"#);
        for (text, format) in [
            ("[]".to_owned(), Format::AdkLegacy),
            (r#"[{"query":"hi"}]"#.to_owned(), Format::AdkLegacy),
            (set(""), Format::Adk),
            (r#"{"eval_set_id":"s"}"#.to_owned(), Format::AgentFlow),
            (r#"{"eval_set_id":"s","eval_case_results":[]}"#.to_owned(), Format::Adk),
            (r#"{"eval_set_id":"s","metadata":{},"eval_cases":[]}"#.to_owned(), Format::Adk),
            (set(r#"{"eval_id":"a","conversation":[]}"#), Format::Adk),
            (set(r#"{"eval_id":"a"}"#), Format::AgentFlow),
            (set(r#"{"eval_id":"a"},{"eval_id":"b","conversation":[]}"#), Format::AgentFlow),
            (
                set(r#"{"eval_id":"a"},{"eval_id":"b","conversation":[{"finalResponse":null}]}"#),
                Format::Adk,
            ),
            (
                set(
                    r#"{"eval_id":"a"},{"eval_id":"b","conversation":[{"expected_final_response":null}]}"#,
                ),
                Format::AgentFlow,
            ),
            (set(r#"{"eval_id":"a","conversation":[{"user_content":{"parts":[]}}]}"#), Format::Adk),
            (
                set(
                    r#"{"eval_id":"a","conversation":[{"user_content":{"role":"user","content":""}}]}"#,
                ),
                Format::AgentFlow,
            ),
            (
                set(
                    r#"{"eval_id":"a","conversation":[]},{"eval_id":"b","conversation":[],"session_input":{"thread_id":"t"}}"#,
                ),
                Format::AgentFlow,
            ),
            (
                set(
                    r#"{"eval_id":"a","conversation_scenario":{"starting_prompt":"","conversation_plan":""}}"#,
                ),
                Format::Adk,
            ),
            (
                set(r#"{"evalId":"a","conversation":[{"userContent":{"role":"user"}}]}"#),
                Format::Adk,
            ),
            ("{}".to_owned(), Format::Adk),
        ] {
            assert_eq!(Format::of_set(&text), format, "{text}");
        }
    }
}
