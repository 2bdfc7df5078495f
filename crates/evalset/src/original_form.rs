//! [`OriginalForm`]: the original form of an object in its file, so that it is written back without loss.

use json_text::JsonText;

/// The unknown fields of an object, the order and casing of all fields, and which of them were present
/// but empty.
///
/// `default()` is for a new object: it is written in the format's order and casing, without unset
/// fields.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OriginalForm {
    pub(crate) members: Vec<Member>,
}

/// One member of the object, in the order written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Member {
    /// A field of the model.
    Known {
        name: &'static str,
        /// Whether it was in camelCase.
        camel: bool,
        /// The text of an unset value: `null`, `[]`, `0.0`.
        empty: Option<JsonText>,
    },
    /// An unknown field.
    Other { key: String, value: JsonText },
}

impl OriginalForm {
    /// The unknown fields, in file order.
    pub fn extras(&self) -> impl Iterator<Item = (&str, &JsonText)> {
        self.members.iter().filter_map(|member| match member {
            Member::Other { key, value } => Some((key.as_str(), value)),
            Member::Known { .. } => None,
        })
    }

    /// The value of an unknown field.
    #[must_use]
    pub fn extra(&self, wanted: &str) -> Option<&JsonText> {
        self.extras().find(|(key, _)| *key == wanted).map(|(_, value)| value)
    }

    /// Sets an unknown field; a new one is added at the end. The key must not be one of the model's.
    pub fn set_extra(&mut self, wanted: &str, new: JsonText) {
        for member in &mut self.members {
            if let Member::Other { key, value } = member
                && key == wanted
            {
                *value = new;
                return;
            }
        }
        self.members.push(Member::Other { key: wanted.to_owned(), value: new });
    }

    /// Removes an unknown field and returns its value.
    pub fn remove_extra(&mut self, wanted: &str) -> Option<JsonText> {
        let found = self
            .members
            .iter()
            .position(|member| matches!(member, Member::Other { key, .. } if key == wanted))?;
        match self.members.remove(found) {
            Member::Other { value, .. } => Some(value),
            Member::Known { .. } => None,
        }
    }

    pub(crate) fn knows(&self, wanted: &str) -> bool {
        self.members
            .iter()
            .any(|member| matches!(member, Member::Known { name, .. } if *name == wanted))
    }

    /// The index of the first trailing unknown field; new fields are written before it.
    pub(crate) fn trailing(&self) -> usize {
        let known = self.members.iter().rposition(|member| matches!(member, Member::Known { .. }));
        known.map_or(0, |last| last + 1)
    }
}
