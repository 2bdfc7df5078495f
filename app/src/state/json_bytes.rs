//! [`JsonBytes`]: a codec for JSON from the host that deserializes from bytes, as server functions
//! do.
//!
//! Deserializing from a string would compile a second deserializer for each type into the first
//! page.

use leptos::server::codee::{Decoder, Encoder};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// JSON as text that is read from its bytes.
#[derive(Debug, Clone, Copy)]
pub struct JsonBytes;

impl<T: Serialize> Encoder<T> for JsonBytes {
    type Error = serde_json::Error;
    type Encoded = String;

    fn encode(value: &T) -> Result<String, Self::Error> {
        serde_json::to_string(value)
    }
}

impl<T: DeserializeOwned> Decoder<T> for JsonBytes {
    type Error = serde_json::Error;
    type Encoded = str;

    fn decode(text: &str) -> Result<T, Self::Error> {
        serde_json::from_slice(text.as_bytes())
    }
}
