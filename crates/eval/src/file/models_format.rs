//! `models`: several models that run the same cases, and how models are asked.

use std::fmt;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::format::Model;

/// How the models of agents in Python, user agents, simulated tools and judges are asked.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ModelSettings {
    /// The models that every case runs with that names none, each for itself.
    pub(super) each: Option<Vec<ListedModel>>,
    /// How long one request may take, in milliseconds: 120000 by default.
    pub(super) timeout_ms: Option<u64>,
    /// How often a request is repeated that failed for a reason that may pass: 5 times by default.
    pub(super) retries: Option<u32>,
    /// How many requests to one model are under way at the same time, at most: 16 by default. It falls while the
    /// service refuses requests for their number.
    pub(super) concurrency: Option<usize>,
}

/// The models that every case runs with that names none, each for itself; or an object with them as `each` and with how
/// models are asked.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "for the schema")]
pub(super) enum SuiteModels {
    /// The models.
    Each(Vec<ListedModel>),
    /// The settings.
    Settings(ModelSettings),
}

/// Reads [`SuiteModels`].
pub(super) fn suite_models<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<ModelSettings, D::Error> {
    struct ListOrSettings;
    impl<'de> Visitor<'de> for ListOrSettings {
        type Value = ModelSettings;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("a list of models, or an object with the settings of models")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, models: A) -> Result<ModelSettings, A::Error> {
            let each = Vec::deserialize(SeqAccessDeserializer::new(models))?;
            Ok(ModelSettings { each: Some(each), ..ModelSettings::default() })
        }

        fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<ModelSettings, A::Error> {
            ModelSettings::deserialize(MapAccessDeserializer::new(members))
        }
    }
    deserializer.deserialize_any(ListOrSettings)
}

/// One of several models: the name of a real model such as `gemini-2.5-flash`, `replay`, `person`, or as `model` has it.
#[derive(Debug, Clone, JsonSchema)]
#[schemars(untagged)]
pub(super) enum ListedModel {
    /// A name.
    Name(String),
    /// A model.
    Model(Model),
}

impl ListedModel {
    /// The model.
    pub(super) fn model(&self) -> Model {
        match self {
            Self::Name(name) if name == "replay" => Model::Replay,
            Self::Name(name) if name == "person" => Model::Person,
            Self::Name(name) => Model::Named(name.clone()),
            Self::Model(model) => model.clone(),
        }
    }

    /// What tells the results of the model apart from those of the others.
    pub(super) fn label(&self) -> String {
        match self.model() {
            Model::Scripted(_) => "scripted".to_owned(),
            Model::Replay => "replay".to_owned(),
            Model::Person => "person".to_owned(),
            Model::Named(name) => name,
        }
    }
}

impl<'de> Deserialize<'de> for ListedModel {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NameOrModel;
        impl<'de> Visitor<'de> for NameOrModel {
            type Value = ListedModel;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("the name of a model, or an object such as `scripted: [...]`")
            }

            fn visit_str<E: Error>(self, name: &str) -> Result<ListedModel, E> {
                Ok(ListedModel::Name(name.to_owned()))
            }

            fn visit_map<A: MapAccess<'de>>(self, model: A) -> Result<ListedModel, A::Error> {
                Model::deserialize(MapAccessDeserializer::new(model)).map(ListedModel::Model)
            }
        }
        deserializer.deserialize_any(NameOrModel)
    }
}
