//! The types of model fields: strings, numbers as text, lists, maps.

use std::borrow::Cow;

use indexmap::IndexMap;
use json_text::{JsonText, Kind};

use super::{ObjectWriter, Out, Value, write_string};
use crate::reading::{Problem, Reader};

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
                        reader.fault(offset, Problem::DuplicateField { key: key.into_owned() });
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
