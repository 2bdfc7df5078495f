//! `model!`: a format's model as a table of its fields, from which reading and writing follow.
//!
//! A table says of each field whether it must stand there. Everything else is the same for all
//! models: unknown fields are kept, each fault is noted with its place, and what was read is
//! written in the order and casing in which it stood.

use std::borrow::Cow;

use indexmap::IndexMap;
use json_text::{JsonText, Kind};

use crate::reading::{Problem, Reader};
use crate::written::{Member, Written};

/// What a field can hold.
pub(crate) trait Value: Sized {
    /// A case of a set: one that cannot be read leaves the others.
    const IS_CASE: bool = false;

    /// Reads the value that is next, and passes it in any case. None when it is faulty, which has
    /// then been noted.
    fn read(reader: &mut Reader<'_>) -> Option<Self>;

    /// Appends the value's compact JSON text.
    fn write(&self, out: &mut Out);

    /// Whether the field is left out unless it stood in the file.
    fn is_unset(&self) -> bool {
        false
    }
}

/// Text in the making.
#[derive(Debug)]
pub(crate) struct Out {
    text: String,
    casing: Casing,
}

/// How known fields are spelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Casing {
    /// New ones in snake_case.
    AsItStood,
    /// All in snake_case.
    Snake,
    /// All in camelCase.
    Camel,
}

impl Out {
    pub(crate) fn push(&mut self, character: char) {
        self.text.push(character);
    }

    pub(crate) fn push_str(&mut self, text: &str) {
        self.text.push_str(text);
    }
}

/// The compact JSON text of a model.
pub(crate) fn text_of(value: &impl Value, casing: Casing) -> String {
    let mut out = Out { text: String::new(), casing };
    value.write(&mut out);
    out.text
}

/// What all objects of a model have in common.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Form {
    /// Such as `an invocation`.
    pub(crate) what: &'static str,
    pub(crate) keys: Keys,
    pub(crate) others: Others,
    /// Fields that the format has and that are kept as they stand.
    pub(crate) opaque: &'static [&'static str],
    pub(crate) is_case: bool,
}

/// How the format's own reader takes keys.
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
    /// It refuses the file.
    Refused,
    /// It keeps the field.
    Kept,
    /// It leaves the field out when it writes.
    Ignored,
}

/// A field's key as it stands in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) name: &'static str,
    pub(crate) camel: bool,
}

impl Keys {
    fn find(self, key: &str, names: &[&'static str]) -> Option<Key> {
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
fn camel_of(name: &str) -> String {
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

/// The members of an object while it is read.
#[derive(Debug, Default)]
pub(crate) struct Members {
    pub(crate) written: Written,
    seen: Vec<Seen>,
    /// A known field's value could not be read.
    pub(crate) faulty: bool,
}

/// A known field that was passed.
#[derive(Debug)]
struct Seen {
    name: &'static str,
    /// Its place among the members.
    member: usize,
    /// Where its value stands.
    text: std::ops::Range<usize>,
}

/// What to do with a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    /// Read it as the field.
    Field(Key),
    /// It has been kept already.
    Kept,
}

impl Members {
    /// Looks at the key that was just read.
    pub(crate) fn found(
        &mut self,
        reader: &mut Reader<'_>,
        form: &Form,
        names: &[&'static str],
        key: &str,
        offset: usize,
    ) -> Found {
        let Some(field) = form.keys.find(key, names) else {
            self.unknown(reader, form, names, key, offset);
            return Found::Kept;
        };
        let Some(earlier) = self.seen.iter().position(|seen| seen.name == field.name) else {
            return Found::Field(field);
        };
        if form.others == Others::Kept && field.camel != self.was_camel(earlier) {
            if field.camel {
                // ADK takes the alias and keeps the other as an extra.
                let Seen { name, member, text } = self.seen.remove(earlier);
                if let Some(member) = self.written.members.get_mut(member) {
                    *member = Member::Other { key: name.to_owned(), value: reader.between(text) };
                }
                return Found::Field(field);
            }
        } else {
            reader.fault(offset, Problem::Twice { key: field.name.to_owned() });
        }
        self.keep(reader, key);
        Found::Kept
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
        let opaque = form.keys.find(key, form.opaque).is_some();
        if !opaque && form.others != Others::Kept {
            let (what, key) = (form.what, key.to_owned());
            let known = nearest(&key, names);
            reader.fault(
                offset,
                match form.others {
                    Others::Refused => Problem::UnknownField { what, key, known },
                    _ => Problem::IgnoredField { what, key, known },
                },
            );
        }
        self.keep(reader, key);
    }

    /// Keeps the value that is next as it stands.
    fn keep(&mut self, reader: &mut Reader<'_>, key: &str) {
        let value = reader.under(Cow::Owned(key.to_owned()), Reader::json);
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
            // The object cannot be read as a whole; its other fields are still looked at.
            None => self.faulty = true,
        }
        self.seen.push(Seen { name, member, text });
        value
    }

    /// Whether the field stands in the object, faulty or not; notes that it is missing otherwise.
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

/// A field there is with nearly this name.
fn nearest(key: &str, names: &[&'static str]) -> Option<String> {
    let plain = |text: &str| text.replace(['_', '-'], "").to_ascii_lowercase();
    let wanted = plain(key);
    names
        .iter()
        .map(|name| (strsim::damerau_levenshtein(&wanted, &plain(name)), *name))
        .filter(|(distance, name)| *distance <= name.len() / 4)
        .min()
        .map(|(_, name)| name.to_owned())
}

/// What a field needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    /// It may be missing, and null where its type says so.
    Value,
    /// It may be missing but not null.
    NotNull,
    /// It may be missing or null, else an object.
    ObjectOrNull,
    /// It may be missing, else an object.
    Object,
}

impl Need {
    fn read<T: Value>(self, reader: &mut Reader<'_>) -> Option<T> {
        let kind = reader.kind();
        let wanted = match self {
            Self::NotNull if kind == Kind::Null => "a value",
            Self::ObjectOrNull if !matches!(kind, Kind::Object | Kind::Null) => "an object",
            Self::Object if kind != Kind::Object => "an object",
            _ => return T::read(reader),
        };
        reader.wrong_type(wanted);
        None
    }
}

/// Writes an object's members.
#[derive(Debug)]
pub(crate) struct ObjectWriter<'a> {
    out: &'a mut Out,
    first: bool,
}

impl<'a> ObjectWriter<'a> {
    pub(crate) fn begin(out: &'a mut Out) -> Self {
        out.push('{');
        Self { out, first: true }
    }

    fn spelled(&self, name: &'static str, stood_in_camel: bool) -> Cow<'static, str> {
        match (self.out.casing, stood_in_camel) {
            (Casing::Camel, _) | (Casing::AsItStood, true) => Cow::Owned(camel_of(name)),
            _ => Cow::Borrowed(name),
        }
    }

    fn key(&mut self, key: &str) {
        if !std::mem::take(&mut self.first) {
            self.out.push(',');
        }
        write_string(key, self.out);
        self.out.push(':');
    }

    pub(crate) fn other(&mut self, key: &str, value: &JsonText) {
        self.key(key);
        self.out.push_str(value.as_str());
    }

    /// A field that stood in the file. One that has become unset since is left out.
    pub(crate) fn stood<T: Value>(
        &mut self,
        name: &'static str,
        camel: bool,
        empty: Option<&JsonText>,
        value: &T,
        is_unset: bool,
    ) {
        let key = self.spelled(name, camel);
        match (is_unset, empty) {
            (true, Some(empty)) => self.other(&key, empty),
            (true, None) => {}
            (false, _) => {
                self.key(&key);
                value.write(self.out);
            }
        }
    }

    /// A field that is new.
    pub(crate) fn new_field<T: Value>(&mut self, name: &'static str, value: &T) {
        let key = self.spelled(name, false);
        self.key(&key);
        value.write(self.out);
    }

    pub(crate) fn end(self) {
        self.out.push('}');
    }
}

pub(crate) fn write_string(text: &str, out: &mut Out) {
    out.push_str(&json_string(text));
}

/// The JSON string whose content is `text`.
pub(crate) fn json_string(text: &str) -> String {
    // A string always serialises.
    serde_json::to_string(text).unwrap_or_default()
}

/// Declares a model: its struct, and how it is read and written.
///
/// Behind each field stands what it needs: `required`; `optional` (may be missing, and null where
/// its type is an `Option`); `not_null` (may be missing); `object`, `object_or_null` (a JSON text
/// that must be one); `or(value)` (`value` when it is missing).
macro_rules! model {
    (
        $(#[$meta:meta])*
        pub struct $model:ident { $form:expr $(; check $check:path)? }
        $(
            $(#[$field_meta:meta])*
            $field:ident $(as $key:literal)?: $type:ty = $need:ident $(($default:expr))?,
        )*
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq)]
        pub struct $model {
            $( $(#[$field_meta])* pub $field: $type, )*
            /// How the object stood in its file; `Written::default()` for a new one.
            pub written: $crate::Written,
        }

        impl $crate::model::Value for $model {
            const IS_CASE: bool = { const FORM: $crate::model::Form = $form; FORM.is_case };

            fn read(reader: &mut $crate::reading::Reader<'_>) -> Option<Self> {
                const FORM: $crate::model::Form = $form;
                const NAMES: &[&str] = &[$($crate::model::key!($field $($key)?)),*];
                let begin = reader.offset();
                if !reader.enter_object(FORM.what) {
                    return None;
                }
                let mut members = $crate::model::Members::default();
                $( let mut $field: Option<$type> = None; )*
                while reader.more() {
                    let (spelled, offset) = reader.key();
                    let found = members.found(reader, &FORM, NAMES, &spelled, offset);
                    let $crate::model::Found::Field(key) = found else { continue };
                    $(
                        if key.name == $crate::model::key!($field $($key)?) {
                            let need = $crate::model::need!($need);
                            $field = members.field(reader, spelled, key, need, |value: &$type| {
                                $crate::model::unset!($need $(($default))?, value)
                            });
                            continue;
                        }
                    )*
                }
                $(
                    let name = $crate::model::key!($field $($key)?);
                    $crate::model::require!($need, members, reader, FORM, $field, name, begin);
                )*
                if members.faulty {
                    return None;
                }
                let model = Self {
                    $( $field: $crate::model::taken!($need $(($default))?, $field), )*
                    written: members.written,
                };
                $( $check(&model, reader, begin); )?
                Some(model)
            }

            fn write(&self, out: &mut $crate::model::Out) {
                use $crate::written::Member;
                let mut object = $crate::model::ObjectWriter::begin(out);
                let trailing = self.written.trailing();
                for (index, member) in self.written.members.iter().enumerate() {
                    if index == trailing {
                        self.write_new(&mut object);
                    }
                    match member {
                        Member::Other { key, value } => object.other(key, value),
                        Member::Known { name, camel, empty } => {
                            $(
                                if *name == $crate::model::key!($field $($key)?) {
                                    let unset = $crate::model::unset!(
                                        $need $(($default))?, &self.$field
                                    );
                                    let empty = empty.as_ref();
                                    object.stood(name, *camel, empty, &self.$field, unset);
                                }
                            )*
                        }
                    }
                }
                if trailing == self.written.members.len() {
                    self.write_new(&mut object);
                }
                object.end();
            }
        }

        impl $model {
            /// The fields that did not stand in the file.
            fn write_new(&self, object: &mut $crate::model::ObjectWriter<'_>) {
                $(
                    let name = $crate::model::key!($field $($key)?);
                    if !self.written.knows(name)
                        && !$crate::model::unset!($need $(($default))?, &self.$field)
                    {
                        object.new_field(name, &self.$field);
                    }
                )*
            }
        }
    };
}

/// A field's key: its own name, unless that is a word of Rust's.
macro_rules! key {
    ($field:ident) => {
        stringify!($field)
    };
    ($field:ident $key:literal) => {
        $key
    };
}

macro_rules! need {
    (required) => {
        $crate::model::Need::NotNull
    };
    (optional) => {
        $crate::model::Need::Value
    };
    (not_null) => {
        $crate::model::Need::NotNull
    };
    (object) => {
        $crate::model::Need::Object
    };
    (object_or_null) => {
        $crate::model::Need::ObjectOrNull
    };
    (or) => {
        $crate::model::Need::NotNull
    };
}

macro_rules! unset {
    (required, $value:expr) => {{
        let _ = $value;
        false
    }};
    (or($default:expr), $value:expr) => {
        *$value == $default
    };
    ($need:ident, $value:expr) => {
        $crate::model::Value::is_unset($value)
    };
}

macro_rules! require {
    (required, $members:ident, $reader:ident, $form:ident, $field:ident, $name:ident, $begin:ident) => {
        if $field.is_none() {
            $members.require($reader, &$form, $name, $begin);
        }
    };
    ($need:ident, $members:ident, $reader:ident, $form:ident, $field:ident, $name:ident, $begin:ident) => {
        let _ = ($name, $begin);
    };
}

macro_rules! taken {
    (required, $field:ident) => {
        $field?
    };
    (or($default:expr), $field:ident) => {
        $field.unwrap_or_else(|| $default)
    };
    ($need:ident, $field:ident) => {
        $field.unwrap_or_default()
    };
}

/// Declares an enumeration whose variants are words in the file.
macro_rules! words {
    (
        $(#[$meta:meta])*
        pub enum $name:ident { $( $(#[$word_meta:meta])* $variant:ident = $word:literal, )* }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name { $( $(#[$word_meta])* $variant, )* }

        impl $name {
            /// The word that stands in the file.
            #[must_use]
            pub fn word(self) -> &'static str {
                match self { $( Self::$variant => $word, )* }
            }
        }

        impl $crate::model::Value for $name {
            fn read(reader: &mut $crate::reading::Reader<'_>) -> Option<Self> {
                const ALLOWED: &[&str] = &[$($word),*];
                let offset = reader.offset();
                let found = reader.string()?;
                match &*found {
                    $( $word => Some(Self::$variant), )*
                    _ => {
                        let found = found.into_owned();
                        let allowed = ALLOWED;
                        reader.fault(
                            offset,
                            $crate::reading::Problem::UnknownWord { found, allowed },
                        );
                        None
                    }
                }
            }

            fn write(&self, out: &mut $crate::model::Out) {
                $crate::model::write_string(self.word(), out);
            }
        }
    };
}

pub(crate) use {key, model, need, require, taken, unset, words};

impl Value for String {
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        reader.string().map(Cow::into_owned)
    }

    fn write(&self, out: &mut Out) {
        write_string(self, out);
    }

    fn is_unset(&self) -> bool {
        self.is_empty()
    }
}

impl Value for bool {
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        if reader.kind() != Kind::Bool {
            reader.wrong_type("true or false");
            return None;
        }
        Some(reader.json().as_str() == "true")
    }

    fn write(&self, out: &mut Out) {
        out.push_str(if *self { "true" } else { "false" });
    }
}

impl Value for JsonText {
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        Some(reader.json())
    }

    fn write(&self, out: &mut Out) {
        out.push_str(self.as_str());
    }
}

impl<T: Value> Value for Option<T> {
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        if reader.kind() == Kind::Null {
            reader.json();
            return Some(None);
        }
        T::read(reader).map(Some)
    }

    fn write(&self, out: &mut Out) {
        match self {
            Some(value) => value.write(out),
            None => out.push_str("null"),
        }
    }

    fn is_unset(&self) -> bool {
        self.is_none()
    }
}

impl<T: Value> Value for Vec<T> {
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        if !reader.enter_list("a list") {
            return None;
        }
        let mut items = Self::new();
        let mut whole = true;
        let mut index = 0;
        while reader.more() {
            let item =
                if T::IS_CASE { reader.case(index, T::read) } else { reader.at(index, T::read) };
            match item {
                Some(item) => items.push(item),
                None if T::IS_CASE => reader.unread_case(index),
                None => whole = false,
            }
            index += 1;
        }
        whole.then_some(items)
    }

    fn write(&self, out: &mut Out) {
        out.push('[');
        for (index, item) in self.iter().enumerate() {
            if index > 0 {
                out.push(',');
            }
            item.write(out);
        }
        out.push(']');
    }

    fn is_unset(&self) -> bool {
        self.is_empty()
    }
}

impl<T: Value> Value for IndexMap<String, T> {
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        if !reader.enter_object("an object") {
            return None;
        }
        let mut map = Self::new();
        let mut whole = true;
        while reader.more() {
            let (key, offset) = reader.key();
            match reader.under(key.clone(), T::read) {
                Some(value) => {
                    if map.insert(key.to_string(), value).is_some() {
                        reader.fault(offset, Problem::Twice { key: key.into_owned() });
                        whole = false;
                    }
                }
                None => whole = false,
            }
        }
        whole.then_some(map)
    }

    fn write(&self, out: &mut Out) {
        let mut object = ObjectWriter::begin(out);
        for (key, value) in self {
            object.key(key);
            value.write(object.out);
        }
        object.end();
    }

    fn is_unset(&self) -> bool {
        self.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn casings_are_told_apart() {
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
    fn a_near_name_is_found() {
        let names = &["tool_uses", "tool_responses", "text"];
        assert_eq!(nearest("tool_use", names).as_deref(), Some("tool_uses"));
        assert_eq!(nearest("ToolResponses", names).as_deref(), Some("tool_responses"));
        assert_eq!(nearest("vendor", names), None);
    }
}
