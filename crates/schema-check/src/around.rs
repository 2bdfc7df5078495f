//! [`Apart`]: a pattern with look-arounds and back references, taken apart into patterns that have
//! neither, so that text can be made for them.
//!
//! What is made from the parts is a guess: what a look-ahead asks for is put before, behind or over
//! text of the rest.

use std::iter::Peekable;
use std::str::Chars;

use crate::chance::Chance;
use crate::text::{Written, matches, parsed};

/// How many look-arounds within each other are taken apart.
const DEEPEST: usize = 8;

/// The first of the letters that stand for back references, one for each group: of a plane that no
/// script uses.
const FIRST: u32 = 0xF_0000;

/// How many groups may be referred to.
const MOST: usize = 1_000;

/// A pattern without its look-arounds, and what these ask for.
#[derive(Debug, Default)]
struct Apart {
    rest: Part,
    asked: Vec<Part>,
}

/// A pattern in which back references are letters of their own.
#[derive(Debug, Default)]
struct Part {
    pattern: String,
    /// The numbers that its groups have in the whole.
    groups: Vec<usize>,
}

/// Text that a pattern with look-arounds or back references may match; `None` where it has what is
/// not taken apart.
pub(crate) fn guessed(pattern: &str, chance: &mut Chance) -> Option<String> {
    /// How many guesses are matched, which costs; one more is left to the caller.
    const MATCHED: usize = 2;
    let apart = apart(pattern)?;
    let base = apart.rest.text(false, chance)?;
    let asked: Vec<String> =
        apart.asked.iter().map(|part| part.text(true, chance)).collect::<Option<_>>()?;
    let mut guesses = guesses(&base, &asked);
    let first = chance.below(guesses.len());
    guesses.rotate_left(first);
    let mut last = guesses.split_off(MATCHED.min(guesses.len() - 1));
    let matched = guesses.into_iter().find(|guess| matches(pattern, guess));
    matched.or_else(|| Some(last.swap_remove(0)))
}

/// The number of the group that a letter made for a back reference stands for.
pub(crate) fn group_of(letter: char) -> Option<usize> {
    let number = usize::try_from(u32::from(letter).checked_sub(FIRST)?).ok()?;
    (number < MOST).then_some(number)
}

/// `base` with what is asked for: as it is, before it, behind it, over its start, over its end, and
/// gone on as long as the longest of what is asked for.
fn guesses(base: &str, asked: &[String]) -> Vec<String> {
    let mut guesses = vec![base.to_owned()];
    if asked.is_empty() {
        return guesses;
    }
    let all = asked.concat();
    let count = |text: &str| text.chars().count();
    let rest_after: String = base.chars().skip(count(&all)).collect();
    let rest_before: String = base.chars().take(count(base).saturating_sub(count(&all))).collect();
    let longest = asked.iter().map(|it| count(it)).max().unwrap_or(0);
    let last: String = base.chars().last().into_iter().collect();
    let more = last.repeat(longest.saturating_sub(count(base)));
    guesses.extend([
        format!("{all}{base}"),
        format!("{base}{all}"),
        format!("{all}{rest_after}"),
        format!("{rest_before}{all}"),
        format!("{base}{more}"),
    ]);
    guesses
}

impl Part {
    /// Text that it matches; with as few repetitions as there may be where `brief`.
    fn text(&self, brief: bool, chance: &mut Chance) -> Option<String> {
        let mut written = Written::of_groups(&self.groups, brief);
        written.write(&parsed(&self.pattern)?, chance)?;
        Some(written.text)
    }
}

fn apart(pattern: &str) -> Option<Apart> {
    let mut taker = Taker { letters: pattern.chars().peekable(), count: 0 };
    let mut asked = Vec::new();
    let rest = taker.part(0, &mut asked)?;
    // A bracket that nothing opened.
    if taker.letters.next().is_some() {
        return None;
    }
    Some(Apart { rest, asked })
}

/// What a bracket opens.
enum Opened {
    /// A group, and whether it is remembered.
    Group { is_remembered: bool },
    /// A look-around, and whether what stands in it must be there.
    Around { is_asked: bool },
}

/// What the bracket before `letters` opens; the signs of a look-around are taken away.
fn opened(letters: &mut Peekable<Chars<'_>>) -> Opened {
    let mut ahead = letters.clone();
    if ahead.next_if_eq(&'?').is_none() {
        return Opened::Group { is_remembered: true };
    }
    let is_named = ahead.next_if_eq(&'<').is_some();
    match ahead.next() {
        Some(sign @ ('=' | '!')) => {
            *letters = ahead;
            Opened::Around { is_asked: sign == '=' }
        }
        _ => Opened::Group { is_remembered: is_named },
    }
}

struct Taker<'p> {
    letters: Peekable<Chars<'p>>,
    /// How many groups were opened.
    count: usize,
}

impl Taker<'_> {
    /// Takes what stands before the end, or before a bracket that closes more than was opened in it.
    fn part(&mut self, depth: usize, asked: &mut Vec<Part>) -> Option<Part> {
        if depth > DEEPEST {
            return None;
        }
        let mut part = Part::default();
        let mut open = 0_usize;
        while let Some(letter) = self.letters.peek().copied() {
            if letter == ')' && open == 0 {
                break;
            }
            self.letters.next();
            match letter {
                '\\' => self.escaped(&mut part)?,
                '[' => self.class(&mut part),
                ')' => {
                    open -= 1;
                    part.pattern.push(')');
                }
                '(' => match opened(&mut self.letters) {
                    Opened::Around { is_asked } => {
                        let mut within = Vec::new();
                        let around = self.part(depth + 1, &mut within)?;
                        self.letters.next_if_eq(&')')?;
                        if is_asked {
                            asked.push(around);
                            asked.append(&mut within);
                        }
                    }
                    Opened::Group { is_remembered } => {
                        open += 1;
                        part.pattern.push('(');
                        if is_remembered {
                            self.count += 1;
                            part.groups.push(self.count);
                        }
                    }
                },
                other => part.pattern.push(other),
            }
        }
        (open == 0).then_some(part)
    }

    fn escaped(&mut self, part: &mut Part) -> Option<()> {
        let letter = self.letters.next()?;
        let Some(first) = letter.to_digit(10).filter(|digit| *digit > 0) else {
            part.pattern.extend(['\\', letter]);
            return Some(());
        };
        let mut number = first;
        while let Some(digit) = self.letters.peek().and_then(|it| it.to_digit(10)) {
            number = number.saturating_mul(10).saturating_add(digit);
            self.letters.next();
        }
        let group = number.checked_add(FIRST).and_then(char::from_u32)?;
        part.pattern.push(group_of(group).map(|_| group)?);
        Some(())
    }

    fn class(&mut self, part: &mut Part) {
        part.pattern.push('[');
        while let Some(letter) = self.letters.next() {
            match letter {
                '\\' => part.pattern.extend(['\\'].into_iter().chain(self.letters.next())),
                // A bracket of its own in JavaScript.
                '[' => part.pattern.push_str("\\["),
                other => part.pattern.push(other),
            }
            if letter == ']' {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::matching;

    #[test]
    fn text_is_found_for_patterns_that_look_around() {
        for pattern in [
            r"^(?=.*[A-Z])(?=.*\d).{8,}$",
            r"^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)(?=.*[@$!%*?&])[A-Za-z\d@$!%*?&]{8,20}$",
            r"^(?!.*foo)(?!bar)[a-z]+$",
            r"^(?=.{8,}$)[a-z]+$",
            r"^(?=[a-c])\w+$",
            r"^(?!0)\d{3,}$",
            r"^\w+(?<!x)$",
            r"(?<=a)b",
            r"^(['\x22]).*\1$",
            r"^(?<q>[a-z]{3})-(?:\1)$",
            r"^(?:(a)|(b))[[]?\2$",
            r"^(?=(?=.*x).*y)[xyz]{2,}$",
            r"^(?=(a))a(b)\2$",
        ] {
            let found = (0..40).filter_map(|seed| matching(pattern, &mut Chance::new(seed)));
            assert!(found.filter(|text| matches(pattern, text)).count() > 3, "{pattern}");
        }
    }

    #[test]
    fn odd_patterns_do_no_harm() {
        let deep = "(?=".repeat(10_000);
        for pattern in ["(?=a", "(?=a))", r"\", r"\1", r"(a)\99999999999", "[", "(?<", ")", &deep] {
            let _ = matching(pattern, &mut Chance::new(1));
        }
        assert_eq!(
            matching(r"a(?=b)c", &mut Chance::new(0)).map(|it| matches("^abc$", &it)),
            Some(false)
        );
    }
}
