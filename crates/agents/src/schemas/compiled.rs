//! The compiled form of declarations' schemas: each text is compiled once, whoever asks for it.
//!
//! A schema says the same wherever it stands, so what was compiled is kept by its text, for all
//! sessions and turns that declare it. Compiling takes the longer the longer the schema is, and
//! strangers' schemas may be long: only what may block asks here.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use json_text::JsonText;
use schema_check::{Check, CheckableSchema, Uncheckable};

/// Text of schemas whose compiled form is kept, in bytes. A longer one is kept alone.
const KEPT_BYTES: usize = 8 << 20;
/// What a schema counts for at least: the compiled form of a short text is not short.
const LEAST_BYTES: usize = 1 << 10;

/// A schema's compiled form, or why it has none.
pub(super) type Compiled = Result<CheckableSchema, Uncheckable>;

/// The compiled form of `schema`. Blocks while it is made, here or by another thread.
pub(super) fn compiled(schema: &JsonText) -> Arc<Compiled> {
    static KEPT: Mutex<Option<Kept>> = Mutex::new(None);
    let place = {
        // Plain data: a panic elsewhere leaves nothing half done.
        let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        kept.get_or_insert_with(|| Kept::within(KEPT_BYTES)).place(schema)
    };
    // Not under the lock: others find theirs meanwhile.
    Arc::clone(place.get_or_init(|| Arc::new(Check::of_checkable_parts(schema))))
}

type Place = Arc<OnceLock<Arc<Compiled>>>;

/// Compiled forms by their texts, those that were not asked for longest leaving first.
#[derive(Debug)]
struct Kept {
    most: usize,
    bytes: usize,
    asked: u64,
    places: HashMap<Text, (Place, u64)>,
}

impl Kept {
    fn within(most: usize) -> Self {
        Self { most, bytes: 0, asked: 0, places: HashMap::new() }
    }

    /// Where the compiled form of `schema` is, or is put by whoever is first.
    fn place(&mut self, schema: &JsonText) -> Place {
        self.asked += 1;
        let text = Text(schema.clone());
        if let Some((place, last)) = self.places.get_mut(&text) {
            *last = self.asked;
            return Arc::clone(place);
        }
        let wanted = text.bytes();
        while self.bytes + wanted > self.most
            && let Some(oldest) = self.oldest()
        {
            self.bytes -= oldest.bytes();
            self.places.remove(&oldest);
        }
        self.bytes += wanted;
        let place = Place::default();
        self.places.insert(text, (Arc::clone(&place), self.asked));
        place
    }

    fn oldest(&self) -> Option<Text> {
        let oldest = self.places.iter().min_by_key(|(_, (_, last))| *last);
        oldest.map(|(text, _)| text.clone())
    }
}

/// A schema's text, as the key that it is kept under.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Text(JsonText);

impl Text {
    fn bytes(&self) -> usize {
        self.0.as_str().len().max(LEAST_BYTES)
    }
}

impl Hash for Text {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.as_str().hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema(name: &str, length: usize) -> JsonText {
        let title = "x".repeat(length);
        JsonText::from_value(&serde_json::json!({"properties": {name: {"title": title}}}))
    }

    #[test]
    fn a_declaration_is_compiled_once_whoever_asks() {
        let text = schema("asked twice", 1);
        let first = compiled(&text);
        let same = JsonText::parse(text.as_str()).expect("JSON");
        assert!(Arc::ptr_eq(&first, &compiled(&same)), "compiled anew");
        assert!(!Arc::ptr_eq(&first, &compiled(&schema("another", 1))));
    }

    #[test]
    fn what_is_kept_is_bounded_and_the_least_asked_for_leaves() {
        let mut kept = Kept::within(10 * LEAST_BYTES);
        let (first, second) = (schema("first", 1), schema("second", 1));
        let place = kept.place(&first);
        kept.place(&second);
        kept.place(&first);
        kept.place(&schema("long", 8 * LEAST_BYTES));
        assert!(Arc::ptr_eq(&place, &kept.place(&first)), "it was asked for last");
        assert!(!kept.places.contains_key(&Text(second)));
        assert!(kept.bytes <= kept.most, "{} bytes", kept.bytes);
        kept.place(&schema("longer than all", 20 * LEAST_BYTES));
        assert_eq!(kept.places.len(), 1, "kept alone");
    }
}
