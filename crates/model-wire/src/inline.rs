//! Bytes within a conversation: base64 and `data:` URLs to [`InlineData`], and back.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use live::InlineData;

use crate::api_fault::ApiFault;
use crate::reader::Value;

/// Decodes base64 in either alphabet, padded or not.
pub(crate) fn bytes(value: &Value<'_>) -> Result<Vec<u8>, ApiFault> {
    decode(&value.string()?).ok_or_else(|| value.fault("must be base64"))
}

fn decode(text: &str) -> Option<Vec<u8>> {
    let engines = [STANDARD, URL_SAFE, STANDARD_NO_PAD, URL_SAFE_NO_PAD];
    engines.iter().find_map(|engine| engine.decode(text).ok())
}

/// Parses `data:image/png;base64,...`; `Ok(None)` for other URLs.
pub(crate) fn from_address(
    value: &Value<'_>,
    display_name: Option<String>,
) -> Result<Option<InlineData>, ApiFault> {
    let address = value.string()?;
    let Some((head, data)) = address.strip_prefix("data:").and_then(|rest| rest.split_once(','))
    else {
        return Ok(None);
    };
    let Some(mime_type) = head.strip_suffix(";base64").filter(|it| !it.is_empty()) else {
        return Ok(None);
    };
    let data = decode(data).ok_or_else(|| value.fault("must be base64 after the comma"))?;
    Ok(Some(InlineData { mime_type: mime_type.to_owned(), data, display_name }))
}

/// The `data:` URL of the bytes.
pub(crate) fn address(data: &InlineData) -> String {
    format!("data:{};base64,{}", data.mime_type, base64(data))
}

pub(crate) fn base64(data: &InlineData) -> String {
    STANDARD.encode(&data.data)
}
