//! Patterns on which backtracking engines take exponential time.
//!
//! Only what is certain: a group that is repeated without end, that can match the same text in several
//! ways, and that something must follow. `(a+)+$` is one, `([a-z]+\.)+com` is not.

use crate::sub_schema::SubSchema;
use crate::{Report, Rule};

pub(crate) fn check(place: &SubSchema<'_>, report: &mut Report) {
    for (pointer, pattern) in place.patterns() {
        if let Some(group) = slow_group(pattern) {
            let message = format!(
                "`{group}` can match the same text in many ways, so engines that backtrack, as in \
                 JavaScript and Python, may take exponential time: repeat either the group or its \
                 content."
            );
            report.find(Rule::PatternSlow, &pointer, message);
        }
    }
}

/// How often a part is matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Times {
    Once,
    /// `?`, `{0,9}`
    UpTo,
    /// `+`, `{2,}`
    Endless,
    /// `*`, `{0,}`
    EndlessOrNone,
}

impl Times {
    fn is_endless(self) -> bool {
        matches!(self, Self::Endless | Self::EndlessOrNone)
    }

    fn may_be_none(self) -> bool {
        matches!(self, Self::UpTo | Self::EndlessOrNone)
    }
}

/// A part of an alternative, with its text.
#[derive(Debug)]
struct Part<'p> {
    text: &'p str,
    times: Times,
    /// The alternatives of a group.
    group: Option<Vec<Vec<Part<'p>>>>,
}

/// The text of the first group that is slow; `None` for a pattern that cannot be read.
fn slow_group(pattern: &str) -> Option<&str> {
    let mut reader = Reader { pattern, at: 0 };
    let alternatives = reader.alternatives()?;
    (reader.at == pattern.len()).then_some(())?;
    alternatives.iter().find_map(|parts| slow_in(parts, false))
}

fn slow_in<'p>(parts: &[Part<'p>], is_followed: bool) -> Option<&'p str> {
    parts.iter().enumerate().find_map(|(index, part)| {
        let rest = &parts[index + 1..];
        let is_followed = is_followed || rest.iter().any(|part| !part.times.may_be_none());
        let alternatives = part.group.as_ref()?;
        if part.times.is_endless() && is_followed && is_ambiguous(alternatives) {
            return Some(part.text);
        }
        alternatives.iter().find_map(|parts| slow_in(parts, is_followed))
    })
}

/// Whether a group that is repeated can match the same text in several ways.
fn is_ambiguous(alternatives: &[Vec<Part<'_>>]) -> bool {
    let repeats_itself = |parts: &Vec<Part<'_>>| {
        parts.iter().any(|part| part.times.is_endless() && part.group.is_none())
            && parts.iter().all(|part| part.times != Times::Once && part.group.is_none())
            && parts.iter().filter(|part| !part.times.may_be_none()).count() <= 1
    };
    let single = |parts: &Vec<Part<'_>>| match parts.as_slice() {
        [part] if part.group.is_none() && !part.times.may_be_none() => {
            Some(part.text.trim_end_matches(['+', '?']).to_owned())
        }
        _ => None,
    };
    let singles: Vec<String> = alternatives.iter().filter_map(single).collect();
    let overlap = |one: &str, other: &str| {
        one == other || matches!((one, other), (r"\w", r"\d" | "_") | (r"\d" | "_", r"\w"))
    };
    let overlaps = singles
        .iter()
        .enumerate()
        .any(|(index, one)| singles[index + 1..].iter().any(|other| overlap(one, other)));
    alternatives.iter().any(repeats_itself) || overlaps
}

struct Reader<'p> {
    pattern: &'p str,
    at: usize,
}

impl<'p> Reader<'p> {
    fn rest(&self) -> &'p str {
        &self.pattern[self.at..]
    }

    fn skip(&mut self) -> Option<char> {
        let letter = self.rest().chars().next()?;
        self.at += letter.len_utf8();
        Some(letter)
    }

    fn alternatives(&mut self) -> Option<Vec<Vec<Part<'p>>>> {
        let mut alternatives = vec![Vec::new()];
        loop {
            match self.rest().chars().next() {
                None | Some(')') => return Some(alternatives),
                Some('|') => {
                    self.at += 1;
                    alternatives.push(Vec::new());
                }
                Some(_) => alternatives.last_mut()?.push(self.part()?),
            }
        }
    }

    fn part(&mut self) -> Option<Part<'p>> {
        let start = self.at;
        let mut group = None;
        match self.skip()? {
            '\\' => {
                self.skip()?;
            }
            '[' => self.class()?,
            '(' => {
                match self.rest() {
                    rest if rest.starts_with("?:") => self.at += 2,
                    // What looks ahead or behind, and names.
                    rest if rest.starts_with('?') => return None,
                    _ => {}
                }
                group = Some(self.alternatives()?);
                (self.skip()? == ')').then_some(())?;
            }
            '*' | '+' | '?' | '{' | ')' => return None,
            _ => {}
        }
        let times = self.times()?;
        Some(Part { text: &self.pattern[start..self.at], times, group })
    }

    fn class(&mut self) -> Option<()> {
        loop {
            match self.skip()? {
                '\\' => {
                    self.skip()?;
                }
                ']' => return Some(()),
                _ => {}
            }
        }
    }

    fn times(&mut self) -> Option<Times> {
        let times = match self.rest().chars().next() {
            Some('*') => Times::EndlessOrNone,
            Some('+') => Times::Endless,
            Some('?') => Times::UpTo,
            Some('{') => {
                let (count, _) = self.rest()[1..].split_once('}')?;
                self.at += count.len() + 1;
                match count.split_once(',') {
                    Some(("0", "")) => Times::EndlessOrNone,
                    Some((_, "")) => Times::Endless,
                    Some(("0", _)) => Times::UpTo,
                    _ => Times::Once,
                }
            }
            _ => return Some(Times::Once),
        };
        self.at += 1;
        // A lazy repetition.
        self.at += usize::from(self.rest().starts_with('?'));
        Some(times)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_patterns_that_are_surely_slow_are_found() {
        for (slow, group) in [
            ("^(a+)+$", "(a+)+"),
            (r"^(\w+\s?)*$", r"(\w+\s?)*"),
            ("^(?:.*)*x", "(?:.*)*"),
            ("([a-z]+)*@", "([a-z]+)*"),
            ("^((ab)|(a*)+b)$", "(a*)+"),
            (r"^(a|a)*$", "(a|a)*"),
            (r"^(\w|\d)+$", r"(\w|\d)+"),
            ("^x([a-z]{2,})+$", "([a-z]{2,})+"),
        ] {
            assert_eq!(slow_group(slow), Some(group), "{slow}");
        }
        for fine in [
            "(a+)+",
            r"^([a-z]+\.)+com$",
            "^[a-z]+$",
            "^(a|b)*$",
            r"^(\+\d{1,2}\s)?\d{3}$",
            r"^[\w.+-]+@([\w-]+\.)+[\w-]{2,4}$",
            "^(a+b)*$",
            "^(a+){1,3}$",
            "(?=a)(b+)+$",
            "(",
        ] {
            assert_eq!(slow_group(fine), None, "{fine}");
        }
    }
}
