//! Numbers read to the last bit, which `serde_json`'s own reading may miss.

use json_text::{JsonText, Kind};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The number that `text` is; the text parses Rust's floats too, so it must be JSON's.
fn exact(text: &JsonText) -> Result<f64, String> {
    let number = (text.kind() == Kind::Number).then(|| text.as_str().parse().ok()).flatten();
    number.ok_or_else(|| format!("expected a number, found {}", article(text.kind())))
}

fn article(kind: Kind) -> &'static str {
    match kind {
        Kind::Null => "null",
        Kind::Bool => "true or false",
        Kind::Number => "a number out of range",
        Kind::String => "a string",
        Kind::Array => "a list",
        Kind::Object => "an object",
    }
}

/// For `#[serde(with)]` on a number.
pub(super) mod number {
    use super::{Deserialize, Deserializer, JsonText, Serialize, Serializer, exact};

    pub(in super::super) fn serialize<S: Serializer>(
        number: &f64,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        number.serialize(serializer)
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<f64, D::Error> {
        let text = JsonText::deserialize(deserializer)?;
        exact(&text).map_err(serde::de::Error::custom)
    }
}

/// For `#[serde(with)]` on a number or `null`.
pub(super) mod number_or_null {
    use super::{Deserialize, Deserializer, JsonText, Serialize, Serializer, exact};

    #[expect(clippy::ref_option, reason = "serde hands it over so")]
    pub(in super::super) fn serialize<S: Serializer>(
        number: &Option<f64>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        number.serialize(serializer)
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<f64>, D::Error> {
        let text = JsonText::deserialize(deserializer)?;
        if text == JsonText::null() {
            return Ok(None);
        }
        exact(&text).map(Some).map_err(serde::de::Error::custom)
    }
}
