//! The ids of a recorded case and of its set.
//!
//! ADK web creates only eval sets whose id matches `^[a-zA-Z0-9_]+$`; every id made here matches it,
//! except for the start time in an `eval_id`.

use jiff::Timestamp;

use crate::Number;

/// `MathAgent`, `Math Agent` and `math-agent` all give `math_agent`.
///
/// The result is never empty and holds only `a-z`, `0-9` and `_`.
/// A run of capitals is one word (`HTTPAgent` gives `http_agent`), a digit belongs to the word
/// before it (`agent2Go` gives `agent2_go`), and everything outside ASCII's letters and digits
/// separates words.
/// A name without such characters becomes `agent_` and eight hash digits of the name, so that two such
/// agents have different ids.
///
/// ```
/// assert_eq!(evalset::snake_case("Smart Home (v2)"), "smart_home_v2");
/// ```
#[must_use]
pub fn snake_case(name: &str) -> String {
    let characters: Vec<char> = name.chars().collect();
    let mut snake = String::with_capacity(name.len() + 4);
    for (index, &character) in characters.iter().enumerate() {
        if !character.is_ascii_alphanumeric() {
            if !snake.is_empty() && !snake.ends_with('_') {
                snake.push('_');
            }
            continue;
        }
        if character.is_ascii_uppercase() && index > 0 {
            let before = characters[index - 1];
            let after = characters.get(index + 1);
            let starts_word = before.is_ascii_lowercase()
                || before.is_ascii_digit()
                || (before.is_ascii_uppercase() && after.is_some_and(char::is_ascii_lowercase));
            if starts_word && !snake.is_empty() && !snake.ends_with('_') {
                snake.push('_');
            }
        }
        snake.push(character.to_ascii_lowercase());
    }
    if snake.ends_with('_') {
        snake.pop();
    }
    if snake.is_empty() {
        return format!("agent_{:08x}", digits_of(name));
    }
    snake
}

/// The id of a case recorded with `agent_name` from `start` on: `math_agent_2025-12-23T14:30:00`,
/// the time in UTC.
#[must_use]
pub fn eval_id(agent_name: &str, start: Timestamp) -> String {
    format!("{}_{}", snake_case(agent_name), start.strftime("%Y-%m-%dT%H:%M:%S"))
}

/// An id like `eval_id` that `adk eval FILE:ID` can select; `None` if it can select `eval_id` itself. It
/// splits its argument at colons and commas.
///
/// ```
/// # use evalset::selectable_id;
/// let id = selectable_id("math_agent_2025-12-23T14:30:00");
/// assert_eq!(id.as_deref(), Some("math_agent_2025-12-23T14-30-00"));
/// assert_eq!(selectable_id("warm_office"), None);
/// ```
#[must_use]
pub fn selectable_id(eval_id: &str) -> Option<String> {
    eval_id.contains([':', ',']).then(|| eval_id.replace([':', ','], "-"))
}

/// The id of the set that `agent_name`'s cases go into: `math_agent_evals`.
#[must_use]
pub fn eval_set_id(agent_name: &str) -> String {
    format!("{}_evals", snake_case(agent_name))
}

/// The `number`th name made from `base`: `base` itself, then `base_2`, `base_3`...
#[must_use]
pub fn numbered(base: &str, number: u64) -> String {
    if number <= 1 { base.to_owned() } else { format!("{base}_{number}") }
}

/// Seconds since 1970 with microseconds, as ADK's `creation_timestamp` counts.
#[must_use]
pub fn seconds(time: Timestamp) -> Number {
    #[expect(clippy::cast_precision_loss, reason = "exact to the microsecond until the year 2255")]
    let microseconds = time.as_microsecond() as f64;
    // A time is finite.
    Number::from_f64(microseconds / 1_000_000.0).unwrap_or_else(|| Number::from(0))
}

/// FNV-1a with 32 bits: stable, because ids in files contain it.
pub(crate) fn digits_of(name: &str) -> u32 {
    name.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_become_snake_case() {
        for (name, expected) in [
            ("MathAgent", "math_agent"),
            ("Math Agent", "math_agent"),
            ("math-agent", "math_agent"),
            ("math_agent", "math_agent"),
            ("  Math -- Agent!! ", "math_agent"),
            ("HTTPAgent", "http_agent"),
            ("MyHTTPServer", "my_http_server"),
            ("agent2Go", "agent2_go"),
            ("GPT4Agent", "gpt4_agent"),
            ("V2", "v2"),
            ("2fast", "2fast"),
            ("__init__", "init"),
            ("A", "a"),
            ("ABC", "abc"),
            ("CaféRouge", "caf_rouge"),
            ("agent/../../etc", "agent_etc"),
            ("", "agent_811c9dc5"),
            ("数学", "agent_f3d9a3ac"),
        ] {
            assert_eq!(snake_case(name), expected, "{name:?}");
        }
        assert_ne!(snake_case("数学"), snake_case("物理"));
    }

    #[test]
    fn ids_have_the_documented_format() {
        let start: Timestamp = "2025-12-23T23:30:00.987654+09:00".parse().expect("a time");
        assert_eq!(eval_id("MathAgent", start), "math_agent_2025-12-23T14:30:00");
        assert_eq!(eval_set_id("Math Agent"), "math_agent_evals");
        assert_eq!(numbered("a", 1), "a");
        assert_eq!(numbered("a", 2), "a_2");
        assert_eq!(seconds(start).as_str(), "1766500200.987654");
    }

    proptest! {
        #[test]
        fn every_name_gives_a_valid_id(name in any::<String>()) {
            let snake = snake_case(&name);
            prop_assert!(!snake.is_empty());
            prop_assert!(snake.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_'));
            prop_assert!(!snake.starts_with('_') && !snake.ends_with('_') && !snake.contains("__"));
            prop_assert_eq!(snake_case(&snake), snake, "made once, it stays");
        }
    }
}
