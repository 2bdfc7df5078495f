//! Numbers read to the last bit, which `serde_json`'s own reading may miss.

use json_text::JsonText;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// For `#[serde(with)]` on a number.
pub(super) mod number {
    use super::{Deserialize, Deserializer, JsonText, Serialize, Serializer};

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
        text.as_str().parse().map_err(serde::de::Error::custom)
    }
}

/// For `#[serde(with)]` on a number or `null`.
pub(super) mod number_or_null {
    use super::{Deserialize, Deserializer, JsonText, Serialize, Serializer};

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
        text.as_str().parse().map(Some).map_err(serde::de::Error::custom)
    }
}
