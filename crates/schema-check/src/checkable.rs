//! [`CheckableSchema`]: the part of a schema that compiles.
//!
//! One broken reference must not disable the whole check. The smallest member or item schemas that
//! do not compile are replaced by `true` and reported; the rest is checked.
//!
//! The search compiles the schema again for each guess, so it bisects the candidates, tries nothing
//! twice, and its total work is bounded.

use json_text::{JsonText, pointer};
use serde_json::Value;

use crate::check::{Check, Uncheckable, parse_schema};

/// The most builds tried; a schema that needs more is reported as uncheckable.
const MAX_BUILDS: usize = 2_000;
/// The builds allowed for the longest schema: enough for one error among any number of members.
const MIN_BUILDS: usize = 32;
/// In between, the total bytes of schemas compiled.
const MAX_BYTES: usize = 64 << 20;

/// Keywords whose members are schemas. Definitions come first because others refer to them.
const BY_NAME: [&str; 5] = ["$defs", "definitions", "defs", "properties", "patternProperties"];
/// Keywords that hold a schema, or a list of schemas, for something inside the value.
const INSIDE: [&str; 4] = ["items", "prefixItems", "additionalProperties", "propertyNames"];

/// A compiled schema and the parts that were left out.
#[derive(Debug, Clone)]
pub struct CheckableSchema {
    /// The check of everything that compiles.
    pub check: Check,
    /// The parts that accept any value, with the reason; empty when the whole schema compiles.
    pub unchecked: Vec<UncheckedPart>,
}

/// A part of a schema that values are not checked against.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UncheckedPart {
    /// Its JSON pointer in the schema, with keywords spelled as in JSON Schema.
    pub pointer: String,
    /// Why it does not compile.
    pub reason: String,
}

impl Check {
    /// Compiles `schema` without the parts that do not compile.
    ///
    /// # Errors
    /// [`Uncheckable`] when the schema's own keywords are invalid, or leaving a part out might
    /// reject values that the schema accepts.
    pub fn of_checkable_parts(schema: &JsonText) -> Result<CheckableSchema, Uncheckable> {
        let mut whole = parse_schema(schema)?;
        let fault = match Self::build(&whole, None) {
            Ok(check) => return Ok(CheckableSchema { check, unchecked: Vec::new() }),
            Err(fault) => fault,
        };
        let mut search = Search::within(builds_allowed(schema.as_str().len()));
        search.replace_broken(&mut whole, "", fault)?;
        let check = Self::build(&whole, None)?;
        let Search { unchecked, .. } = search;
        // `unevaluated…` would reject members that only the dropped definition evaluates.
        let is_defined = |part: &UncheckedPart| {
            ["/$defs/", "/definitions/", "/defs/"].iter().any(|it| part.pointer.starts_with(it))
        };
        if schema.as_str().contains("\"unevaluated")
            && let Some(part) = unchecked.iter().find(|part| is_defined(part))
        {
            let UncheckedPart { pointer, reason } = part.clone();
            return Err(Uncheckable::NotASchema { pointer, reason });
        }
        Ok(CheckableSchema { check, unchecked })
    }
}

/// The number of builds allowed for a schema of `bytes` bytes.
fn builds_allowed(bytes: usize) -> usize {
    (MAX_BYTES / bytes.max(1)).clamp(MIN_BUILDS, MAX_BUILDS)
}

struct Search {
    tried: usize,
    most: usize,
    unchecked: Vec<UncheckedPart>,
}

impl Search {
    fn within(most: usize) -> Self {
        Self { tried: 0, most, unchecked: Vec::new() }
    }

    /// The build error of `whole`, if any; fails with `out_of_tries` when no build is left.
    fn fault_of(
        &mut self,
        whole: &Value,
        out_of_tries: &Uncheckable,
    ) -> Result<Option<Uncheckable>, Uncheckable> {
        if self.tried == self.most {
            return Err(out_of_tries.clone());
        }
        self.tried += 1;
        Ok(Check::build(whole, None).err())
    }

    /// Makes the schema at `at`, which fails with `fault`, compile. The rest of `whole` compiles.
    fn replace_broken(
        &mut self,
        whole: &mut Value,
        at: &str,
        fault: Uncheckable,
    ) -> Result<(), Uncheckable> {
        let parts = parts_of(whole.pointer(at), at);
        let mut taken = Vec::with_capacity(parts.len());
        for part in parts {
            if let Some(value) = whole.pointer_mut(&part) {
                taken.push((part, std::mem::replace(value, Value::Bool(true))));
            }
        }
        // With nothing taken out, the result is known.
        if taken.is_empty() || self.fault_of(whole, &fault)?.is_some() {
            // Its own keywords are invalid.
            let Some(value) = whole.pointer_mut(at).filter(|_| !at.is_empty()) else {
                return Err(fault);
            };
            *value = Value::Bool(true);
            let reason = match fault {
                Uncheckable::NotASchema { reason, .. } | Uncheckable::TooDeep { reason } => reason,
            };
            self.unchecked.push(UncheckedPart { pointer: at.to_owned(), reason });
            return Ok(());
        }
        let among = fault.clone();
        self.put_back(whole, taken, Some(among), &fault)?;
        Ok(())
    }

    /// Puts the schemas `taken` out of `whole` back, with broken ones replaced, and returns whether
    /// all of them compile. Bisects: one broken member of a thousand is found in ten builds.
    /// `known` is the error, where they are known not to compile together.
    fn put_back(
        &mut self,
        whole: &mut Value,
        mut taken: Vec<(String, Value)>,
        known: Option<Uncheckable>,
        fault: &Uncheckable,
    ) -> Result<bool, Uncheckable> {
        if taken.is_empty() {
            return Ok(true);
        }
        let is_known = known.is_some();
        if !is_known || taken.len() == 1 {
            exchange(whole, &mut taken);
        }
        let found = match known {
            Some(found) => found,
            None => match self.fault_of(whole, fault)? {
                Some(found) => found,
                None => return Ok(true),
            },
        };
        if let [(part, _)] = taken.as_slice() {
            self.replace_broken(whole, part, found)?;
            return Ok(false);
        }
        if !is_known {
            exchange(whole, &mut taken);
        }
        let others = taken.split_off(taken.len() / 2);
        // If the first half compiles, the second half contains the error found above.
        let first_compiles = self.put_back(whole, taken, None, fault)?;
        self.put_back(whole, others, first_compiles.then_some(found), fault)?;
        Ok(false)
    }
}

/// Swaps the value in `whole` at each pointer with the value in `kept`.
fn exchange(whole: &mut Value, kept: &mut [(String, Value)]) {
    for (place, value) in kept {
        if let Some(there) = whole.pointer_mut(place) {
            std::mem::swap(there, value);
        }
    }
}

/// The pointers of the subschemas, in the schema at `at`, of members and items.
fn parts_of(schema: Option<&Value>, at: &str) -> Vec<String> {
    let Some(Value::Object(members)) = schema else { return Vec::new() };
    let escaped = pointer::step;
    let mut parts = Vec::new();
    for keyword in BY_NAME {
        if let Some(Value::Object(named)) = members.get(keyword) {
            parts.extend(named.keys().map(|name| format!("{at}/{keyword}/{}", escaped(name))));
        }
    }
    for keyword in INSIDE {
        match members.get(keyword) {
            Some(Value::Array(list)) => {
                parts.extend((0..list.len()).map(|index| format!("{at}/{keyword}/{index}")));
            }
            Some(Value::Bool(_)) | None => {}
            Some(_) => parts.push(format!("{at}/{keyword}")),
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checkable(schema: &str) -> Result<CheckableSchema, Uncheckable> {
        Check::of_checkable_parts(&JsonText::parse(schema).expect("JSON"))
    }

    fn rejects(checkable: &CheckableSchema, value: &str) -> bool {
        !checkable.check.violations(&JsonText::parse(value).expect("JSON")).is_empty()
    }

    #[test]
    fn a_broken_part_leaves_the_rest_checked() {
        for (odd, place) in [
            (r##"{"$ref":"#/$defs/nowhere"}"##, "/properties/odd"),
            (r#"{"$ref":"https://example.org/remote.json"}"#, "/properties/odd"),
            (r#"{"type":"string","pattern":"("}"#, "/properties/odd"),
            (r#"{"type":"object","properties":[1]}"#, "/properties/odd"),
            ("5", "/properties/odd"),
            (
                r#"{"type":"object","required":["x"],"properties":{"in":{"minLength":-1}}}"#,
                "/properties/odd/properties/in",
            ),
            (
                r#"{"type":"array","items":{"type":"string","pattern":"("}}"#,
                "/properties/odd/items",
            ),
        ] {
            let schema = format!(
                r##"{{"type":"object","unevaluatedProperties":false,"properties":{{
                    "n":{{"type":"integer"}},"odd":{odd},"m":{{"$ref":"#/properties/n"}}}}}}"##
            );
            let checkable = checkable(&schema).expect("the rest can be checked");
            let places: Vec<&str> =
                checkable.unchecked.iter().map(|part| part.pointer.as_str()).collect();
            assert_eq!(places, [place], "{odd}");
            assert!(!checkable.unchecked[0].reason.is_empty());
            assert!(rejects(&checkable, r#"{"zz":1}"#), "{odd}");
            assert!(rejects(&checkable, r#"{"n":"x"}"#), "{odd}");
            assert!(rejects(&checkable, r#"{"m":"x"}"#), "{odd}");
            assert!(!rejects(&checkable, r#"{"n":1,"m":2}"#), "{odd}");
        }
    }

    #[test]
    fn all_broken_members_of_many_are_found() {
        let member = |at: usize| match at {
            7 | 8 | 2_000 => format!(r#""m{at}":{{"type":"string","pattern":"("}}"#),
            _ => format!(r#""m{at}":{{"type":"integer"}}"#),
        };
        let members: Vec<String> = (0..2_100).map(member).collect();
        let schema = format!(r#"{{"type":"object","properties":{{{}}}}}"#, members.join(","));
        let checkable = checkable(&schema).expect("the rest can be checked");
        let places: Vec<&str> =
            checkable.unchecked.iter().map(|part| part.pointer.as_str()).collect();
        assert_eq!(places, ["/properties/m7", "/properties/m8", "/properties/m2000"]);
        assert!(rejects(&checkable, r#"{"m2099":"x"}"#));
        assert!(!rejects(&checkable, r#"{"m2000":"x"}"#));
    }

    fn members(count: usize, is_broken: impl Fn(usize) -> bool) -> Value {
        let member = |at| match is_broken(at) {
            true => (format!("m{at}"), serde_json::json!({"$ref": "#/$defs/gone"})),
            false => (format!("m{at}"), serde_json::json!({"type": "integer"})),
        };
        let named: serde_json::Map<_, _> = (0..count).map(member).collect();
        serde_json::json!({"type": "object", "properties": named})
    }

    /// Searches for broken parts with at most `most` builds; returns how many were found and the builds.
    fn search_broken(mut schema: Value, most: usize) -> (Result<usize, Uncheckable>, usize) {
        let fault = Check::build(&schema, None).expect_err("broken");
        let mut search = Search::within(most);
        let outcome = search.replace_broken(&mut schema, "", fault);
        (outcome.map(|()| search.unchecked.len()), search.tried)
    }

    #[test]
    fn one_broken_member_is_found_by_bisection() {
        for broken in [0, 1, 500, 1_022, 1_023] {
            let (found, tried) = search_broken(members(1_024, |at| at == broken), MAX_BUILDS);
            assert_eq!(found, Ok(1), "{broken}");
            assert!(tried <= 21, "{tried} tries for member {broken}");
        }
        let (found, tried) = search_broken(members(64, |_| true), MAX_BUILDS);
        assert_eq!(found, Ok(64));
        assert!(tried <= 127, "{tried} tries");
    }

    #[test]
    fn the_search_stops_at_its_build_limit() {
        let (found, tried) = search_broken(members(64, |_| true), 20);
        assert!(found.is_err() && tried == 20, "{found:?} after {tried}");
        assert_eq!(builds_allowed(300), MAX_BUILDS);
        assert_eq!(builds_allowed(1 << 20), 64);
        assert_eq!(builds_allowed(64 << 20), MIN_BUILDS);
    }

    #[test]
    fn an_invalid_top_level_keyword_makes_the_schema_uncheckable() {
        let fault = checkable(r#"{"type":"object","properties":7}"#).expect_err("its own keyword");
        assert!(matches!(fault, Uncheckable::NotASchema { .. }), "{fault:?}");
        let fault = checkable(r#"{"allOf":[{"$ref":"https://example.org/x.json"}]}"#);
        assert!(fault.is_err(), "leaving it out could refuse members that it describes");
    }

    #[test]
    fn a_valid_schema_is_checked_as_a_whole() {
        let checkable = checkable(r#"{"type":"object","properties":{"a":{}}}"#).expect("checkable");
        assert_eq!(checkable.unchecked, []);
    }
}
