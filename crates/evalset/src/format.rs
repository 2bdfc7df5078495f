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

    /// Its name for people, such as `AgentFlow's format`.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Adk => "ADK's format",
            Self::AdkLegacy => "ADK's older format",
            Self::AgentFlow => "AgentFlow's format",
        }
    }

    /// Detects the format of a whole file, which must be JSON.
    ///
    /// A list is ADK's older format. The format of a set is detected from its cases ([`FormatDetector`]).
    /// If they do not decide, a set with `eval_cases` is ADK's. One without is in neither format
    /// ([`Caseless`]) if it has fields that no set has. Else it is AgentFlow's, which does not require
    /// them. A file with results is ADK's history, which is neither.
    #[cfg(test)]
    fn of_set(text: &str) -> Self {
        DetectedFormat::of_set(text).format
    }
}

/// The format of a file, and what in the file shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DetectedFormat {
    /// The format.
    pub format: Format,
    /// Such as `"user_content.parts" in the case at index 0`.
    pub evidence: String,
}

impl DetectedFormat {
    /// The format that the user has chosen.
    #[must_use]
    pub fn chosen(format: Format) -> Self {
        Self { format, evidence: "it is given".to_owned() }
    }

    /// A list, which only ADK's older format is.
    #[must_use]
    pub fn older() -> Self {
        Self { format: Format::AdkLegacy, evidence: "the file is a list".to_owned() }
    }

    /// A set in whose cases nothing shows the format.
    #[must_use]
    pub fn assumed() -> Self {
        let evidence = "no case shows another, so it is assumed".to_owned();
        Self { format: Format::Adk, evidence }
    }

    pub(crate) fn of_set(text: &str) -> Self {
        let mut cursor = Cursor::new(text);
        if cursor.kind() == Kind::Array {
            return Self::older();
        }
        if cursor.kind() != Kind::Object {
            return Self::assumed();
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
                if detector.inspect(case.text).is_some() {
                    return detector.detected();
                }
            }
        }
        if names_cases || !is_set_without_cases(text) {
            return detector.detected();
        }
        Self { format: Format::AgentFlow, evidence: "it has no \"eval_cases\"".to_owned() }
    }
}

/// Detects the format of a set from its cases.
///
/// The first case with a field that only one of the formats accepts decides. A case without a
/// conversation has none: it is a mistake, though only ADK rejects it.
///
/// ```
/// use evalset::{Format, FormatDetector};
/// let mut detector = FormatDetector::default();
/// assert_eq!(detector.inspect(r#"{"eval_id": "a"}"#), None);
/// let agentflow = r#"{"eval_id": "b", "conversation": [{"expected_tool_trajectory": []}]}"#;
/// assert_eq!(detector.inspect(agentflow), Some(Format::AgentFlow));
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct FormatDetector {
    inspected: usize,
    certain: Option<(Format, &'static str)>,
}

impl FormatDetector {
    /// Inspects the next case, which must be JSON, and returns the format as soon as it is certain.
    pub fn inspect(&mut self, case: &str) -> Option<Format> {
        let mut evidence = Evidence::default();
        evidence.look_at_case(&mut Cursor::new(case));
        self.inspected += 1;
        self.certain = match (evidence.adk, evidence.agentflow) {
            (Some(field), None) => Some((Format::Adk, field)),
            (None, Some(field)) => Some((Format::AgentFlow, field)),
            (Some(_), Some(_)) | (None, None) => None,
        };
        self.certain.map(|(format, _)| format)
    }

    /// The likely format with its evidence, ADK's by default.
    #[must_use]
    pub fn detected(self) -> DetectedFormat {
        if let Some((format, field)) = self.certain {
            let index = self.inspected.saturating_sub(1);
            let evidence = format!("it has {field:?} in the case at index {index}");
            return DetectedFormat { format, evidence };
        }
        DetectedFormat::assumed()
    }
}

/// An object without cases, none of which can therefore show its format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Caseless {
    /// It has the id of a set, and only fields of AgentFlow's sets, which need no cases.
    Set,
    /// It has others.
    Unknown,
}

impl Caseless {
    /// `None` for an object with cases, for a set converted from ADK's format, and for other values.
    pub(crate) fn of(text: &str) -> Option<Self> {
        let mut cursor = Cursor::new(text);
        if cursor.kind() != Kind::Object {
            return None;
        }
        let (mut has_id, mut has_others) = (false, false);
        cursor.enter();
        while cursor.more() {
            match &*cursor.key() {
                "eval_cases" | "evalCases" => return None,
                "metadata" if cursor.kind() == Kind::Object => {
                    cursor.enter();
                    while cursor.more() {
                        if cursor.key() == "adk" {
                            return None;
                        }
                        cursor.pass();
                    }
                    continue;
                }
                "eval_set_id" => has_id = true,
                "name" | "description" | "metadata" => {}
                _ => has_others = true,
            }
            cursor.pass();
        }
        Some(if has_id && !has_others { Self::Set } else { Self::Unknown })
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
    /// A field of ADK's, and one of AgentFlow's.
    adk: Option<&'static str>,
    agentflow: Option<&'static str>,
}

impl Evidence {
    fn look_at_case(&mut self, cursor: &mut Cursor<'_>) {
        if cursor.kind() != Kind::Object {
            cursor.pass();
            return;
        }
        cursor.enter();
        while cursor.more() {
            let key = cursor.key();
            match &*key {
                "conversation" if cursor.kind() == Kind::Array => {
                    cursor.enter();
                    while cursor.more() {
                        self.look_at_invocation(cursor);
                    }
                }
                "conversation_scenario" | "conversationScenario" => {
                    // AgentFlow does not have it, but would not reject it either.
                    if cursor.kind() == Kind::Object {
                        self.adk.get_or_insert("conversation_scenario");
                    }
                    cursor.pass();
                }
                "evalId" => self.found_adk("evalId", cursor),
                "sessionInput" => self.found_adk("sessionInput", cursor),
                "creationTimestamp" => self.found_adk("creationTimestamp", cursor),
                "finalSessionState" => self.found_adk("finalSessionState", cursor),
                "session_input" if cursor.kind() == Kind::Object => {
                    self.look_at_session_input(cursor);
                }
                // What a conversion from ADK leaves there, also of a case with only a plan.
                "metadata" if cursor.kind() == Kind::Object => {
                    cursor.enter();
                    while cursor.more() {
                        if cursor.key() == "adk" {
                            self.agentflow.get_or_insert("metadata.adk");
                        }
                        cursor.pass();
                    }
                }
                _ => {
                    cursor.pass();
                }
            }
        }
    }

    fn found_adk(&mut self, field: &'static str, cursor: &mut Cursor<'_>) {
        self.adk.get_or_insert(field);
        cursor.pass();
    }

    fn found_agentflow(&mut self, field: &'static str, cursor: &mut Cursor<'_>) {
        self.agentflow.get_or_insert(field);
        cursor.pass();
    }

    fn look_at_session_input(&mut self, cursor: &mut Cursor<'_>) {
        let (mut adk, mut agentflow) = (false, None);
        cursor.enter();
        while cursor.more() {
            match &*cursor.key() {
                "app_name" | "appName" | "user_id" | "userId" => adk = true,
                "thread_id" => agentflow = Some("session_input.thread_id"),
                "config" => agentflow = Some("session_input.config"),
                "initial_state" => agentflow = Some("session_input.initial_state"),
                _ => {}
            }
            cursor.pass();
        }
        if !adk {
            self.agentflow = self.agentflow.or(agentflow);
        }
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
                    let (mut content, mut parts) = (false, false);
                    cursor.enter();
                    while cursor.more() {
                        let key = cursor.key();
                        content |= key == "content";
                        parts |= key == "parts";
                        cursor.pass();
                    }
                    if content {
                        self.agentflow.get_or_insert("user_content.content");
                    } else {
                        let parts = if parts { "user_content.parts" } else { "user_content" };
                        self.adk.get_or_insert(parts);
                    }
                }
                "userContent" => self.found_adk("userContent", cursor),
                "finalResponse" => self.found_adk("finalResponse", cursor),
                "intermediateData" => self.found_adk("intermediateData", cursor),
                "invocationId" => self.found_adk("invocationId", cursor),
                "expected_tool_trajectory" => {
                    self.found_agentflow("expected_tool_trajectory", cursor);
                }
                "expected_node_order" => self.found_agentflow("expected_node_order", cursor),
                "expected_intermediate_responses" => {
                    self.found_agentflow("expected_intermediate_responses", cursor);
                }
                "expected_final_response" => {
                    self.found_agentflow("expected_final_response", cursor);
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
            (set(r#"{"eval_id":"a"}"#), Format::Adk),
            (
                set(r#"{"eval_id":"a","metadata":{"adk":{"conversation_scenario":{}}}}"#),
                Format::AgentFlow,
            ),
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
