//! [`Form`]: the common properties of a model's objects, such as the spelling of keys.

use super::Shape;

/// The common properties of a model's objects.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Form {
    /// Such as `an invocation`.
    pub(crate) what: &'static str,
    pub(crate) keys: Keys,
    pub(crate) others: Others,
    /// Fields that are kept as text, after their shape is checked.
    pub(crate) opaque: &'static [(&'static str, Shape)],
    pub(crate) is_case: bool,
    /// Fields that the format documents, but its own program drops.
    pub(crate) lost: &'static [&'static str],
}

impl Form {
    /// The shape of an opaque field.
    pub(super) fn shape_of(&self, key: &str) -> Option<&'static Shape> {
        let is_meant = |name: &'static str| self.keys.find(key, &[name]).is_some();
        self.opaque.iter().find(|(name, _)| is_meant(name)).map(|(_, shape)| shape)
    }
}

/// Which keys the format's own reader accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keys {
    /// As they are declared.
    Exact,
    /// In camelCase too.
    EitherCasing,
}

/// What the format's own reader does with a field that it does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Others {
    /// It rejects the file.
    Refused,
    /// It keeps the field.
    Kept,
    /// It drops the field.
    Ignored,
}

/// A field's key in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) name: &'static str,
    pub(crate) camel: bool,
}

impl Keys {
    pub(super) fn find(self, key: &str, names: &[&'static str]) -> Option<Key> {
        if let Some(name) = names.iter().find(|name| **name == key) {
            return Some(Key { name, camel: false });
        }
        if self == Self::Exact || key.contains('_') {
            return None;
        }
        let name = names.iter().find(|name| is_camel_of(key, name))?;
        Some(Key { name, camel: true })
    }
}

/// Whether `key` is the camelCase form of the snake_case `name`.
fn is_camel_of(key: &str, name: &str) -> bool {
    let mut key = key.bytes();
    let mut name = name.bytes();
    while let Some(byte) = name.next() {
        let wanted = match byte {
            b'_' => name.next().map(|byte| byte.to_ascii_uppercase()),
            byte => Some(byte),
        };
        if key.next() != wanted {
            return false;
        }
    }
    key.next().is_none()
}

/// The camelCase form of a snake_case name.
pub(super) fn camel_of(name: &str) -> String {
    let mut camel = String::with_capacity(name.len());
    let mut after_underscore = false;
    for character in name.chars() {
        match character {
            '_' => after_underscore = true,
            character if after_underscore => {
                camel.push(character.to_ascii_uppercase());
                after_underscore = false;
            }
            character => camel.push(character),
        }
    }
    camel
}

/// A field there is with nearly this name.
pub(super) fn nearest(key: &str, names: &[&'static str]) -> Option<String> {
    let plain = |text: &str| text.replace(['_', '-'], "").to_ascii_lowercase();
    let wanted = plain(key);
    names
        .iter()
        .map(|name| (strsim::damerau_levenshtein(&wanted, &plain(name)), *name))
        .filter(|(distance, name)| *distance <= name.len() / 4)
        .min()
        .map(|(_, name)| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn snake_and_camel_case_are_distinguished() {
        for (key, name, camel) in [
            ("toolUses", "tool_uses", true),
            ("tool_uses", "tool_uses", false),
            ("tooluses", "tool_uses", true),
            ("ToolUses", "tool_uses", true),
            ("toolUsesX", "tool_uses", true),
            ("toolUse", "tool_uses", true),
        ] {
            assert_eq!(is_camel_of(key, name), key == "toolUses", "{key}");
            if key == "toolUses" {
                assert_eq!(camel_of(name), key);
                assert_eq!(Keys::EitherCasing.find(key, &[name]).map(|key| key.camel), Some(camel));
                assert_eq!(Keys::Exact.find(key, &[name]), None);
            }
        }
    }

    #[test]
    fn similar_field_name_is_suggested() {
        let names = &["tool_uses", "tool_responses", "text"];
        assert_eq!(nearest("tool_use", names).as_deref(), Some("tool_uses"));
        assert_eq!(nearest("ToolResponses", names).as_deref(), Some("tool_responses"));
        assert_eq!(nearest("vendor", names), None);
    }
}
