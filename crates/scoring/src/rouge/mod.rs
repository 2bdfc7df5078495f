//! ROUGE-1 as google-adk computes it: how many words two texts share.
//!
//! Bit for bit with `response_match_score` of google-adk 2.13 on Python 3.11, whose Unicode is 14:
//! its tokenizer ([`tokens`]), NLTK's variant of Porter's stemmer ([`stem`]), and the order of the
//! floating-point operations.

mod alphanumeric_runs;
mod classes;
mod differing_words;
mod porter;
mod short_word_cache;
mod tokens;
mod words;

pub use differing_words::{DifferingWords, differing_words};
pub use porter::stem;
pub use tokens::tokens;

use words::{WordKey, Words, initial};

/// The share of common words of a candidate and a reference.
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

/// Scores texts and caches the stems of their words: texts of one kind share most of their words. The
/// cache is bounded and never changes a score.
///
/// ```
/// use scoring::rouge::Scorer;
/// let rouge = Scorer::default().score("The flights were booked.", "A flight was booked");
/// assert_eq!(rouge.f_measure, 0.5);
/// ```
#[derive(Debug, Default)]
pub struct Scorer {
    words: Words,
    /// How often each stem occurs in the reference and was not yet found in the candidate.
    left: Vec<u32>,
    reference: Vec<WordKey>,
    candidate: Vec<WordKey>,
    /// The words of both that differ.
    unshared: UnsharedWords,
}

/// The words of two texts that differ at the same place.
#[derive(Debug, Default)]
struct UnsharedWords {
    reference: Vec<WordKey>,
    candidate: Vec<WordKey>,
}

impl Scorer {
    /// Scores `candidate` against `reference`.
    pub fn score(&mut self, candidate: &str, reference: &str) -> Rouge1 {
        self.words.forget_if_many();
        self.words.split(reference, &mut self.reference);
        self.words.split(candidate, &mut self.candidate);
        // A word that both have is shared once: removed from both, it reduces the common count of its
        // stem by one. So only the differing words are looked up, which are few in most responses.
        let same = self.unshared.take(&self.reference, &self.candidate);
        let shared = same + self.shared_stems();
        Rouge1::of(self.candidate.len(), self.reference.len(), shared)
    }

    /// How many of the differing words share a stem.
    fn shared_stems(&mut self) -> usize {
        let Self { words, left, unshared: UnsharedWords { reference, candidate }, .. } = self;
        if reference.is_empty() || candidate.is_empty() {
            return 0;
        }
        for word in reference.iter_mut() {
            let stem = words.stem(*word);
            *word = WordKey::from(stem);
            let place = stem as usize;
            if place >= left.len() {
                left.resize(place + 1, 0);
            }
            if let Some(left) = left.get_mut(place) {
                *left += 1;
            }
        }
        let mut shared = 0;
        for word in candidate.iter() {
            if let Some(left) = left.get_mut(words.stem(*word) as usize)
                && *left > 0
            {
                *left -= 1;
                shared += 1;
            }
        }
        for stem in reference.iter() {
            #[allow(
                clippy::cast_possible_truncation,
                reason = "on 64 bits only: a stem's number, put there above"
            )]
            if let Some(left) = left.get_mut(*stem as usize) {
                *left = 0;
            }
        }
        shared
    }
}

impl UnsharedWords {
    /// Keeps the differing words, and counts the equal ones: from both ends, and at the same place
    /// between.
    fn take(&mut self, reference: &[WordKey], candidate: &[WordKey]) -> usize {
        let same = |(one, other): &(&WordKey, &WordKey)| one == other;
        let before = reference.iter().zip(candidate).take_while(same).count();
        let (reference, candidate) = (&reference[before..], &candidate[before..]);
        let after = reference.iter().rev().zip(candidate.iter().rev()).take_while(same).count();
        let reference = &reference[..reference.len() - after];
        let candidate = &candidate[..candidate.len() - after];
        self.reference.clear();
        self.candidate.clear();
        for (one, other) in reference.iter().zip(candidate) {
            if one != other {
                self.reference.push(*one);
                self.candidate.push(*other);
            }
        }
        let opposite = reference.len().min(candidate.len());
        let between = opposite - self.reference.len();
        self.reference.extend_from_slice(&reference[opposite..]);
        self.candidate.extend_from_slice(&candidate[opposite..]);
        let initials = |words: &[WordKey]| words.iter().fold(0, |all, word| all | initial(*word));
        let (in_reference, in_candidate) = (initials(&self.reference), initials(&self.candidate));
        keep(&mut self.reference, in_candidate);
        keep(&mut self.candidate, in_reference);
        before + between + after
    }
}

/// Keeps the words that begin with one of `initials`: without a branch, since half of them do.
fn keep(words: &mut Vec<WordKey>, initials: u64) {
    let mut kept = 0;
    for place in 0..words.len() {
        let word = words[place];
        words[kept] = word;
        kept += usize::from(initials & initial(word) != 0);
    }
    words.truncate(kept);
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
        fn fast_path_matches_the_plain_algorithm(
            candidate in "([Bb]ook(ed|ing|s)?|[a-z]{0,20}|[0-9]{1,3}|é|京|Σ|\\PC)([ ,.-]{0,2}([Bb]ook(ed|ing)?|[A-Za-c]{1,20}|ñ)){0,20}",
            reference in "(book(ed|ing|s)?|[a-c]{1,3}|京)([ ,.-]{1,2}(BOOKING|[a-c]{1,2}|ñ)){0,20}",
        ) {
            let mut scorer = Scorer::default();
            prop_assert_eq!(scorer.score(&candidate, &reference), plainly(&candidate, &reference));
            prop_assert_eq!(scorer.score(&reference, &candidate), plainly(&reference, &candidate));
        }

        #[test]
        fn fast_path_for_similar_texts_gives_the_same_score(
            words in prop::collection::vec("book(ed|ing|s)?|[ab]|é|internationalisations?", 0..30),
            edits in prop::collection::vec((0_usize..30, 0..3, "books?|[ab]|京|x"), 0..6),
        ) {
            let mut edited = words.clone();
            for (place, edit, word) in edits {
                let place = place.min(edited.len());
                match edit {
                    0 => edited.insert(place, word),
                    1 if place < edited.len() => drop(edited.remove(place)),
                    _ => edited.iter_mut().skip(place).take(1).for_each(|it| it.clone_from(&word)),
                }
            }
            let (one, other) = (words.join(" "), edited.join(" "));
            let mut scorer = Scorer::default();
            for _ in 0..2 {
                prop_assert_eq!(scorer.score(&other, &one), plainly(&other, &one));
                prop_assert_eq!(scorer.score(&one, &other), plainly(&one, &other));
            }
        }
    }

    #[test]
    fn stem_shares_the_start_of_its_word() {
        let letters = || b"abcdefghijklmnopqrstuvwxyz019".iter().map(|byte| char::from(*byte));
        let suffixes = ["", "s", "ies", "ying", "ed", "eed", "ing", "ational", "ness", "y", "sses"];
        for first in letters() {
            for second in letters() {
                for third in letters() {
                    for suffix in suffixes {
                        let word = format!("{first}{second}{third}{suffix}");
                        assert!(stem(&word).starts_with(first), "{word}");
                        let word = format!("{first}{second}{suffix}");
                        assert!(stem(&word).starts_with(first), "{word}");
                        let word = format!("{first}{suffix}");
                        assert!(stem(&word).starts_with(first), "{word}");
                    }
                }
            }
        }
    }

    #[test]
    fn cache_does_not_change_scores() {
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
