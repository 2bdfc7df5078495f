//! [`Members`]: the members of an object during reading.

use std::borrow::Cow;
use std::collections::HashSet;

use json_text::Kind;

use super::form::nearest;
use super::{Form, Key, Others, Shape, Value};
use crate::original_form::{Member, OriginalForm};
use crate::reading::{Problem, Reader};

/// The fields without which a file has nothing to evaluate, though a format may allow that.
const ESSENTIAL: [&str; 2] = ["eval_cases", "conversation"];

/// The members of an object during reading.
#[derive(Debug, Default)]
pub(crate) struct Members {
    pub(crate) written: OriginalForm,
    seen: Vec<Seen>,
    /// Keys of unknown fields seen.
    others: HashSet<String>,
    /// The offset and key of fields that are perhaps misspelled, and the known ones.
    near_misses: Vec<(usize, String, &'static str)>,
    /// A known field's value could not be read.
    pub(crate) faulty: bool,
}

/// A known field seen.
#[derive(Debug)]
struct Seen {
    name: &'static str,
    /// Its index among the members.
    member: usize,
    /// The offset of its value.
    text: std::ops::Range<usize>,
}

/// What to do with a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MemberAction {
    /// Read it as the field.
    Field(Key),
    /// It has been kept already.
    Kept,
}

impl Members {
    /// Classifies the key just read.
    pub(crate) fn found(
        &mut self,
        reader: &mut Reader<'_>,
        form: &Form,
        names: &[&'static str],
        key: &str,
        offset: usize,
    ) -> MemberAction {
        let Some(field) = form.keys.find(key, names) else {
            self.unknown(reader, form, names, key, offset);
            return MemberAction::Kept;
        };
        if form.lost.contains(&field.name) && reader.kind() != Kind::Null {
            reader.fault(offset, Problem::LostField { what: form.what, key: field.name });
        }
        let Some(earlier) = self.seen.iter().position(|seen| seen.name == field.name) else {
            return MemberAction::Field(field);
        };
        if form.others == Others::Kept && field.camel != self.was_camel(earlier) {
            if field.camel {
                // ADK takes the alias and keeps the other as an extra.
                let Seen { name, member, text } = self.seen.remove(earlier);
                if let Some(member) = self.written.members.get_mut(member) {
                    *member = Member::Other { key: name.to_owned(), value: reader.between(text) };
                }
                return MemberAction::Field(field);
            }
        } else {
            reader.fault(offset, Problem::DuplicateField { key: field.name.to_owned() });
        }
        self.keep(reader, key, &Shape::Any);
        MemberAction::Kept
    }

    fn was_camel(&self, seen: usize) -> bool {
        let member = self.seen.get(seen).and_then(|seen| self.written.members.get(seen.member));
        matches!(member, Some(Member::Known { camel: true, .. }))
    }

    fn unknown(
        &mut self,
        reader: &mut Reader<'_>,
        form: &Form,
        names: &[&'static str],
        key: &str,
        offset: usize,
    ) {
        let shape = form.shape_of(key);
        if !self.others.insert(key.to_owned()) {
            reader.fault(offset, Problem::DuplicateField { key: key.to_owned() });
        }
        let known = nearest(key, names);
        if shape.is_none()
            && form.others != Others::Refused
            && let Some(essential) = ESSENTIAL.iter().find(|it| Some(**it) == known.as_deref())
        {
            self.near_misses.push((offset, key.to_owned(), essential));
        } else if shape.is_none()
            && let Some(problem) = unknown_field(form, key, known)
        {
            reader.fault(offset, problem);
        }
        self.keep(reader, key, shape.unwrap_or(&Shape::Any));
    }

    /// Keeps the text of the next value.
    fn keep(&mut self, reader: &mut Reader<'_>, key: &str, shape: &Shape) {
        let value = reader.under(Cow::Owned(key.to_owned()), |reader| shape.json(reader));
        self.written.members.push(Member::Other { key: key.to_owned(), value });
    }

    /// Reads the value of a field.
    pub(crate) fn field<'a, T: Value>(
        &mut self,
        reader: &mut Reader<'a>,
        spelled: Cow<'a, str>,
        key: Key,
        need: Need,
        is_unset: impl FnOnce(&T) -> bool,
    ) -> Option<T> {
        let start = reader.offset();
        let value = reader.under(spelled, |reader| need.read(reader));
        let text = start..reader.passed();
        let member = self.written.members.len();
        let Key { name, camel } = key;
        match &value {
            Some(value) => {
                let empty = is_unset(value).then(|| reader.between(text.clone()));
                self.written.members.push(Member::Known { name, camel, empty });
            }
            // The object is invalid, but its other fields are still checked.
            None => self.faulty = true,
        }
        self.seen.push(Seen { name, member, text });
        value
    }

    /// Records misspelled fields, once all members are read.
    pub(crate) fn check_near_misses(&mut self, reader: &mut Reader<'_>, form: &Form) {
        let what = form.what;
        for (offset, key, known) in std::mem::take(&mut self.near_misses) {
            // A case with a "conversation_scenario" has no "conversation".
            if !self.seen.iter().any(|seen| seen.name.starts_with(known)) {
                reader.fault(offset, Problem::NearMiss { what, key, known });
            } else if let Some(problem) = unknown_field(form, &key, Some(known.to_owned())) {
                reader.fault(offset, problem);
            }
        }
    }

    /// Whether the object has the field, valid or not; records a missing one.
    pub(crate) fn require(
        &self,
        reader: &mut Reader<'_>,
        form: &Form,
        key: &'static str,
        at: usize,
    ) {
        if !self.seen.iter().any(|seen| seen.name == key) {
            reader.fault(at, Problem::Missing { what: form.what, key });
        }
    }
}

/// What is to be said about an unknown field; nothing about one that the format's reader keeps and that is not
/// like a known one.
fn unknown_field(form: &Form, key: &str, known: Option<String>) -> Option<Problem> {
    let (what, key) = (form.what, key.to_owned());
    Some(match (form.others, known) {
        (Others::Refused, known) => Problem::UnknownField { what, key, known },
        (Others::Ignored, known) => Problem::IgnoredField { what, key, known },
        (Others::Kept, Some(known)) => Problem::SimilarField { what, key, known },
        (Others::Kept, None) => return None,
    })
}

/// What is required of a field.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Need {
    /// It may be missing, and null if its type allows that.
    Value,
    /// It may be missing but not null.
    NotNull,
    /// It may be missing or null, else an object.
    ObjectOrNull,
    /// It may be missing, else an object.
    Object,
    /// It may be missing or null, else of this shape.
    Shaped(&'static Shape),
}

impl Need {
    fn read<T: Value>(self, reader: &mut Reader<'_>) -> Option<T> {
        let kind = reader.kind();
        let wanted = match self {
            Self::NotNull if kind == Kind::Null => "a value",
            Self::ObjectOrNull if !matches!(kind, Kind::Object | Kind::Null) => "an object",
            Self::Object if kind != Kind::Object => "an object",
            Self::Shaped(shape) => return shape.read(reader, T::read),
            _ => return T::read(reader),
        };
        reader.wrong_type(wanted);
        None
    }
}
