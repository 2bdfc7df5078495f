//! [`SplitPattern`]: a pattern with look-arounds and back references, split into patterns without
//! them, for which text can be generated.
//!
//! The combined text is a guess: the text of a look-ahead is put before, after or over the text of
//! the rest.

use std::iter::Peekable;
use std::str::Chars;

use crate::pattern::{TextBuilder, back_reference, matches, parse_pattern};
use crate::random::SeededRandom;

/// How deep look-arounds may nest.
const MAX_DEPTH: usize = 8;

/// A pattern without its look-arounds, and the positive look-arounds.
#[derive(Debug, Default)]
struct SplitPattern {
    rest: Part,
    required: Vec<Part>,
}

/// A pattern in which each back reference is one special character.
#[derive(Debug, Default)]
struct Part {
    pattern: String,
    /// The numbers of its groups in the whole pattern.
    groups: Vec<usize>,
}

/// Text that a pattern with look-arounds or back references may match; `None` for unsupported
/// syntax.
pub(crate) fn guess_match(pattern: &str, random: &mut SeededRandom) -> Option<String> {
    /// How many guesses are matched, which is slow; one more is left to the caller.
    const MATCHED: usize = 2;
    let apart = split_pattern(pattern)?;
    let base = apart.rest.text(false, random)?;
    let required: Vec<String> =
        apart.required.iter().map(|part| part.text(true, random)).collect::<Option<_>>()?;
    let mut guesses = guesses(&base, &required);
    let first = random.below(guesses.len());
    guesses.rotate_left(first);
    let mut last = guesses.split_off(MATCHED.min(guesses.len() - 1));
    let matched = guesses.into_iter().find(|guess| matches(pattern, guess));
    matched.or_else(|| Some(last.swap_remove(0)))
}

/// Combinations of `base` with the required texts: unchanged, prepended, appended, over its start,
/// over its end, and `base` extended to the longest required length.
fn guesses(base: &str, required: &[String]) -> Vec<String> {
    let mut guesses = vec![base.to_owned()];
    if required.is_empty() {
        return guesses;
    }
    let all = required.concat();
    let count = |text: &str| text.chars().count();
    let rest_after: String = base.chars().skip(count(&all)).collect();
    let rest_before: String = base.chars().take(count(base).saturating_sub(count(&all))).collect();
    let longest = required.iter().map(|it| count(it)).max().unwrap_or(0);
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
    /// Text that it matches; with the fewest repetitions when `brief`.
    fn text(&self, brief: bool, random: &mut SeededRandom) -> Option<String> {
        let mut builder = TextBuilder::of_groups(&self.groups, brief);
        builder.write(&parse_pattern(&self.pattern)?, random)?;
        Some(builder.text)
    }
}

fn split_pattern(pattern: &str) -> Option<SplitPattern> {
    let mut splitter = Splitter { letters: pattern.chars().peekable(), count: 0 };
    let mut required = Vec::new();
    let rest = splitter.part(0, &mut required)?;
    // An unmatched closing parenthesis.
    if splitter.letters.next().is_some() {
        return None;
    }
    Some(SplitPattern { rest, required })
}

/// What a parenthesis opens.
enum Opened {
    /// A group, and whether it captures.
    Group { is_capturing: bool },
    /// A look-around, and whether it is positive.
    Around { is_positive: bool },
}

/// What the parenthesis before `letters` opens; the sign of a look-around is consumed.
fn opened(letters: &mut Peekable<Chars<'_>>) -> Opened {
    let mut ahead = letters.clone();
    if ahead.next_if_eq(&'?').is_none() {
        return Opened::Group { is_capturing: true };
    }
    let is_named = ahead.next_if_eq(&'<').is_some();
    match ahead.next() {
        Some(sign @ ('=' | '!')) => {
            *letters = ahead;
            Opened::Around { is_positive: sign == '=' }
        }
        _ => Opened::Group { is_capturing: is_named },
    }
}

struct Splitter<'p> {
    letters: Peekable<Chars<'p>>,
    /// How many capturing groups were opened.
    count: usize,
}

impl Splitter<'_> {
    /// Reads up to the end or to a closing parenthesis that was opened outside.
    fn part(&mut self, depth: usize, required: &mut Vec<Part>) -> Option<Part> {
        if depth > MAX_DEPTH {
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
                    Opened::Around { is_positive } => {
                        let mut within = Vec::new();
                        let around = self.part(depth + 1, &mut within)?;
                        self.letters.next_if_eq(&')')?;
                        if is_positive {
                            required.push(around);
                            required.append(&mut within);
                        }
                    }
                    Opened::Group { is_capturing } => {
                        open += 1;
                        part.pattern.push('(');
                        if is_capturing {
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
        part.pattern.push(back_reference(number)?);
        Some(())
    }

    fn class(&mut self, part: &mut Part) {
        part.pattern.push('[');
        while let Some(letter) = self.letters.next() {
            match letter {
                '\\' => part.pattern.extend(['\\'].into_iter().chain(self.letters.next())),
                // A literal bracket in JavaScript.
                '[' => part.pattern.push_str("\\["),
                other => part.pattern.push(other),
            }
            if letter == ']' {
                return;
            }
        }
    }
}
