//! [`Sound`]: the check of a schema of which parts cannot be used.
//!
//! One broken reference must not let everything else pass unchecked. The smallest schemas of
//! members or items that cannot be used admit anything, each is named, and the rest is checked.
//!
//! The search for them compiles the schema anew for each guess, so it halves what is in question,
//! asks nothing twice, and is bounded by how much it compiles.

use json_text::JsonText;
use serde_json::Value;

use crate::check::{Check, Uncheckable, opened};

/// At most so many schemas are tried; a schema with more has its fault named and is not checked.
const MOST_TRIED: usize = 2_000;
/// So many are tried of the longest schema: enough for one fault among any number of members.
const LEAST_TRIED: usize = 32;
/// In between, so many bytes of schemas are compiled.
const MOST_BYTES: usize = 64 << 20;

/// Keywords whose members are schemas. Definitions come first: others refer to them.
const BY_NAME: [&str; 5] = ["$defs", "definitions", "defs", "properties", "patternProperties"];
/// Keywords that are a schema, or a list of them, of something inside the value.
const INSIDE: [&str; 4] = ["items", "prefixItems", "additionalProperties", "propertyNames"];

/// What of a schema can be checked, and what cannot.
#[derive(Debug, Clone)]
pub struct Sound {
    /// The check of all that can be checked.
    pub check: Check,
    /// The parts that admit anything, with the reason; empty where the whole schema is sound.
    pub unchecked: Vec<Unchecked>,
}

/// A part of a schema that values are not checked against.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unchecked {
    /// Its place in the schema, as a JSON pointer, keywords spelled as JSON Schema spells them.
    pub pointer: String,
    /// Why it cannot be used.
    pub reason: String,
}

impl Check {
    /// The check of `schema`, without the parts of it that cannot be used.
    ///
    /// # Errors
    /// [`Uncheckable`] when the schema's own keywords are at fault, or leaving a part out might
    /// refuse what the schema admits.
    pub fn of_sound_parts(schema: &JsonText) -> Result<Sound, Uncheckable> {
        let mut whole = opened(schema)?;
        let fault = match Self::build(&whole, None) {
            Ok(check) => return Ok(Sound { check, unchecked: Vec::new() }),
            Err(fault) => fault,
        };
        let mut search = Search::within(tries_for(schema.as_str().len()));
        search.mend(&mut whole, "", fault)?;
        let check = Self::build(&whole, None)?;
        let Search { unchecked, .. } = search;
        // What a definition says of members elsewhere is lost with it.
        let is_defined = |part: &Unchecked| {
            ["/$defs/", "/definitions/", "/defs/"].iter().any(|it| part.pointer.starts_with(it))
        };
        if schema.as_str().contains("\"unevaluated")
            && let Some(part) = unchecked.iter().find(|part| is_defined(part))
        {
            let Unchecked { pointer, reason } = part.clone();
            return Err(Uncheckable::NotASchema { pointer, reason });
        }
        Ok(Sound { check, unchecked })
    }
}

/// How many schemas of so many bytes may be tried.
fn tries_for(bytes: usize) -> usize {
    (MOST_BYTES / bytes.max(1)).clamp(LEAST_TRIED, MOST_TRIED)
}

struct Search {
    tried: usize,
    most: usize,
    unchecked: Vec<Unchecked>,
}

impl Search {
    fn within(most: usize) -> Self {
        Self { tried: 0, most, unchecked: Vec::new() }
    }

    /// What is wrong with `whole` as it is now; `out_of_tries` once that may not be asked any more.
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

    /// Makes the schema at `at` usable, which it is not for `fault`. All the rest of `whole` is.
    fn mend(&mut self, whole: &mut Value, at: &str, fault: Uncheckable) -> Result<(), Uncheckable> {
        let parts = parts_of(whole.pointer(at), at);
        let mut taken = Vec::with_capacity(parts.len());
        for part in parts {
            if let Some(value) = whole.pointer_mut(&part) {
                taken.push((part, std::mem::replace(value, Value::Bool(true))));
            }
        }
        // With nothing taken out the answer is known.
        if taken.is_empty() || self.fault_of(whole, &fault)?.is_some() {
            // Its own keywords are at fault.
            let Some(value) = whole.pointer_mut(at).filter(|_| !at.is_empty()) else {
                return Err(fault);
            };
            *value = Value::Bool(true);
            let reason = match fault {
                Uncheckable::NotASchema { reason, .. } | Uncheckable::TooDeep { reason } => reason,
            };
            self.unchecked.push(Unchecked { pointer: at.to_owned(), reason });
            return Ok(());
        }
        let among = fault.clone();
        self.put_back(whole, taken, Some(among), &fault)?;
        Ok(())
    }

    /// Puts back what was taken out of `whole`, what cannot be used mended, and says whether all of
    /// it could be used. Halves are tried as one: a fault in one of a thousand members is found in
    /// ten builds. `known` is the fault where all of it is known not to go.
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
            self.mend(whole, part, found)?;
            return Ok(false);
        }
        if !is_known {
            exchange(whole, &mut taken);
        }
        let others = taken.split_off(taken.len() / 2);
        // When the first half goes as it is, both together are what was just found not to go.
        let first_goes = self.put_back(whole, taken, None, fault)?;
        self.put_back(whole, others, first_goes.then_some(found), fault)?;
        Ok(false)
    }
}

/// Exchanges what stands in `whole` at each place with what is kept for it.
fn exchange(whole: &mut Value, kept: &mut [(String, Value)]) {
    for (place, value) in kept {
        if let Some(there) = whole.pointer_mut(place) {
            std::mem::swap(there, value);
        }
    }
}

/// The places of the schemas of what is inside the value that the schema at `at` describes.
fn parts_of(schema: Option<&Value>, at: &str) -> Vec<String> {
    let Some(Value::Object(members)) = schema else { return Vec::new() };
    let escaped = |name: &str| name.replace('~', "~0").replace('/', "~1");
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

    fn sound(schema: &str) -> Result<Sound, Uncheckable> {
        Check::of_sound_parts(&JsonText::parse(schema).expect("JSON"))
    }

    fn refuses(sound: &Sound, value: &str) -> bool {
        !sound.check.complaints(&JsonText::parse(value).expect("JSON")).is_empty()
    }

    #[test]
    fn one_broken_part_leaves_the_rest_checked() {
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
            let sound = sound(&schema).expect("the rest can be checked");
            let places: Vec<&str> =
                sound.unchecked.iter().map(|part| part.pointer.as_str()).collect();
            assert_eq!(places, [place], "{odd}");
            assert!(!sound.unchecked[0].reason.is_empty());
            assert!(refuses(&sound, r#"{"zz":1}"#), "{odd}");
            assert!(refuses(&sound, r#"{"n":"x"}"#), "{odd}");
            assert!(refuses(&sound, r#"{"m":"x"}"#), "{odd}");
            assert!(!refuses(&sound, r#"{"n":1,"m":2}"#), "{odd}");
        }
    }

    #[test]
    fn faults_among_many_members_are_all_found() {
        let member = |at: usize| match at {
            7 | 8 | 2_000 => format!(r#""m{at}":{{"type":"string","pattern":"("}}"#),
            _ => format!(r#""m{at}":{{"type":"integer"}}"#),
        };
        let members: Vec<String> = (0..2_100).map(member).collect();
        let schema = format!(r#"{{"type":"object","properties":{{{}}}}}"#, members.join(","));
        let sound = sound(&schema).expect("the rest can be checked");
        let places: Vec<&str> = sound.unchecked.iter().map(|part| part.pointer.as_str()).collect();
        assert_eq!(places, ["/properties/m7", "/properties/m8", "/properties/m2000"]);
        assert!(refuses(&sound, r#"{"m2099":"x"}"#));
        assert!(!refuses(&sound, r#"{"m2000":"x"}"#));
    }

    fn members(count: usize, is_broken: impl Fn(usize) -> bool) -> Value {
        let member = |at| match is_broken(at) {
            true => (format!("m{at}"), serde_json::json!({"$ref": "#/$defs/gone"})),
            false => (format!("m{at}"), serde_json::json!({"type": "integer"})),
        };
        let named: serde_json::Map<_, _> = (0..count).map(member).collect();
        serde_json::json!({"type": "object", "properties": named})
    }

    /// Searches for what is broken, in so many tries at most.
    fn searched(mut schema: Value, most: usize) -> (Result<usize, Uncheckable>, usize) {
        let fault = Check::build(&schema, None).expect_err("broken");
        let mut search = Search::within(most);
        let mended = search.mend(&mut schema, "", fault);
        (mended.map(|()| search.unchecked.len()), search.tried)
    }

    #[test]
    fn a_fault_is_found_in_as_many_tries_as_its_members_can_be_halved() {
        for broken in [0, 1, 500, 1_022, 1_023] {
            let (found, tried) = searched(members(1_024, |at| at == broken), MOST_TRIED);
            assert_eq!(found, Ok(1), "{broken}");
            assert!(tried <= 21, "{tried} tries for member {broken}");
        }
        let (found, tried) = searched(members(64, |_| true), MOST_TRIED);
        assert_eq!(found, Ok(64));
        assert!(tried <= 127, "{tried} tries");
    }

    #[test]
    fn the_search_ends_when_its_tries_are_used_up() {
        let (found, tried) = searched(members(64, |_| true), 20);
        assert!(found.is_err() && tried == 20, "{found:?} after {tried}");
        assert_eq!(tries_for(300), MOST_TRIED);
        assert_eq!(tries_for(1 << 20), 64);
        assert_eq!(tries_for(64 << 20), LEAST_TRIED);
    }

    #[test]
    fn a_schema_without_a_sound_frame_is_not_checked() {
        let fault = sound(r#"{"type":"object","properties":7}"#).expect_err("its own keyword");
        assert!(matches!(fault, Uncheckable::NotASchema { .. }), "{fault:?}");
        let fault = sound(r#"{"allOf":[{"$ref":"https://example.org/x.json"}]}"#);
        assert!(fault.is_err(), "leaving it out could refuse members that it describes");
    }

    #[test]
    fn a_sound_schema_is_checked_whole() {
        let sound = sound(r#"{"type":"object","properties":{"a":{}}}"#).expect("sound");
        assert_eq!(sound.unchecked, []);
    }
}
