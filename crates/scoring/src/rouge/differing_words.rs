//! [`differing_words`]: the words that two texts do not share.

use std::collections::HashMap;

use super::porter::{Rules, Stemmer};
use super::tokens::{Word, each_word};

/// The words that only one of two texts has, spelled as in the text and in its order. A word that one
/// text has more often is repeated that many times.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DifferingWords {
    /// Of the reference.
    pub missing: Vec<String>,
    /// Of the candidate.
    pub extra: Vec<String>,
}

/// The words that [`super::Scorer`] does not count as shared.
///
/// ```
/// use scoring::rouge::differing_words;
/// let words = differing_words("Two flights were booked", "A flight was booked, flight 7");
/// assert_eq!(words.missing, ["A", "was", "flight", "7"]);
/// assert_eq!(words.extra, ["Two", "were"]);
/// ```
#[must_use]
pub fn differing_words(candidate: &str, reference: &str) -> DifferingWords {
    let (candidate, reference) = (stemmed(candidate), stemmed(reference));
    DifferingWords {
        missing: without(&reference, &candidate),
        extra: without(&candidate, &reference),
    }
}

/// A word by its stem, and as it is spelled.
type Stemmed = (Vec<u8>, String);

fn stemmed(text: &str) -> Vec<Stemmed> {
    let mut stemmer = Stemmer::default();
    let mut words = Vec::new();
    each_word(text, |word| {
        words.push(match word {
            Word::Ascii(run) => {
                let lowered = run.lowered();
                let stem = match lowered.len() > 3 {
                    true => stemmer.stem(&Rules::NLTK, &lowered).to_vec(),
                    false => lowered,
                };
                let spelled = run.text.get(run.begin..run.end).unwrap_or_default();
                (stem, String::from_utf8_lossy(spelled).into_owned())
            }
            Word::Other(text) => (text.as_bytes().to_vec(), text.to_owned()),
        });
    });
    words
}

/// The words that remain when each of the others has removed one with its stem.
fn without(words: &[Stemmed], others: &[Stemmed]) -> Vec<String> {
    let mut taken: HashMap<&[u8], usize> = HashMap::new();
    for (stem, _) in others {
        *taken.entry(stem).or_default() += 1;
    }
    let left = words.iter().filter(|(stem, _)| match taken.get_mut(stem.as_slice()) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    });
    left.map(|(_, spelled)| spelled.clone()).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::rouge::{Scorer, tokens};

    proptest! {
        #[test]
        fn remainder_excludes_shared_words(
            candidate in "([Bb]ook(ed|ing|s)?|[a-c]|京|é)( [Bb]ook(ed|s)?| [a-c]|京){0,12}",
            reference in "(book(ed|ing|s)?|[a-c]|京|É)( BOOK(S)?| [a-c]|京){0,12}",
        ) {
            let words = differing_words(&candidate, &reference);
            let rouge = Scorer::default().score(&candidate, &reference);
            let (made, wanted) = (tokens(&candidate).len(), tokens(&reference).len());
            let shared = made - words.extra.len();
            prop_assert_eq!(shared, wanted - words.missing.len());
            #[expect(clippy::cast_precision_loss, reason = "few words")]
            let precision = shared as f64 / made.max(1) as f64;
            prop_assert_eq!(rouge.precision, precision);
        }
    }
}
