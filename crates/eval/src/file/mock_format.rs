//! [`Mock`]: what happens to the calls of a tool, with the changes of the state, the request for a confirmation and
//! whether the turn ends beside it.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::value::StringDeserializer;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, IntoDeserializer, MapAccess, VariantAccess,
    Visitor,
};
use serde::{Deserialize, forward_to_deserialize_any};
use serde_json::{Map, Value, json};

use super::format::{Answer, AsksConfirmation};

/// The members beside the answer.
const CHANGES: &str = "changes";
const ASKS_CONFIRMATION: &str = "asks_confirmation";
const SKIP_SUMMARIZATION: &str = "skip_summarization";

/// What happens to the calls of a tool.
#[derive(Debug, Clone)]
pub(super) struct Mock {
    /// What the agent gets.
    pub(super) answer: Answer,
    /// Changes of the state by scope. Texts are templates over `args`.
    pub(super) changes: Option<Map<String, Value>>,
    /// What it asks the user before.
    pub(super) asks_confirmation: Option<AsksConfirmation>,
    /// Whether the agent's turn ends with the answer, as with the action of google-adk.
    pub(super) skip_summarization: bool,
}

impl JsonSchema for Mock {
    fn schema_name() -> Cow<'static, str> {
        "Mock".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = Answer::json_schema(generator);
        let changes = json!({
            "description": "Changes of the agent's state by scope, beside the answer. Texts are templates over `args`.",
            "type": "object",
            "additionalProperties": true,
        });
        let asks = generator.subschema_for::<AsksConfirmation>();
        let skips = json!({
            "description": "Whether the agent's turn ends with the answer, as with the action of google-adk.",
            "type": "boolean",
        });
        let answers = schema.get_mut("oneOf").and_then(Value::as_array_mut);
        for answer in answers.into_iter().flatten() {
            if let Some(Value::Object(properties)) = answer.get_mut("properties") {
                properties.insert(CHANGES.to_owned(), changes.clone());
                properties.insert(ASKS_CONFIRMATION.to_owned(), asks.clone().to_value());
                properties.insert(SKIP_SUMMARIZATION.to_owned(), skips.clone());
            }
        }
        schema
    }
}

impl<'de> Deserialize<'de> for Mock {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;

        impl<'de> Visitor<'de> for Members {
            type Value = Mock;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("`sealed`, `real`, or a mock such as `{ returns: VALUE }`")
            }

            fn visit_str<E: Error>(self, name: &str) -> Result<Mock, E> {
                let answer = Answer::deserialize(IntoDeserializer::<E>::into_deserializer(name))?;
                Ok(Mock {
                    answer,
                    changes: None,
                    asks_confirmation: None,
                    skip_summarization: false,
                })
            }

            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Mock, A::Error> {
                let (mut answer, mut changes, mut asks_confirmation) = (None, None, None);
                let mut skip_summarization = false;
                while let Some(name) = members.next_key::<String>()? {
                    if name == CHANGES {
                        changes = Some(members.next_value()?);
                    } else if name == ASKS_CONFIRMATION {
                        asks_confirmation = Some(members.next_value()?);
                    } else if name == SKIP_SUMMARIZATION {
                        skip_summarization = members.next_value()?;
                    } else if answer.is_none() {
                        answer = Some(members.next_value_seed(Named(name))?);
                    } else {
                        return Err(Error::custom(format!(
                            "the mock has a second answer, `{name}`; a mock is one answer, with `changes` beside it if it changes the state, `asks_confirmation` if it asks the user before, and `skip_summarization` if the agent's turn ends with it"
                        )));
                    }
                }
                let answer = answer.ok_or_else(|| {
                    Error::custom("the mock has no answer; write one, such as `returns: VALUE`")
                })?;
                Ok(Mock { answer, changes, asks_confirmation, skip_summarization })
            }
        }

        deserializer.deserialize_any(Members)
    }
}

/// The value of an answer with this name.
struct Named(String);

impl<'de> DeserializeSeed<'de> for Named {
    type Value = Answer;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Answer, D::Error> {
        Answer::deserialize(NamedValue { name: self.0, value: deserializer })
    }
}

/// A name and its value, as the enum that they are a variant of.
struct NamedValue<D> {
    name: String,
    value: D,
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for NamedValue<D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        visitor.visit_enum(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

impl<'de, D: Deserializer<'de>> EnumAccess<'de> for NamedValue<D> {
    type Error = D::Error;
    type Variant = Content<D>;

    fn variant_seed<V: DeserializeSeed<'de>>(
        self,
        seed: V,
    ) -> Result<(V::Value, Content<D>), D::Error> {
        let name: StringDeserializer<D::Error> = self.name.into_deserializer();
        Ok((seed.deserialize(name)?, Content(self.value)))
    }
}

struct Content<D>(D);

impl<'de, D: Deserializer<'de>> VariantAccess<'de> for Content<D> {
    type Error = D::Error;

    fn unit_variant(self) -> Result<(), D::Error> {
        Err(Error::custom("`real` and `sealed` have no value; write them alone"))
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, D::Error> {
        seed.deserialize(self.0)
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_tuple(len, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.0.deserialize_struct("", fields, visitor)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::format::from_yaml;
    use super::*;

    #[test]
    fn changes_stand_beside_an_answer_in_any_order() {
        for text in [
            "{ returns: 1, changes: { session: { a: 2 } } }",
            "{ changes: { session: { a: 2 } }, returns: 1 }",
            "{ changes: { session: { a: 2 } }, skip_summarization: true, returns: 1 }",
        ] {
            let mock: Mock = from_yaml(text).expect("a mock");
            assert!(matches!(&mock.answer, Answer::Returns(value) if *value == json!(1)));
            let changes = json!({ "session": { "a": 2 } });
            assert_eq!(mock.changes.map(Value::Object), Some(changes));
        }
        let mock: Mock = from_yaml("real").expect("a mock");
        assert!(matches!(mock.answer, Answer::Real));
        let mock: Mock = from_yaml("{ returns: null }").expect("a mock");
        assert!(matches!(mock.answer, Answer::Returns(Value::Null)));
    }

    #[test]
    fn what_is_no_mock_is_refused_with_the_form() {
        let error = |text: &str| from_yaml::<Mock>(text).expect_err(text).to_string();
        for (text, shown) in [
            ("{ changes: {} }", "the mock has no answer; write one"),
            ("{ returns: 1, raises: no }", "the mock has a second answer, `raises`"),
            ("{ retuns: 1 }", "unknown variant `retuns`, expected one of real, sealed, returns"),
            ("{ real: 1 }", "`real` and `sealed` have no value"),
            ("reel", "unknown variant `reel`"),
            ("5", "`sealed`, `real`, or a mock such as"),
        ] {
            let error = error(text);
            assert!(error.contains(shown), "{text}: {error}");
        }
    }
}
