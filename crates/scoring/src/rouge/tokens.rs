//! The words of a text, as google-adk's tokenizer finds them.
//!
//! NFKC, then lower case, then character by character: each Chinese, Japanese and Korean character is
//! a word; in Thai, Lao, Khmer and Myanmar a word begins at each character that is not a mark;
//! letters, marks and numbers form words; anything else separates them.

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

use super::alphanumeric_runs::each_run;
use super::classes::RUNS;
use super::porter::{Rules, Stemmer};

/// A word.
#[derive(Debug, Clone, Copy)]
pub(super) enum Word<'w> {
    /// Of ASCII letters and digits, which is stemmed.
    Ascii(Run<'w>),
    /// With any other character, which is not; in lower case.
    Other(&'w str),
}

/// An ASCII word in its text, with its capitals.
#[derive(Debug, Clone, Copy)]
pub(super) struct Run<'w> {
    pub(super) text: &'w [u8],
    pub(super) begin: usize,
    pub(super) end: usize,
}

impl Run<'_> {
    pub(super) fn lowered(self) -> Vec<u8> {
        self.text.get(self.begin..self.end).unwrap_or_default().to_ascii_lowercase()
    }
}

/// The tokens that ROUGE compares: the words of `text`, those of ASCII that are longer than three
/// characters stemmed.
///
/// ```
/// use scoring::rouge::tokens;
/// assert_eq!(tokens("Flights: Zürich→東京"), ["flight", "zürich", "東", "京"]);
/// ```
#[must_use]
pub fn tokens(text: &str) -> Vec<String> {
    tokens_by(text, &Rules::NLTK)
}

/// The same by other rules of stemming.
pub(super) fn tokens_by(text: &str, rules: &Rules) -> Vec<String> {
    let mut stemmer = Stemmer::default();
    let mut tokens = Vec::new();
    each_word(text, |word| {
        tokens.push(match word {
            Word::Ascii(run) => {
                let word = run.lowered();
                let stem = if word.len() > 3 { stemmer.stem(rules, &word) } else { &word };
                String::from_utf8_lossy(stem).into_owned()
            }
            Word::Other(text) => text.to_owned(),
        });
    });
    tokens
}

/// Hands every word of `text` to `each`, in order.
pub(super) fn each_word(text: &str, mut each: impl FnMut(Word<'_>)) {
    if text.is_ascii() {
        let text = text.as_bytes();
        each_run(text, |begin, end| each(Word::Ascii(Run { text, begin, end })));
    } else if is_plain(text) {
        each_plain_word(text, each);
    } else {
        each_word_of_any(text, each);
    }
}

/// The words of any text.
fn each_word_of_any(text: &str, mut each: impl FnMut(Word<'_>)) {
    let mut word = String::new();
    // Python does not change characters that its Unicode version does not know, while newer tables
    // normalize and lower-case them. For Python such a character composes with nothing and has no
    // case, so the text can be split there.
    let mut rest = text;
    while !rest.is_empty() {
        let is_unknown = |character: char| class(character) == Class::Unassigned;
        let unknown = rest.char_indices().find(|(_, character)| is_unknown(*character));
        let (known, after) = match unknown {
            Some((at, character)) => (&rest[..at], &rest[at + character.len_utf8()..]),
            None => (rest, ""),
        };
        // Most texts are normal already, and asking costs less than normalizing.
        let folded = match is_nfkc_quick(known.chars()) {
            IsNormalized::Yes => lower_case(known),
            _ => lower_case(&known.nfkc().collect::<String>()),
        };
        for character in folded.chars().chain(unknown.map(|(_, character)| character)) {
            take(character, &mut word, &mut each);
        }
        rest = after;
    }
    flush(&mut word, &mut each);
}

/// Whether a text is normalized and can be lower-cased one character at a time: nothing in it is
/// unknown to Unicode 14, and no capital sigma looks around.
fn is_plain(text: &str) -> bool {
    let mut rest = text;
    while let Some(other) = rest.get(ascii_length(rest)..).filter(|other| !other.is_empty()) {
        let length = other.bytes().position(|byte| byte.is_ascii()).unwrap_or(other.len());
        let (run, after) = other.split_at(length);
        // ASCII is normalized, and nothing before it can change that.
        let is_plain = run.chars().all(|c| c != 'Σ' && class(c) != Class::Unassigned)
            && is_nfkc_quick(run.chars()) == IsNormalized::Yes;
        if !is_plain {
            return false;
        }
        rest = after;
    }
    true
}

/// How many bytes of ASCII a text begins with.
fn ascii_length(text: &str) -> usize {
    let (eights, rest) = text.as_bytes().as_chunks::<8>();
    let high = |eight: &[u8; 8]| u64::from_le_bytes(*eight) & 0x8080_8080_8080_8080;
    match eights.iter().enumerate().find(|(_, eight)| high(eight) != 0) {
        Some((place, eight)) => 8 * place + high(eight).trailing_zeros() as usize / 8,
        None => {
            let other = rest.iter().position(|byte| !byte.is_ascii());
            8 * eights.len() + other.unwrap_or(rest.len())
        }
    }
}

/// The words of a plain text: runs of ASCII as a whole, other characters one by one.
fn each_plain_word(text: &str, mut each: impl FnMut(Word<'_>)) {
    let mut word = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (ascii, after) = rest.split_at(ascii_length(rest));
        let mut met = 0;
        each_run(ascii.as_bytes(), |begin, end| {
            if begin > 0 {
                flush(&mut word, &mut each);
            }
            met = end;
            // At either end of the part the word may go on with another character.
            if begin == 0 || end == ascii.len() {
                let run = ascii.get(begin..end).unwrap_or_default();
                word.extend(run.chars().map(|letter| letter.to_ascii_lowercase()));
            } else {
                each(Word::Ascii(Run { text: ascii.as_bytes(), begin, end }));
            }
        });
        if met < ascii.len() {
            flush(&mut word, &mut each);
        }
        let mut characters = after.chars();
        if let Some(character) = characters.next() {
            for character in character.to_lowercase() {
                take(character, &mut word, &mut each);
            }
        }
        rest = characters.as_str();
    }
    flush(&mut word, &mut each);
}

/// Lower case as Unicode 14 has it.
///
/// The lower case of a capital sigma depends on the letters with case around it, and two characters
/// have changed since: `ʕ` was a letter with case, and an Ahom sign was ignored. In texts with a sigma
/// they are replaced by others of their former kind.
fn lower_case(text: &str) -> String {
    let newer = text.to_lowercase();
    if !text.contains('Σ') {
        return newer;
    }
    let is_unused = |c: &char| !text.contains(*c) && !newer.contains(*c);
    let stands_for = [
        ('\u{295}', ('\u{250}'..='\u{293}').find(is_unused)),
        ('\u{1171e}', ('\u{300}'..='\u{344}').find(is_unused)),
    ];
    let mut text = text.to_owned();
    for (changed, other) in stands_for {
        if let Some(other) = other.filter(|_| text.contains(changed)) {
            text = text.replace(changed, &other.to_string());
        }
    }
    let mut lower = text.to_lowercase();
    for (changed, other) in stands_for {
        if let Some(other) = other {
            lower = lower.replace(other, &changed.to_string());
        }
    }
    lower
}

fn take(character: char, word: &mut String, each: &mut impl FnMut(Word<'_>)) {
    if character.is_ascii() {
        if character.is_ascii_alphanumeric() {
            word.push(character);
        } else {
            flush(word, each);
        }
        return;
    }
    match script(character) {
        Script::Alone => {
            flush(word, each);
            word.push(character);
            flush(word, each);
        }
        Script::Unspaced => {
            if class(character) != Class::Mark {
                flush(word, each);
            }
            word.push(character);
        }
        Script::Spaced if matches!(class(character), Class::Word | Class::Mark) => {
            word.push(character);
        }
        Script::Spaced => flush(word, each),
    }
}

fn flush(word: &mut String, each: &mut impl FnMut(Word<'_>)) {
    if word.is_empty() {
        return;
    }
    if word.is_ascii() {
        each(Word::Ascii(Run { text: word.as_bytes(), begin: 0, end: word.len() }));
    } else {
        each(Word::Other(word));
    }
    word.clear();
}

/// How a script separates words.
enum Script {
    /// Each character is a word.
    Alone,
    /// Without spaces: each character other than a mark begins a word.
    Unspaced,
    /// With spaces.
    Spaced,
}

fn script(character: char) -> Script {
    match character {
        '\u{4e00}'..='\u{9fff}' | '\u{3040}'..='\u{30ff}' | '\u{ac00}'..='\u{d7af}' => {
            Script::Alone
        }
        '\u{0e00}'..='\u{0eff}' | '\u{1780}'..='\u{17ff}' | '\u{1000}'..='\u{109f}' => {
            Script::Unspaced
        }
        _ => Script::Spaced,
    }
}

/// What a character is for a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Word,
    Mark,
    Other,
    Unassigned,
}

fn class(character: char) -> Class {
    if character.is_ascii() {
        // The most frequent by far.
        return if character.is_ascii_alphanumeric() { Class::Word } else { Class::Other };
    }
    let code = u32::from(character);
    // Letters with accents and the signs beside them: the most frequent of the others.
    if let Some(class) = NEAR.get(code as usize) {
        return *class;
    }
    let after = RUNS.partition_point(|run| run >> 2 <= code);
    match after.checked_sub(1).and_then(|place| RUNS.get(place)) {
        Some(run) => Class::of_run(*run),
        None => Class::Other,
    }
}

impl Class {
    const fn of_run(run: u32) -> Self {
        match run & 3 {
            1 => Self::Word,
            2 => Self::Mark,
            3 => Self::Unassigned,
            _ => Self::Other,
        }
    }
}

/// The classes of the first characters.
const NEAR: [Class; 0x180] = {
    let mut near = [Class::Other; 0x180];
    let (mut code, mut run) = (0, 0);
    while code < near.len() {
        while run < RUNS.len() && (RUNS[run] >> 2) as usize <= code {
            run += 1;
        }
        if run > 0 {
            near[code] = Class::of_run(RUNS[run - 1]);
        }
        code += 1;
    }
    near
};

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn heard(
        each_word: impl Fn(&str, &mut dyn FnMut(Word<'_>)),
        text: &str,
    ) -> Vec<(bool, String)> {
        let mut words = Vec::new();
        each_word(text, &mut |word| {
            words.push(match word {
                Word::Ascii(run) => (true, String::from_utf8_lossy(&run.lowered()).into_owned()),
                Word::Other(text) => (false, text.to_owned()),
            });
        });
        words
    }

    proptest! {
        #[test]
        fn plain_texts_have_the_words_that_any_text_has(
            text in "([a-cA-C1-3]{0,3}|[ .,-]|[éÉñßÄİюЮ京かกิ°—’]){0,40}\\PC?"
        ) {
            if is_plain(&text) {
                let plain = heard(|text, each| each_plain_word(text, each), &text);
                prop_assert_eq!(plain, heard(|text, each| each_word_of_any(text, each), &text));
            }
        }
    }

    fn check(text: &str, expected: &[&str]) {
        assert_eq!(tokens(text), expected, "{text}");
    }

    #[test]
    fn words_of_many_scripts() {
        check("", &[]);
        check("Running, don't_stop!", &["run", "don", "t", "stop"]);
        check("ＦＵＬＬ ﬁne ½", &["full", "fine", "1", "2"]);
        check("ΟΔΟΣ Σ", &["οδος", "σ"]);
        check("aΣʕ ʕΣ aʕΣ", &["aσʕ", "ʕς", "aʕς"]);
        check("ɐΣ\u{1171e} Ɐ\u{1171e}Σ", &["ɐς\u{1171e}", "ɐ\u{1171e}ς"]);
        check("İstanbul", &["i\u{307}stanbul"]);
        check("한글", &["한", "글"]);
        check("น้ำ", &["น้\u{e4d}", "า"]);
        check("हिन्दी", &["हिन्दी"]);
        check("a\u{200b}b", &["a", "b"]);
    }

    #[test]
    fn near_characters_have_the_class_of_their_run() {
        for (code, class) in (0_u32..).zip(NEAR) {
            let after = RUNS.partition_point(|run| run >> 2 <= code);
            let run = after.checked_sub(1).map(|place| RUNS[place]);
            assert_eq!(class, run.map_or(Class::Other, Class::of_run), "{code:x}");
        }
        assert_eq!((class('é'), class('°'), class('ß')), (Class::Word, Class::Other, Class::Word));
    }

    #[test]
    fn characters_newer_than_unicode_14_are_unchanged() {
        // A capital of Unicode 16, which newer tables lower-case to an old letter.
        check("a\u{a7cb}b", &["a", "b"]);
        // A Lao mark of Unicode 15, in a script without spaces: no mark yet.
        check("ກ\u{ece}", &["ກ", "\u{ece}"]);
    }
}
