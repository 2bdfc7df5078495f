//! [`Draft`]: what the reader enters to fork a result.

use std::collections::BTreeMap;

use api::{CaseRunId, ForkRequest, StepView};
use json_text::{JsonIndex, JsonText, Kind};

/// The members of an edit that can be a plain text.
const TEXTS: [&str; 4] = ["message", "answer", "response", "result"];
/// The continuations unless another number is entered.
const TIMES: u32 = 5;
/// At most so many continuations.
pub const MOST_TIMES: u32 = 100;

/// What a tool can do from the step on, as the host reads it and for people. A simulated one has a model.
pub const TOOL_MODES: [(&str, &str); 6] = [
    ("", "what the case says"),
    ("recorded", "return what it returned"),
    ("simulated", "be played by a model"),
    ("sealed", "run, without effects"),
    ("real", "run, with all effects"),
    ("refused", "end the continuation"),
];

/// Why what is entered cannot be run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DraftError {
    /// The change is not JSON.
    #[error("The change is not valid JSON: {0}.")]
    NotJson(String),
    /// The changes of requests are not JSON.
    #[error("The changes of requests are not valid JSON: {0}.")]
    RequestsNotJson(String),
    /// A tool is to be played by a model, and none is named.
    #[error("Name the model that plays {tool}.")]
    NoModel {
        /// The tool.
        tool: String,
    },
    /// The number of continuations is out of range, or not a number.
    #[error("Enter a number of continuations from 1 to {MOST_TIMES}.")]
    Times,
}

/// What is entered for a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// Whether the step is changed.
    pub changes: bool,
    /// Whether the change is entered as JSON.
    pub is_json: bool,
    /// The member of the edit that is a text; `None` if the step is more than a text.
    pub member: Option<&'static str>,
    /// The change as a text.
    pub text: String,
    /// The change as JSON.
    pub json: String,
    /// Changes of every request to a model, as JSON; empty for none.
    pub requests: String,
    /// The model that goes on; empty for that of the case.
    pub then: String,
    /// The number of continuations, as entered.
    pub times: String,
    /// What tools do, where it is not what the case says: by name, one of [`TOOL_MODES`] and the model of a simulated one.
    pub tools: BTreeMap<String, (String, String)>,
    /// Whether a person says which continuations pass.
    pub by_person: bool,
}

impl Draft {
    /// Nothing is entered for `step` yet.
    #[must_use]
    pub fn of(step: &StepView, by_person: bool) -> Self {
        let plain = plain_text(&step.edit);
        let (member, text) = plain.map_or((None, String::new()), |(name, text)| (Some(name), text));
        Self {
            changes: false,
            is_json: member.is_none(),
            member,
            text,
            json: step.edit.pretty(),
            requests: String::new(),
            then: String::new(),
            times: TIMES.to_string(),
            tools: BTreeMap::new(),
            by_person,
        }
    }

    /// What a tool does: one of [`TOOL_MODES`] and the model.
    #[must_use]
    pub fn tool(&self, name: &str) -> (String, String) {
        self.tools.get(name).cloned().unwrap_or_default()
    }

    /// Chooses what a tool does.
    pub fn set_tool(&mut self, name: &str, mode: &str, model: &str) {
        match mode {
            "" => drop(self.tools.remove(name)),
            mode => {
                let chosen = (mode.to_owned(), model.trim().to_owned());
                self.tools.insert(name.to_owned(), chosen);
            }
        }
    }

    /// Switches between the text and JSON, and keeps what was entered.
    pub fn switch(&mut self, is_json: bool) {
        if is_json == self.is_json {
            return;
        }
        if is_json {
            if let Ok(edit) = self.edit() {
                self.json = edit.pretty();
            }
        } else if let Ok(edit) = JsonText::parse(&self.json)
            && let Some((member, text)) = plain_text(&edit)
        {
            (self.member, self.text) = (Some(member), text);
        }
        self.is_json = is_json;
    }

    /// Whether the continuations are compared with others without a change.
    #[must_use]
    pub fn compares(&self) -> bool {
        self.changes || !self.requests.trim().is_empty()
    }

    /// The change, or why it cannot be used.
    fn edit(&self) -> Result<JsonText, DraftError> {
        match self.member.filter(|_| !self.is_json) {
            Some(member) => {
                let object = serde_json::json!({ member: self.text });
                Ok(JsonText::from_value(&object))
            }
            None => {
                JsonText::parse(&self.json).map_err(|error| DraftError::NotJson(error.to_string()))
            }
        }
    }

    /// The fork, or why it cannot be run.
    ///
    /// # Errors
    /// [`DraftError`] if the change is not JSON, or the number of continuations is not from 1 to 100.
    pub fn request(&self, of: CaseRunId, step: usize) -> Result<ForkRequest, DraftError> {
        let edit = self.changes.then(|| self.edit()).transpose()?;
        let times = self.times.trim().parse().ok().filter(|times| (1..=MOST_TIMES).contains(times));
        let times = times.ok_or(DraftError::Times)?;
        let then = self.then.trim();
        let then = (!then.is_empty()).then(|| then.to_owned());
        let changes = match self.requests.trim() {
            "" => None,
            text => Some(
                JsonText::parse(text)
                    .map_err(|error| DraftError::RequestsNotJson(error.to_string()))?,
            ),
        };
        let written = |(tool, (mode, model)): (&String, &(String, String))| {
            let mode = match (mode.as_str(), model.as_str()) {
                ("simulated", "") => return Err(DraftError::NoModel { tool: tool.clone() }),
                ("simulated", model) => format!("simulated:{model}"),
                (mode, _) => mode.to_owned(),
            };
            Ok((tool.clone(), mode))
        };
        let tools = self.tools.iter().map(written).collect::<Result<_, _>>()?;
        Ok(ForkRequest { of, step, edit, changes, then, times, tools, by_person: self.by_person })
    }
}

/// The only member of an edit and its text; `None` if it is anything else.
fn plain_text(edit: &JsonText) -> Option<(&'static str, String)> {
    let index = JsonIndex::of(edit);
    let root = index.root();
    if root.kind() != Kind::Object {
        return None;
    }
    let entries = root.entries();
    let [(name, value)] = entries.as_slice() else { return None };
    let member = TEXTS.into_iter().find(|text| text == name)?;
    Some((member, value.string()?.into_owned()))
}

#[cfg(test)]
mod tests {
    use api::StepViewKind;

    use super::*;

    fn draft(edit: &str) -> Draft {
        let edit = JsonText::parse(edit).expect("JSON");
        let step = StepView { event: 0, kind: StepViewKind::Message, who: "user".to_owned(), edit };
        Draft::of(&step, false)
    }

    fn id() -> CaseRunId {
        CaseRunId { run: 3, suite: "a".to_owned(), case: "one".to_owned(), repeat: 1 }
    }

    fn edit(draft: &Draft) -> Option<String> {
        let request = draft.request(id(), 4).expect("valid");
        request.edit.map(|edit| edit.compact().to_string())
    }

    #[test]
    fn a_text_is_entered_as_a_text_or_as_json() {
        let mut draft = draft(r#"{"message": "hi"}"#);
        assert_eq!((draft.text.as_str(), draft.is_json), ("hi", false));
        assert_eq!(edit(&draft), None, "the step is done again");
        draft.changes = true;
        draft.text = "say \"no\"".to_owned();
        assert_eq!(edit(&draft).as_deref(), Some(r#"{"message":"say \"no\""}"#));
        draft.switch(true);
        assert_eq!(edit(&draft).as_deref(), Some(r#"{"message":"say \"no\""}"#));
        draft.json = r#"{"message": "yes"}"#.to_owned();
        draft.switch(false);
        assert_eq!(draft.text, "yes");
    }

    #[test]
    fn more_than_a_text_is_entered_as_json() {
        for text in [
            r#"{"response": {"calls": []}}"#,
            r#"{"message": "a", "state": {}}"#,
            "{}",
            "[]",
            r#"{"error": "a"}"#,
        ] {
            assert!(draft(text).is_json, "{text}");
        }
    }

    #[test]
    fn a_fork_names_what_is_missing() {
        let mut draft = draft(r#"{"result": 7}"#);
        draft.changes = true;
        draft.json = "{".to_owned();
        let error = draft.request(id(), 4).expect_err("no JSON").to_string();
        assert!(error.starts_with("The change is not valid JSON: "), "{error}");
        draft.changes = false;
        for times in ["0", "101", "", "five"] {
            draft.times = times.to_owned();
            assert!(draft.request(id(), 4).is_err(), "{times}");
        }
        draft.times = "7".to_owned();
        draft.requests = "{".to_owned();
        let error = draft.request(id(), 4).expect_err("no JSON").to_string();
        assert!(error.starts_with("The changes of requests are not valid JSON"), "{error}");
        draft.requests = r#" {"temperature": 0.50} "#.to_owned();
        let changes = draft.request(id(), 4).expect("valid").changes;
        assert_eq!(changes.map(|it| it.to_string()).as_deref(), Some(r#"{"temperature": 0.50}"#));
        assert!(draft.compares());
        (draft.times, draft.then) = (" 7 ".to_owned(), " gemini ".to_owned());
        let request = draft.request(id(), 4).expect("valid");
        assert_eq!((request.times, request.then.as_deref()), (7, Some("gemini")));
        draft.set_tool("pay", "simulated", "");
        let error = draft.request(id(), 4).expect_err("no model").to_string();
        assert_eq!(error, "Name the model that plays pay.");
        draft.set_tool("pay", "simulated", " gemini ");
        draft.set_tool("look", "sealed", "");
        let tools = draft.request(id(), 4).expect("valid").tools;
        let written = [("look", "sealed"), ("pay", "simulated:gemini")];
        assert_eq!(tools, written.map(|(tool, mode)| (tool.to_owned(), mode.to_owned())));
        draft.set_tool("look", "", "");
        assert_eq!(draft.tool("look"), (String::new(), String::new()));
    }
}
