//! ROUGE-1 as google-adk computes it: how many words two texts share.
//!
//! Bit for bit with `response_match_score` of google-adk 2.13 on Python 3.11, whose Unicode is 14:
//! its tokeniser ([`tokens`]), NLTK's variant of Porter's stemmer ([`stem`]), and the order of the
//! floating-point operations.

mod classes;
mod porter;
mod runs;
mod short;
mod tokens;
mod words;

pub use porter::stem;
pub use tokens::tokens;

use words::{Stems, Words};

/// How far a candidate's words are those of a reference.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rouge1 {
    /// Share of the candidate's words that are in the reference, 0 to 1.
    pub precision: f64,
    /// Share of the reference's words that are in the candidate, 0 to 1.
    pub recall: f64,
    /// Their harmonic mean, 0 when both are; two empty texts come to 0 too.
    pub f_measure: f64,
}

impl Rouge1 {
    /// From the number of words on each side and of those on both.
    fn of(candidate: usize, reference: usize, shared: usize) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "no text has 2^53 words")]
        let share = |of: usize| shared as f64 / of.max(1) as f64;
        let (precision, recall) = (share(candidate), share(reference));
        let sum = precision + recall;
        let f_measure = if sum > 0.0 { 2.0 * precision * recall / sum } else { 0.0 };
        Self { precision, recall, f_measure }
    }
}

/// Scores texts and remembers the stems of the words that it met: texts of one kind share most of
/// their words. What it remembers is bounded and never changes a score.
///
/// ```
/// use scoring::rouge::Scorer;
/// let rouge = Scorer::default().score("The flights were booked.", "A flight was booked");
/// assert_eq!(rouge.f_measure, 0.5);
/// ```
#[derive(Debug, Default)]
pub struct Scorer {
    words: Words,
    /// How often each stem stands in the reference and was not yet met in the candidate.
    left: Vec<u32>,
    reference: Stems,
    candidate: Stems,
}

impl Scorer {
    /// How far `candidate` says what `reference` says.
    pub fn score(&mut self, candidate: &str, reference: &str) -> Rouge1 {
        self.words.forget_if_many();
        self.words.read(reference, &mut self.reference, &Stems::default());
        self.words.read(candidate, &mut self.candidate, &self.reference);
        self.left.resize(self.left.len().max(self.words.stem_count()), 0);
        for stem in &self.reference.numbers {
            if let Some(left) = self.left.get_mut(*stem as usize) {
                *left += 1;
            }
        }
        let mut shared = 0;
        for stem in &self.candidate.numbers {
            if let Some(left) = self.left.get_mut(*stem as usize)
                && *left > 0
            {
                *left -= 1;
                shared += 1;
            }
        }
        for stem in &self.reference.numbers {
            if let Some(left) = self.left.get_mut(*stem as usize) {
                *left = 0;
            }
        }
        Rouge1::of(self.candidate.numbers.len(), self.reference.numbers.len(), shared)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn shared_words_are_counted_as_often_as_both_have_them() {
        let rouge = Scorer::default().score("a a a b", "a a c");
        assert_eq!((rouge.precision, rouge.recall), (0.5, 2.0 / 3.0));
        assert_eq!(Scorer::default().score("", "").f_measure.to_bits(), 0.0_f64.to_bits());
        assert_eq!(Scorer::default().score("x", "").f_measure.to_bits(), 0.0_f64.to_bits());
    }

    /// By the definition and nothing else.
    fn plainly(candidate: &str, reference: &str) -> Rouge1 {
        let (candidate, mut left) = (tokens(candidate), tokens(reference));
        let reference = left.len();
        let shared = candidate.iter().filter(|token| {
            let place = left.iter().position(|other| other == *token);
            place.map(|place| left.swap_remove(place)).is_some()
        });
        let shared = shared.count();
        Rouge1::of(candidate.len(), reference, shared)
    }

    proptest! {
        #[test]
        fn the_quick_way_scores_as_the_plain_one(
            candidate in "([Bb]ook(ed|ing|s)?|[a-z]{0,20}|[0-9]{1,3}|é|京|Σ|\\PC)([ ,.-]{0,2}([Bb]ook(ed|ing)?|[A-Za-c]{1,20}|ñ)){0,20}",
            reference in "(book(ed|ing|s)?|[a-c]{1,3}|京)([ ,.-]{1,2}(BOOKING|[a-c]{1,2}|ñ)){0,20}",
        ) {
            let mut scorer = Scorer::default();
            prop_assert_eq!(scorer.score(&candidate, &reference), plainly(&candidate, &reference));
            prop_assert_eq!(scorer.score(&reference, &candidate), plainly(&reference, &candidate));
        }
    }

    #[test]
    fn memory_changes_no_score() {
        let mut scorer = Scorer::default();
        for round in 0..1200 {
            let text: Vec<String> =
                (0..60).map(|word| format!("booking{}s", round * 60 + word)).collect();
            let (text, half) = (text.join(" "), text[..30].join(" "));
            let fresh = Scorer::default().score(&half, &text);
            assert_eq!(scorer.score(&half, &text), fresh);
            assert_eq!((fresh.precision, fresh.recall), (1.0, 0.5));
        }
    }
}
