//! [`AdkMark`]: what the tools of a case returned whose responses are written as google-adk's runner records them.
//!
//! The runner records a dict as it is and any other value as `{"result": ...}`, and takes images,
//! sounds and files out into `parts`. Different results then have the same response, so a case has a
//! mark with the results that its responses do not tell.

use std::collections::{BTreeMap, BTreeSet};

use json_text::{JsonText, Node};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{EvalCase, FunctionResponse};

/// The field of a case that says how its results are written.
const MARK: &str = "rehearsal";
/// The name of google-adk's form in the mark.
const ADK: &str = "adk";

/// The mark of a case: how its results are written, and what else its turns do not tell.
#[derive(Debug, Serialize, Deserialize)]
pub struct AdkMark {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    tool_response: String,
    /// What the tools returned where the responses do not tell, by the id of the call.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    returned: BTreeMap<String, JsonText>,
    /// The ids of calls that a person confirmed.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    confirmed: BTreeSet<String>,
}

impl Default for AdkMark {
    fn default() -> Self {
        let (returned, confirmed) = (BTreeMap::new(), BTreeSet::new());
        Self { tool_response: ADK.to_owned(), returned, confirmed }
    }
}

impl AdkMark {
    /// In a result of the mark, the data of the response's part with this number.
    pub const PART: &str = "$part";

    /// The mark of `case`; `None` if its results are not marked as google-adk's.
    #[must_use]
    pub fn of(case: &EvalCase) -> Option<Self> {
        let mark: Self = case.written.extra(MARK)?.decode().ok()?;
        (mark.tool_response == ADK).then_some(mark)
    }

    /// The ids of the calls in `case` that a person confirmed in a rehearsal.
    #[must_use]
    pub fn confirmed(case: &EvalCase) -> BTreeSet<String> {
        let mark = case.written.extra(MARK).and_then(|mark| mark.decode::<Self>().ok());
        mark.map(|mark| mark.confirmed).unwrap_or_default()
    }

    /// Notes that a person confirmed these calls.
    pub fn set_confirmed(&mut self, ids: BTreeSet<String>) {
        self.confirmed = ids;
    }

    /// A mark that does not say how results are written.
    #[must_use]
    pub fn without_results() -> Self {
        Self { tool_response: String::new(), ..Self::default() }
    }

    /// Marks `case`.
    pub fn write(&self, case: &mut EvalCase) {
        case.written.set_extra(MARK, object(self));
    }

    /// Keeps what the call `id` returned, with [`Self::PART`] in place of data that is in the response's parts.
    pub fn keep(&mut self, id: &str, result: JsonText) {
        self.returned.insert(id.to_owned(), result);
    }

    /// What the tool returned whose response is `response`, if it has one.
    #[must_use]
    pub fn returned(&self, response: &FunctionResponse) -> Option<JsonText> {
        let recorded = response.response.as_ref()?;
        let kept = response.id.as_ref().and_then(|id| self.returned.get(id));
        match (kept, response.written.extra("parts").map(JsonText::open)) {
            (Some(shape), Some(Node::Array(parts))) => Some(with_data(shape, &parts)),
            // The response may have been edited since.
            (Some(kept), _) if kept.compact() == recorded.compact() => Some(kept.clone()),
            _ => Some(Self::result_of(recorded)),
        }
    }

    /// The result in a response without the mark.
    #[must_use]
    pub fn result_of(response: &JsonText) -> JsonText {
        match response.open() {
            Node::Object(members) => match members.as_slice() {
                [(key, result)] if key == "result" => JsonText::from(*result),
                _ => response.clone(),
            },
            _ => response.clone(),
        }
    }
}

/// `shape` with the data of `parts` in place of their numbers.
fn with_data(shape: &JsonText, parts: &[&RawValue]) -> JsonText {
    let Node::Object(members) = shape.open() else {
        let Node::Array(items) = shape.open() else { return shape.clone() };
        let items = items.into_iter().map(|raw| with_data(&JsonText::from(raw), parts));
        return object(&items.collect::<Vec<_>>());
    };
    if let [(key, number)] = members.as_slice()
        && key == AdkMark::PART
        && let Some(part) = number.get().parse().ok().and_then(|at: usize| parts.get(at))
    {
        let part = JsonText::from(*part);
        let inline = member(&part, "inline_data").or_else(|| member(&part, "inlineData"));
        return inline.and_then(|inline| member(&inline, "data")).unwrap_or_else(JsonText::null);
    }
    let members =
        members.into_iter().map(|(key, raw)| (key, with_data(&JsonText::from(raw), parts)));
    object(&members.collect::<indexmap::IndexMap<_, _>>())
}

fn member(value: &JsonText, name: &str) -> Option<JsonText> {
    let Node::Object(members) = value.open() else { return None };
    members.into_iter().find(|(key, _)| key == name).map(|(_, raw)| JsonText::from(raw))
}

/// Serializes a value with text keys, which cannot fail.
fn object(value: &impl Serialize) -> JsonText {
    JsonText::serialize(value).unwrap_or_else(|_| JsonText::null())
}
