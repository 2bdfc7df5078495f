//! A schema's patterns: text for those without look-arounds, the lengths of that text, and matching.

use std::collections::HashMap;

use regex_syntax::hir::{Class, Hir, HirKind, Look};

use crate::random::SeededRandom;

/// The first of the placeholder characters for back references, one per group, from a private-use
/// plane.
const FIRST_BACK_REFERENCE: u32 = 0xF_0000;

/// The most groups that back references may name.
const MAX_GROUPS: usize = 1_000;

/// The pattern as a regular expression without look-arounds and back references, else `None`.
pub(crate) fn parse_pattern(pattern: &str) -> Option<Hir> {
    regex_syntax::Parser::new().parse(pattern).ok()
}

/// Builds text that a pattern matches.
#[derive(Debug, Default)]
pub(crate) struct TextBuilder<'g> {
    pub(crate) text: String,
    /// Whether repetitions are written the fewest allowed times.
    brief: bool,
    /// The group numbers in the whole pattern, which back references use.
    groups: &'g [usize],
    /// The text captured by each group so far.
    captured: HashMap<usize, String>,
}

impl<'g> TextBuilder<'g> {
    /// With groups that [`back_reference`] characters refer to.
    pub(crate) fn of_groups(groups: &'g [usize], brief: bool) -> Self {
        Self { groups, brief, ..Self::default() }
    }

    /// Adds text that `part` matches.
    pub(crate) fn write(&mut self, part: &Hir, random: &mut SeededRandom) -> Option<()> {
        if self.text.len() > 10_000 {
            return None;
        }
        match part.kind() {
            HirKind::Empty | HirKind::Look(_) => {}
            HirKind::Literal(literal) => {
                for letter in std::str::from_utf8(&literal.0).ok()?.chars() {
                    match group_of(letter) {
                        Some(group) => {
                            let again = self.captured.get(&group).map_or("", String::as_str);
                            self.text.push_str(again);
                        }
                        None => self.text.push(letter),
                    }
                }
            }
            HirKind::Class(Class::Unicode(class)) => {
                // Printable ASCII, where the class has it.
                let readable: Vec<char> = (' '..='~')
                    .filter(|letter| {
                        class.iter().any(|range| (range.start()..=range.end()).contains(letter))
                    })
                    .collect();
                let letter = random.one_of(&readable).copied();
                self.text.push(letter.or_else(|| class.iter().next().map(|it| it.start()))?);
            }
            HirKind::Class(Class::Bytes(_)) => return None,
            HirKind::Repetition(repetition) => {
                let spare =
                    repetition.max.map_or(3, |max| max.saturating_sub(repetition.min).min(3));
                let spare = if self.brief { 0 } else { spare as usize };
                let times = repetition.min as usize + random.below(spare + 1);
                for _ in 0..times {
                    self.write(&repetition.sub, random)?;
                }
            }
            HirKind::Capture(capture) => {
                let start = self.text.len();
                self.write(&capture.sub, random)?;
                let number = usize::try_from(capture.index).ok()?.checked_sub(1)?;
                if let Some(group) = self.groups.get(number) {
                    self.captured.insert(*group, self.text[start..].to_owned());
                }
            }
            HirKind::Concat(parts) => {
                for part in parts {
                    self.write(part, random)?;
                }
            }
            HirKind::Alternation(parts) => {
                let part = random.one_of(parts)?;
                self.write(part, random)?;
            }
        }
        Some(())
    }
}

/// The placeholder character for a back reference to this group; `None` for a number above the limit.
pub(crate) fn back_reference(group: u32) -> Option<char> {
    let letter = group.checked_add(FIRST_BACK_REFERENCE).and_then(char::from_u32)?;
    group_of(letter).map(|_| letter)
}

/// The group number of a back-reference character.
fn group_of(letter: char) -> Option<usize> {
    let number = usize::try_from(u32::from(letter).checked_sub(FIRST_BACK_REFERENCE)?).ok()?;
    (number < MAX_GROUPS).then_some(number)
}

/// The lengths of the texts that `pattern` matches, in characters: the minimum, and the maximum if
/// bounded. `None` for patterns with look-arounds or back references.
///
/// ```
/// assert_eq!(schema_check::pattern_lengths("^[A-Z]{3}(-\\d)?$"), Some((3, Some(5))));
/// assert_eq!(schema_check::pattern_lengths("[A-Z]{3}"), Some((3, None)));
/// assert_eq!(schema_check::pattern_lengths("^(?=a)b"), None);
/// ```
#[must_use]
pub fn pattern_lengths(pattern: &str) -> Option<(usize, Option<usize>)> {
    let parsed = parse_pattern(pattern)?;
    let (least, most) = lengths(&parsed);
    // A pattern without both anchors also matches inside a longer text.
    let properties = parsed.properties();
    let is_anchored = properties.look_set_prefix().contains(Look::Start)
        && properties.look_set_suffix().contains(Look::End);
    Some((least, most.filter(|_| is_anchored)))
}

fn lengths(part: &Hir) -> (usize, Option<usize>) {
    match part.kind() {
        HirKind::Empty | HirKind::Look(_) => (0, Some(0)),
        HirKind::Literal(literal) => match std::str::from_utf8(&literal.0) {
            Ok(text) => (text.chars().count(), Some(text.chars().count())),
            Err(_) => (0, None),
        },
        HirKind::Class(_) => (1, Some(1)),
        HirKind::Repetition(repetition) => {
            let (least, most) = lengths(&repetition.sub);
            let times = repetition.max.and_then(|max| usize::try_from(max).ok());
            let most = most.zip(times).map(|(most, times)| most.saturating_mul(times));
            (least.saturating_mul(repetition.min as usize), most)
        }
        HirKind::Capture(capture) => lengths(&capture.sub),
        HirKind::Concat(parts) => parts.iter().map(lengths).fold((0, Some(0)), |sum, part| {
            let most = sum.1.zip(part.1).map(|(sum, part)| sum.saturating_add(part));
            (sum.0.saturating_add(part.0), most)
        }),
        HirKind::Alternation(parts) => {
            let each: Vec<_> = parts.iter().map(lengths).collect();
            let least = each.iter().map(|(least, _)| *least).min().unwrap_or(0);
            let most: Option<Vec<usize>> = each.into_iter().map(|(_, most)| most).collect();
            (least, most.and_then(|most| most.into_iter().max()))
        }
    }
}

/// Whether `pattern` matches `text`; `false` for patterns that do not compile.
pub(crate) fn matches(pattern: &str, text: &str) -> bool {
    let schema = serde_json::json!({ "pattern": pattern });
    let check = jsonschema::validator_for(&schema);
    check.is_ok_and(|check| check.is_valid(&serde_json::Value::from(text)))
}
