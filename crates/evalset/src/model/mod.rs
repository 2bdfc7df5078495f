//! `model!`: declares a format's model as a table of fields, and generates its reader and writer.
//!
//! The table has the requirements of each field. The rest is the same for all models: unknown fields are
//! kept, each fault is recorded with its position, and the order and casing of the file are written
//! back.

mod form;
mod members;
mod shape;
mod values;
mod writer;

pub(crate) use form::{Form, Key, Keys, Others};
pub(crate) use members::{MemberAction, Members, Need};
pub(crate) use shape::{Fields, Shape, is_number, is_truth, scalar, string_or_text, to_float};
pub(crate) use writer::{Casing, ObjectWriter, Out, json_string, text_of, write_string};

use crate::reading::{CaseFault, Origin, Reader, checked};

/// A type of field.
pub(crate) trait Value: Sized {
    /// Whether it is a case: an unreadable case does not affect the others.
    const IS_CASE: bool = false;

    /// Reads the next value, and advances past it. `None` if it is invalid; the fault is recorded.
    fn read(reader: &mut Reader<'_>) -> Option<Self>;

    /// Appends the value's compact JSON text.
    fn write(&self, out: &mut Out);

    /// Whether the field is omitted unless the file had it.
    fn is_unset(&self) -> bool {
        false
    }
}

/// Reads one value that is a whole text.
pub(crate) fn read_value<T: Value>(bytes: &[u8]) -> (Option<T>, Vec<CaseFault>) {
    match checked(bytes) {
        Err(fault) => (None, vec![*fault]),
        Ok((text, mark)) => {
            let mut reader = Reader::new(text, Origin::default());
            let value = T::read(&mut reader);
            let (faults, _) = reader.finish();
            (value, mark.into_iter().chain(faults).collect())
        }
    }
}

/// Declares a model: its struct, and how it is read and written.
///
/// Each field is followed by its requirement: `required`; `optional` (may be missing, and null where
/// its type is an `Option`); `not_null` (may be missing); `present` (required,
/// and may be null); `object`, `object_or_null`, `present_object` (a JSON text that must be one); `shaped(shape)` (a JSON text of that shape, or null); `or(value)` (`value` when
/// it is missing).
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
            /// The original form in the file; `OriginalForm::default()` for a new object.
            pub written: $crate::OriginalForm,
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
                    let $crate::model::MemberAction::Field(key) = found else { continue };
                    $(
                        if key.name == $crate::model::key!($field $($key)?) {
                            let need = $crate::model::need!($need $(($default))?);
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
                members.check_near_misses(reader, &FORM);
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
                use $crate::original_form::Member;
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
                                    object.original(name, *camel, empty, &self.$field, unset);
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
            /// The fields that the file did not have.
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

/// A field's key: its name, unless that is a Rust keyword.
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
    (present) => {
        $crate::model::Need::Value
    };
    (present_object) => {
        $crate::model::Need::ObjectOrNull
    };
    (or($default:expr)) => {
        $crate::model::Need::NotNull
    };
    (shaped($shape:expr)) => {
        $crate::model::Need::Shaped(&$shape)
    };
}

macro_rules! unset {
    (required, $value:expr) => {{
        let _ = $value;
        false
    }};
    (present, $value:expr) => {
        $crate::model::unset!(required, $value)
    };
    (present_object, $value:expr) => {
        $crate::model::unset!(required, $value)
    };
    (or($default:expr), $value:expr) => {
        *$value == $default
    };
    (shaped($shape:expr), $value:expr) => {
        $crate::model::Value::is_unset($value)
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
    (present, $($rest:tt)*) => {
        $crate::model::require!(required, $($rest)*)
    };
    (present_object, $($rest:tt)*) => {
        $crate::model::require!(required, $($rest)*)
    };
    ($need:ident, $members:ident, $reader:ident, $form:ident, $field:ident, $name:ident, $begin:ident) => {
        let _ = ($name, $begin);
    };
}

macro_rules! taken {
    (required, $field:ident) => {
        $field?
    };
    (present, $field:ident) => {
        $field?
    };
    (present_object, $field:ident) => {
        $field?
    };
    (or($default:expr), $field:ident) => {
        $field.unwrap_or_else(|| $default)
    };
    (shaped($shape:expr), $field:ident) => {
        $field.unwrap_or_default()
    };
    ($need:ident, $field:ident) => {
        $field.unwrap_or_default()
    };
}

/// Declares an enum whose variants are strings in the file.
macro_rules! words {
    (
        $(#[$meta:meta])*
        pub enum $name:ident { $( $(#[$word_meta:meta])* $variant:ident = $word:literal, )* }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name { $( $(#[$word_meta])* $variant, )* }

        impl $name {
            /// The string in the file.
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
