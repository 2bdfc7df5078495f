//! A cache of compiled schemas, shared by all sessions: each schema text is compiled once.
//!
//! Compiling a long schema takes long, so only threads that may block use this.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use json_text::JsonText;
use schema_check::{Check, CheckableSchema, Uncheckable};

/// The total length of the cached schemas' texts, in bytes. A longer schema is cached alone.
const CACHED_BYTES: usize = 8 << 20;
/// The least that a schema counts, in bytes: the compiled form of a short text is not short.
const LEAST_BYTES: usize = 1 << 10;

/// A compiled schema, or why it cannot be compiled.
pub(super) type Compiled = Result<CheckableSchema, Uncheckable>;

/// Compiles `schema`, or waits until another thread has. Blocks meanwhile.
pub(super) fn compiled(schema: &JsonText) -> Arc<Compiled> {
    static CACHE: Mutex<Option<CompiledCache>> = Mutex::new(None);
    let slot = {
        // Plain data: a panic elsewhere leaves it complete.
        let mut cache = CACHE.lock().unwrap_or_else(PoisonError::into_inner);
        cache.get_or_insert_with(|| CompiledCache::within(CACHED_BYTES)).slot(schema)
    };
    // The lock is not held meanwhile, so that other schemas can be looked up.
    Arc::clone(slot.get_or_init(|| Arc::new(Check::of_checkable_parts(schema))))
}

type Slot = Arc<OnceLock<Arc<Compiled>>>;

/// Compiled schemas by their texts. The least recently used are removed first.
#[derive(Debug)]
struct CompiledCache {
    most: usize,
    bytes: usize,
    uses: u64,
    slots: HashMap<Text, (Slot, u64)>,
}

impl CompiledCache {
    fn within(most: usize) -> Self {
        Self { most, bytes: 0, uses: 0, slots: HashMap::new() }
    }

    /// The slot of the compiled `schema`, which the first caller fills.
    fn slot(&mut self, schema: &JsonText) -> Slot {
        self.uses += 1;
        let text = Text(schema.clone());
        if let Some((slot, last)) = self.slots.get_mut(&text) {
            *last = self.uses;
            return Arc::clone(slot);
        }
        let wanted = text.bytes();
        while self.bytes + wanted > self.most
            && let Some(oldest) = self.oldest()
        {
            self.bytes -= oldest.bytes();
            self.slots.remove(&oldest);
        }
        self.bytes += wanted;
        let slot = Slot::default();
        self.slots.insert(text, (Arc::clone(&slot), self.uses));
        slot
    }

    fn oldest(&self) -> Option<Text> {
        let oldest = self.slots.iter().min_by_key(|(_, (_, last))| *last);
        oldest.map(|(text, _)| text.clone())
    }
}

/// A schema's text as the key of the cache.
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
    fn compiles_a_schema_once() {
        let text = schema("asked twice", 1);
        let first = compiled(&text);
        let same = JsonText::parse(text.as_str()).expect("JSON");
        assert!(Arc::ptr_eq(&first, &compiled(&same)), "compiled again");
        assert!(!Arc::ptr_eq(&first, &compiled(&schema("another", 1))));
    }

    #[test]
    fn removes_the_least_recently_used_schemas() {
        let mut cache = CompiledCache::within(10 * LEAST_BYTES);
        let (first, second) = (schema("first", 1), schema("second", 1));
        let slot = cache.slot(&first);
        cache.slot(&second);
        cache.slot(&first);
        cache.slot(&schema("long", 8 * LEAST_BYTES));
        assert!(Arc::ptr_eq(&slot, &cache.slot(&first)), "it was used last");
        assert!(!cache.slots.contains_key(&Text(second)));
        assert!(cache.bytes <= cache.most, "{} bytes", cache.bytes);
        cache.slot(&schema("longer than all", 20 * LEAST_BYTES));
        assert_eq!(cache.slots.len(), 1, "cached alone");
    }
}
