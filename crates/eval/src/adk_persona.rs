//! Personas of users in google-adk's scenarios, as a model reads them.

use json_text::{JsonIndex, JsonText, JsonValue};
use scoring::nearest::nearest;

use crate::written_answer::END;

/// google-adk's personas.
const PERSONAS: [(&str, &str); 3] = [
    (
        "EXPERT",
        "They know exactly what they want, give all details of a request at once, and see the agent as a tool. \
         They answer only questions that matter for the plan, in a professional tone. They correct the agent's \
         mistakes, help once when it fails, and end the conversation when it fails again.",
    ),
    (
        "NOVICE",
        "They do not fully understand their problem and rely on the agent. They name only the goal and give details \
         when they are asked, answer every question, and chat casually. They cannot correct the agent: when it \
         fails or says something wrong, they end the conversation.",
    ),
    (
        "EVALUATOR",
        "They find out whether the agent can do what the plan asks. They give all details of a request at once, \
         answer only questions that matter for the plan, and chat casually. They do not correct the agent: when it \
         fails or says something wrong, they end the conversation.",
    ),
];

/// google-adk has no persona of this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("user_persona: {name} is unknown; {hint}")]
pub(crate) struct UnknownPersona {
    name: String,
    /// The nearest name.
    hint: String,
}

/// The description of a persona, which is a name or an object.
pub(crate) fn persona(persona: Option<&JsonText>) -> Result<Option<String>, UnknownPersona> {
    let Some(persona) = persona else { return Ok(None) };
    let document = JsonIndex::of(persona);
    let root = document.root();
    if let Some(name) = root.string() {
        let known = PERSONAS.iter().find(|(known, _)| *known == name);
        return match known {
            Some((_, description)) => Ok(Some((*description).to_owned())),
            None => {
                let known = PERSONAS.iter().map(|(known, _)| *known);
                let hint = nearest(&name, known);
                Err(UnknownPersona { name: name.into_owned(), hint })
            }
        };
    }
    let text = |value: JsonValue<'_>, name: &str| {
        value.member(name).and_then(JsonValue::string).unwrap_or_default().into_owned()
    };
    let mut lines = vec![text(root, "description")];
    for behavior in root.member("behaviors").into_iter().flat_map(JsonValue::items) {
        lines.push(format!("{}: {}", text(behavior, "name"), text(behavior, "description")));
        let instructions = behavior.member("behavior_instructions");
        let instructions = instructions.into_iter().flat_map(JsonValue::items);
        lines.extend(instructions.filter_map(JsonValue::string).map(|line| format!("- {line}")));
    }
    let filled = lines.join("\n").replace("{{ stop_signal }}", END);
    Ok(Some(filled))
}
