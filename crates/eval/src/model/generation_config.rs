//! [`GenerationConfig`]: how a model generates its reply.

use adk_core::GenerateContentConfig;
use serde::Deserialize;
use serde::de::IgnoredAny;

/// How a model generates its reply, such as its temperature. The default leaves all of it to the service.
#[derive(Debug, Clone, Default)]
pub struct GenerationConfig(pub(super) Option<GenerateContentConfig>);

/// What a config of google-adk may say of it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Members {
    temperature: Option<f32>,
    #[serde(alias = "topP")]
    top_p: Option<f32>,
    /// google-genai writes it as a number with a fraction.
    #[serde(alias = "topK")]
    top_k: Option<f64>,
    #[serde(alias = "maxOutputTokens")]
    max_output_tokens: Option<i32>,
    #[serde(alias = "stopSequences")]
    stop_sequences: Option<Vec<String>>,
    seed: Option<i64>,
    #[serde(alias = "presencePenalty")]
    presence_penalty: Option<f32>,
    #[serde(alias = "frequencyPenalty")]
    frequency_penalty: Option<f32>,
    /// How much the model thinks changes no message, and only Gemini knows it.
    #[serde(rename = "thinking_config", alias = "thinkingConfig")]
    _thinking_config: Option<IgnoredAny>,
}

impl GenerationConfig {
    /// With this temperature, and the rest left to the service.
    #[must_use]
    pub fn of_temperature(temperature: f64) -> Self {
        #[expect(clippy::cast_possible_truncation, reason = "services take no more digits")]
        let temperature = Some(temperature as f32);
        Self(Some(GenerateContentConfig { temperature, ..GenerateContentConfig::default() }))
    }

    /// Reads a `GenerateContentConfig` of google-genai.
    ///
    /// # Errors
    /// What cannot be sent to every service, or has another type.
    pub(crate) fn read(json: &str) -> Result<Self, serde_json::Error> {
        let members: Members = serde_json::from_str(json)?;
        #[expect(clippy::cast_possible_truncation, reason = "no model has so many tokens")]
        let top_k = members.top_k.map(|top_k| top_k as i32);
        Ok(Self(Some(GenerateContentConfig {
            temperature: members.temperature,
            top_p: members.top_p,
            top_k,
            max_output_tokens: members.max_output_tokens,
            stop_sequences: members.stop_sequences.unwrap_or_default(),
            seed: members.seed,
            presence_penalty: members.presence_penalty,
            frequency_penalty: members.frequency_penalty,
            ..GenerateContentConfig::default()
        })))
    }
}
