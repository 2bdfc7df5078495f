//! [`lone_surrogate`]: escapes that are half of a character, which ADK's JSON parser rejects.

/// The first escape in JSON text that is half of a surrogate pair, such as `\ud83d`.
pub(crate) fn lone_surrogate(json: &str) -> Option<String> {
    let bytes = json.as_bytes();
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', bytes.get(at..)?) {
        at += found + 1;
        if bytes.get(at) != Some(&b'u') {
            at += 1;
            continue;
        }
        match (surrogate(bytes, at), surrogate(bytes, at + 6)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) if bytes.get(at + 5) == Some(&b'\\') => {
                at += 11;
            }
            (Some(_), _) => return json.get(at - 1..at + 5).map(str::to_owned),
            (None, _) => at += 5,
        }
    }
    None
}

/// The surrogate of the escape `uXXXX` at `at`, if it is one.
fn surrogate(bytes: &[u8], at: usize) -> Option<u32> {
    let [b'u', digits @ ..] = bytes.get(at..at + 5)? else { return None };
    let code = u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    (0xd800..=0xdfff).contains(&code).then_some(code)
}
