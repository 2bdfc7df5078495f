//! [`JsonBytes`]: JSON from the host, read as server functions read it.
//!
//! Text from another source than bytes would have the reader of every type made a second time, and the
//! first page would carry both.

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
