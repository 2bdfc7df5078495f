//! [`Written`]: how an object stood in its file, so that it can be written again without loss.

use json_text::JsonText;

/// What a model's fields do not say about the object that it was read from: which fields it does
/// not know, in which order and casing the fields stood, and which stood there empty.
///
/// A new one, by `default()`, stands for an object that no file has held yet: it is written in the
/// format's own order and casing, without its unset fields.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Written {
    pub(crate) members: Vec<Member>,
}

/// One member of the object, in the order written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Member {
    /// A field of the model.
    Known {
        name: &'static str,
        /// It stood in camelCase.
        camel: bool,
        /// How it stood there while its value was the unset one: `null`, `[]`, `0.0`.
        empty: Option<JsonText>,
    },
    /// A field that the model has not.
    Other { key: String, value: JsonText },
}

impl Written {
    /// The fields that the model does not know, in the order written.
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

    /// Sets an unknown field, at the end unless it stands there already. The key must not be one of
    /// the model's own.
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

    /// Removes an unknown field: what it held.
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

    /// The members in front of which fields that are new are written: the unknown ones at the end.
    pub(crate) fn trailing(&self) -> usize {
        let known = self.members.iter().rposition(|member| matches!(member, Member::Known { .. }));
        known.map_or(0, |last| last + 1)
    }
}
