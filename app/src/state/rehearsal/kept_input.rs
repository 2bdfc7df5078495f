//! The person's input in the forms of a rehearsal, as a tab keeps it over a reload.

use std::collections::BTreeMap;

use leptos::prelude::*;
use serde::{Deserialize, Serialize};
use session::CallId;

use super::forms::{FormKey, Forms, SetAside};
use crate::state::value_form::ValueForm;

/// The input in one form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entered {
    /// JSON as far as it is entered, or the text of a text field.
    text: String,
    /// Whether it is edited as JSON text.
    #[serde(default)]
    is_json: bool,
}

/// The input of a rehearsal.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct KeptInput {
    #[serde(default)]
    query: String,
    #[serde(default)]
    response: String,
    /// What is entered in each form, by the name of the form.
    #[serde(default)]
    entered: BTreeMap<String, Entered>,
    /// The final responses of the callers of agents that the person acts as: the call, the text, the form.
    #[serde(default)]
    aside: Vec<(CallId, String, Option<Entered>)>,
}

impl KeptInput {
    pub(super) fn read(text: &str) -> Option<Self> {
        serde_json::from_slice(text.as_bytes()).ok()
    }

    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// The name of a form for input that a pending call waits for.
#[must_use]
pub fn name_of_call(call_id: &CallId, part: &str) -> String {
    format!("{}{part}", call_prefix(call_id))
}

/// The name of the form for the answer to a question. Another question may have the same number after a
/// restart of the host.
#[must_use]
pub fn name_of_question(number: u64, message: &str) -> String {
    format!("{}{message}", question_prefix(number))
}

fn call_prefix(call_id: &CallId) -> String {
    format!("call.{call_id}.")
}

fn question_prefix(number: u64) -> String {
    format!("question.{number}.")
}

/// The name of the form for `key`.
pub(super) fn name(key: &FormKey) -> String {
    match key {
        FormKey::Query => "query".to_owned(),
        FormKey::Response => "response".to_owned(),
        FormKey::Tool { agent, name } => {
            format!("tool.{}", serde_json::to_string(&(agent, name)).unwrap_or_default())
        }
    }
}

impl Forms {
    /// Keeps the input from now on.
    pub(super) fn keeps_input(self) {
        self.keeps.set_value(true);
        let made: Vec<_> = self
            .made
            .with_value(|made| made.iter().map(|(key, (_, form))| (name(key), *form)).collect());
        self.owned(|| made.into_iter().for_each(|(name, form)| self.keep(name, form)));
    }

    /// Takes up kept input.
    pub(super) fn take_up(self, input: KeptInput) {
        self.query.write(input.query);
        self.response.write(input.response);
        self.entered.set(input.entered);
        let aside = input.aside.into_iter();
        let aside =
            aside.map(|(call_id, text, entered)| SetAside { call_id, text, form: None, entered });
        self.aside.set_value(aside.collect());
    }

    /// The input now. Tracked.
    pub(super) fn kept_input(self) -> KeptInput {
        // What is put aside changes with what is entered.
        KeptInput {
            query: self.query.text.get(),
            response: self.response.text.get(),
            entered: self.entered.get(),
            aside: self.aside.with_value(|aside| {
                aside
                    .iter()
                    .map(|it| (it.call_id.clone(), it.text.clone(), it.entered.clone()))
                    .collect()
            }),
        }
    }

    /// Takes up what was entered in `form` before a reload, and keeps what is entered from now on, until the
    /// current owner is cleaned up.
    pub fn keep(self, name: String, form: ValueForm) {
        let kept = self.entered.with_untracked(|entered| entered.get(&name).cloned());
        if let Some(Entered { text, is_json }) = kept
            && !untrack(|| form.is_edited())
        {
            form.take_up(&text, is_json);
        }
        Effect::new(move |_| {
            let now = form.is_edited().then(|| Entered {
                text: form.reading.read().text().to_owned(),
                is_json: form.is_json(),
            });
            self.enter(&name, now);
        });
    }

    /// As [`Self::keep`], for a text.
    pub fn keep_text(self, name: String, text: RwSignal<String>) {
        let begin = text.get_untracked();
        if let Some(kept) = self.entered.with_untracked(|entered| entered.get(&name).cloned()) {
            text.set(kept.text);
        }
        Effect::new(move |_| {
            let now = text.get();
            self.enter(&name, (now != begin).then_some(Entered { text: now, is_json: false }));
        });
    }

    /// Whether anything is entered in the form of this name. Untracked.
    #[must_use]
    pub fn has_kept(self, name: &str) -> bool {
        self.entered.with_untracked(|entered| entered.contains_key(name))
    }

    fn enter(self, name: &str, now: Option<Entered>) {
        if self.entered.with_untracked(|entered| entered.get(name) == now.as_ref()) {
            return;
        }
        self.entered.update(|entered| match now {
            Some(now) => drop(entered.insert(name.to_owned(), now)),
            None => drop(entered.remove(name)),
        });
    }

    /// Removes what is kept for a call that has ended.
    pub(super) fn forget_call(self, call_id: &CallId) {
        self.forget_names(&call_prefix(call_id));
    }

    /// Removes what is kept for a question that needs no answer.
    pub(super) fn forget_question(self, number: u64) {
        self.forget_names(&question_prefix(number));
    }

    fn forget_names(self, prefix: &str) {
        let has_any = |entered: &BTreeMap<String, Entered>| {
            entered.keys().any(|name| name.starts_with(prefix))
        };
        if self.entered.with_untracked(has_any) {
            self.entered.update(|entered| entered.retain(|name, _| !name.starts_with(prefix)));
        }
    }
}

#[cfg(test)]
mod tests {
    use json_text::JsonText;
    use schema_form::{Edit, Integers, Path};
    use session::ToolName;

    use super::*;
    use crate::state::rehearsal::FormSource;

    fn source(key: FormKey) -> FormSource {
        let schema = r#"{"type": "object", "properties": {"days": {"type": "integer"}}}"#;
        let schema = JsonText::parse(schema).ok();
        FormSource { key, schema, integers: Integers::Any }
    }

    fn tool(agent: Option<&str>) -> FormKey {
        let name = ToolName::parse("plan").expect("valid");
        FormKey::Tool { agent: agent.map(str::to_owned), name }
    }

    fn entered(text: &str, is_json: bool) -> Entered {
        Entered { text: text.to_owned(), is_json }
    }

    fn forms(input: &str) -> Forms {
        let forms = Forms::new();
        forms.keeps_input();
        forms.take_up(KeptInput::read(input).expect("reads"));
        forms
    }

    #[test]
    fn kept_input_fills_the_forms_that_it_was_entered_in() {
        let owner = Owner::new();
        owner.set();
        let kept = KeptInput {
            query: "Plan".to_owned(),
            entered: BTreeMap::from([
                (name(&tool(None)), entered(r#"{"days": 2}"#, false)),
                (name(&FormKey::Response), entered(r#"{"days": 1e"#, false)),
            ]),
            ..KeptInput::default()
        };
        let forms = forms(&serde_json::to_string(&kept).expect("writes"));
        assert_eq!(forms.query.text.get_untracked(), "Plan");
        let value = |key| {
            let form = forms.of(&source(key));
            let text = form.reading.read_untracked().text().to_owned();
            (untrack(|| form.is_json()), text.split_whitespace().collect::<String>())
        };
        assert_eq!(value(tool(None)), (false, r#"{"days":2}"#.to_owned()));
        assert_eq!(value(tool(Some("billing"))), (false, "{}".to_owned()), "another agent's tool");
        assert_eq!(value(FormKey::Response), (true, r#"{"days":1e"#.to_owned()), "unfinished");
        assert!(untrack(|| forms.of(&source(tool(None))).undoable()).is_none());
    }

    #[test]
    fn a_response_that_was_put_aside_comes_back_after_a_reload() {
        let owner = Owner::new();
        owner.set();
        let before = Forms::new();
        before.response.write("Almost".to_owned());
        before.entered.set(BTreeMap::from([(name(&FormKey::Response), entered("{", true))]));
        let call = CallId::parse("c1").expect("valid");
        before.begin_acting(call.clone());
        before.response.write("As the agent".to_owned());
        let kept = serde_json::to_string(&untrack(|| before.kept_input())).expect("writes");
        let after = forms(&kept);
        assert_eq!(after.response.text.get_untracked(), "As the agent");
        after.end_acting(&call);
        assert_eq!(after.response.text.get_untracked(), "Almost");
        let form = after.of(&source(FormKey::Response));
        assert!(untrack(|| form.is_json()));
        form.edit(&Path::root(), Edit::SetText("{}".to_owned()));
    }

    #[test]
    fn input_for_what_has_ended_is_not_kept() {
        let owner = Owner::new();
        owner.set();
        let forms = Forms::new();
        let call = CallId::parse("c1").expect("valid");
        let names = [
            name_of_call(&call, "text"),
            name_of_question(1, "Why?"),
            name_of_question(11, "How?"),
        ];
        forms.entered.set(names.iter().map(|name| (name.clone(), entered("a", false))).collect());
        forms.forget_call(&call);
        forms.forget_question(1);
        let left: Vec<String> = forms.entered.get_untracked().into_keys().collect();
        assert_eq!(left, [names[2].clone()]);
        forms.forget();
        assert!(untrack(|| forms.kept_input()).is_empty());
    }

    #[test]
    fn garbage_is_not_read() {
        for text in ["", "{", "[]", "null", r#"{"entered": 1}"#, r#"{"query": {}}"#] {
            assert_eq!(KeptInput::read(text).filter(|it| !it.is_empty()), None, "{text}");
        }
    }
}
