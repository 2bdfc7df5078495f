//! Scenarios of google-adk: a conversation that a simulated user has by a plan.
//!
//! The user is played as google-adk's `LlmBackedUserSimulator` plays it, by the members of
//! `user_simulator_config` in `test_config.json`. The agent's google-adk writes the prompt. Agents of other frameworks
//! have none, and for them the instruction and the personas are our own.

use std::sync::Arc;

use evalset::adk::ConversationScenario;
use json_text::{JsonIndex, JsonValue};
use scoring::config::Config;
use serde_json::json;

use crate::adk_member::member;
use crate::adk_persona::persona;
use crate::model::{GenerationConfig, Models};
use crate::persona::PersonaUser;
use crate::scenario_user::ScenarioUser;
use crate::subject::Subject;
use crate::template::Template;
use crate::written_answer::END;

/// The model that google-adk takes where the config names none.
const MODEL: &str = "gemini-2.5-flash";

/// How many messages of the user there are at most in google-adk, the first one included.
const MOST_MESSAGES: usize = 20;

/// The user of a scenario.
///
/// # Errors
/// The place in the config or the case, and what is wrong there.
pub(super) fn user(
    scenario: &ConversationScenario,
    config: &Config,
    models: &Models,
    subject: &Arc<dyn Subject>,
) -> Result<PersonaUser, String> {
    let document = JsonIndex::of(&config.source);
    let simulator = member(Some(document.root()), "user_simulator_config");
    let of = |name: &str| member(simulator, name);
    if let Some(kind) = of("type").and_then(JsonValue::string).filter(|it| it != "llm_backed") {
        return Err(format!(
            "user_simulator_config: users of the type {kind} are not supported; take llm_backed"
        ));
    }
    let name = of("model").and_then(JsonValue::string).unwrap_or(MODEL.into());
    let model = models.model(&name).map_err(|error| format!("user_simulator_config: {error}"))?;
    let most = match of("max_allowed_invocations") {
        None => Some(MOST_MESSAGES),
        // -1 is for any number.
        Some(most) => most.text().parse().ok(),
    };
    let generation = of("model_configuration").map(|it| GenerationConfig::read(it.text()));
    let generation = generation.transpose().map_err(|error| {
        format!("user_simulator_config: model_configuration: {error}. Remove what is not supported")
    })?;
    let generation = generation.unwrap_or_default();
    let persona = persona(scenario.user_persona.as_ref()).map_err(|error| error.to_string())?;
    let instructions = of("custom_instructions").and_then(JsonValue::string);
    let user = match &instructions {
        Some(template) => {
            let template = Template::parse(template).map_err(|error| {
                format!("user_simulator_config: custom_instructions is not a template: {error}")
            })?;
            let names = json!({
                "stop_signal": END,
                "conversation_plan": scenario.conversation_plan,
                "persona": scenario.user_persona.as_ref().and_then(|it| it.to_value().ok()),
            });
            PersonaUser::with_template(template, names, model)
        }
        None => PersonaUser::new(described(&scenario.conversation_plan, persona.as_deref()), model),
    };
    let named = json!({
        "starting_prompt": scenario.starting_prompt,
        "conversation_plan": scenario.conversation_plan,
        "user_persona": scenario.user_persona.as_ref().and_then(|it| it.to_value().ok()),
    });
    let shows_calls = of("include_function_calls").is_some_and(|it| it.text() == "true");
    let prompts = ScenarioUser::new(Arc::clone(subject), &named, instructions.as_deref());
    let user = user.config(generation).of_scenario(prompts.shows_calls(shows_calls));
    Ok(match most {
        // The first message is the scenario's.
        Some(most) => user.most_answers(most.saturating_sub(1)),
        None => user,
    })
}

/// The user as a model reads it.
fn described(plan: &str, persona: Option<&str>) -> String {
    let manner = persona.unwrap_or(
        "They react to what the agent said last, and answer only what it asks. They correct its mistakes, ask it \
         to try again when it fails, and end the conversation when it fails again or hands over to a person.",
    );
    format!(
        "They follow this plan, one request after the other, and make up nothing that it does not say:\n{plan}\n\n\
         {manner}"
    )
}
