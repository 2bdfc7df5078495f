//! Porter's stemmer with the extensions of NLTK, which google-adk stems with.
//!
//! M. F. Porter, "An algorithm for suffix stripping", Program 14(3), 1980; the deviations are those
//! of NLTK's default mode and are marked in the code. Words are lower-case ASCII letters and
//! digits; a digit counts as a consonant.

/// The stem of a word of lower-case ASCII letters and digits; any other word is its own stem.
///
/// ```
/// use scoring::rouge::stem;
/// assert_eq!(stem("relational"), "relat");
/// assert_eq!(stem("dying"), "die");
/// ```
#[must_use]
pub fn stem(word: &str) -> String {
    let is_plain = word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    if !is_plain {
        return word.to_owned();
    }
    let mut stemmer = Stemmer::default();
    String::from_utf8_lossy(stemmer.stem(&Rules::NLTK, word.as_bytes())).into_owned()
}

/// A suffix, what takes its place, and what must be true of the rest of the word.
pub(super) type Rule = (&'static str, &'static str, When);

/// A condition on the part before a suffix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    /// Its measure is above 0.
    Measured,
    /// The same with as many letters of the suffix left on it.
    MeasuredWith(usize),
    /// Its measure is above 1.
    Long,
    /// The same, and it ends in `s` or `t`.
    LongEndingInSOrT,
}

/// The rules of the steps with tables; other rules have names.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rules {
    /// Whole words with stems of their own.
    irregular: &'static [(&'static str, &'static str)],
    step2: &'static [Rule],
    step3: &'static [Rule],
    step4: &'static [Rule],
    /// The rule that is left out.
    #[cfg(test)]
    without: Option<&'static str>,
}

impl Rules {
    /// NLTK's.
    pub(super) const NLTK: Self = Self {
        irregular: IRREGULAR,
        step2: STEP_2,
        step3: STEP_3,
        step4: STEP_4,
        #[cfg(test)]
        without: None,
    };

    /// Whether a rule outside the tables applies: tests leave out one after the other.
    #[cfg(test)]
    fn have(&self, rule: &str) -> bool {
        self.without != Some(rule)
    }

    #[cfg(not(test))]
    const fn have(&self, _rule: &str) -> bool {
        true
    }
}

const IRREGULAR: &[(&str, &str)] = &[
    ("sky", "sky"),
    ("skies", "sky"),
    ("dying", "die"),
    ("lying", "lie"),
    ("tying", "tie"),
    ("news", "news"),
    ("innings", "inning"),
    ("inning", "inning"),
    ("outings", "outing"),
    ("outing", "outing"),
    ("cannings", "canning"),
    ("canning", "canning"),
    ("howe", "howe"),
    ("proceed", "proceed"),
    ("exceed", "exceed"),
    ("succeed", "succeed"),
];

const STEP_2: &[Rule] = &[
    ("ational", "ate", When::Measured),
    ("tional", "tion", When::Measured),
    ("enci", "ence", When::Measured),
    ("anci", "ance", When::Measured),
    ("izer", "ize", When::Measured),
    ("bli", "ble", When::Measured),
    ("alli", "al", When::Measured),
    ("entli", "ent", When::Measured),
    ("eli", "e", When::Measured),
    ("ousli", "ous", When::Measured),
    ("ization", "ize", When::Measured),
    ("ation", "ate", When::Measured),
    ("ator", "ate", When::Measured),
    ("alism", "al", When::Measured),
    ("iveness", "ive", When::Measured),
    ("fulness", "ful", When::Measured),
    ("ousness", "ous", When::Measured),
    ("aliti", "al", When::Measured),
    ("iviti", "ive", When::Measured),
    ("biliti", "ble", When::Measured),
    // The rest is NLTK's.
    ("fulli", "ful", When::Measured),
    ("logi", "log", When::MeasuredWith(1)),
];

const STEP_3: &[Rule] = &[
    ("icate", "ic", When::Measured),
    ("ative", "", When::Measured),
    ("alize", "al", When::Measured),
    ("iciti", "ic", When::Measured),
    ("ical", "ic", When::Measured),
    ("ful", "", When::Measured),
    ("ness", "", When::Measured),
];

const STEP_4: &[Rule] = &[
    ("al", "", When::Long),
    ("ance", "", When::Long),
    ("ence", "", When::Long),
    ("er", "", When::Long),
    ("ic", "", When::Long),
    ("able", "", When::Long),
    ("ible", "", When::Long),
    ("ant", "", When::Long),
    ("ement", "", When::Long),
    ("ment", "", When::Long),
    ("ent", "", When::Long),
    ("ion", "", When::LongEndingInSOrT),
    ("ou", "", When::Long),
    ("ism", "", When::Long),
    ("ate", "", When::Long),
    ("iti", "", When::Long),
    ("ous", "", When::Long),
    ("ive", "", When::Long),
    ("ize", "", When::Long),
];

/// Stems words one after the other in one place.
#[derive(Debug, Default)]
pub(super) struct Stemmer {
    word: Vec<u8>,
}

impl Stemmer {
    /// The stem of `word`.
    pub(super) fn stem(&mut self, rules: &Rules, word: &[u8]) -> &[u8] {
        self.word.clear();
        self.word.extend_from_slice(word);
        let irregular = rules.irregular.iter().find(|(form, _)| form.as_bytes() == word);
        if let Some((_, stem)) = irregular {
            return stem.as_bytes();
        }
        if word.len() > 2 {
            self.plurals(rules);
            self.past_and_progressive(rules);
            self.final_y(rules);
            self.step_2(rules);
            self.first_of(rules.step3);
            self.first_of(rules.step4);
            self.final_e(rules);
            self.final_double_l(rules);
        }
        &self.word
    }

    fn ends(&self, suffix: &str) -> bool {
        self.word.ends_with(suffix.as_bytes())
    }

    fn before(&self, suffix_length: usize) -> &[u8] {
        self.word.get(..self.word.len().saturating_sub(suffix_length)).unwrap_or_default()
    }

    fn replace(&mut self, suffix_length: usize, replacement: &str) {
        self.word.truncate(self.word.len().saturating_sub(suffix_length));
        self.word.extend_from_slice(replacement.as_bytes());
    }

    /// The first rule with a matching suffix decides, whether its condition holds or not.
    fn first_of(&mut self, rules: &[Rule]) {
        let Some((suffix, replacement, when)) = rules.iter().find(|rule| self.ends(rule.0)) else {
            return;
        };
        let stem = self.before(suffix.len());
        let holds = match when {
            When::Measured => measure(stem) > 0,
            When::MeasuredWith(letters) => measure(self.before(suffix.len() - letters)) > 0,
            When::Long => measure(stem) > 1,
            When::LongEndingInSOrT => measure(stem) > 1 && matches!(stem.last(), Some(b's' | b't')),
        };
        if holds {
            self.replace(suffix.len(), replacement);
        }
    }

    /// Step 1a.
    fn plurals(&mut self, rules: &Rules) {
        if self.ends("ies") && rules.have("ies") {
            // NLTK: `dies` becomes `die`, while `flies` becomes `fli`.
            let is_short = self.word.len() == 4 && rules.have("ies of four letters");
            self.replace(3, if is_short { "ie" } else { "i" });
        } else if self.ends("sses") && rules.have("sses") {
            self.replace(2, "");
        } else if self.ends("s") && rules.have("s") && !(self.ends("ss") && rules.have("ss")) {
            self.replace(1, "");
        }
    }

    /// Step 1b.
    fn past_and_progressive(&mut self, rules: &Rules) {
        if self.ends("ied") && rules.have("ied") {
            // NLTK: `died` becomes `die`, while `spied` becomes `spi`.
            let is_short = self.word.len() == 4 && rules.have("ied of four letters");
            self.replace(3, if is_short { "ie" } else { "i" });
            return;
        }
        if self.ends("eed") && rules.have("eed") {
            if measure(self.before(3)) > 0 || !rules.have("eed measured") {
                self.replace(1, "");
            }
            return;
        }
        let suffix_length = match () {
            () if self.ends("ed") && rules.have("ed") => 2,
            () if self.ends("ing") && rules.have("ing") => 3,
            () => return,
        };
        if !has_vowel(self.before(suffix_length)) && rules.have("a vowel before ed and ing") {
            return;
        }
        self.replace(suffix_length, "");
        let takes_e = ["at", "bl", "iz"].iter().any(|end| self.ends(end) && rules.have(end));
        if takes_e {
            self.replace(0, "e");
        } else if ends_in_double_consonant(&self.word) && rules.have("double consonant") {
            let stays = matches!(self.word.last(), Some(b'l' | b's' | b'z'));
            if !(stays && rules.have("double l, s and z")) {
                self.replace(1, "");
            }
        } else if measure(&self.word) == 1 && ends_like_hop(&self.word, rules) && rules.have("hop")
        {
            self.replace(0, "e");
        }
    }

    /// Step 1c, as NLTK has it: `happy` becomes `happi`, `enjoy` stays.
    fn final_y(&mut self, rules: &Rules) {
        let stem = self.before(1);
        let after_consonant = stem.len() > 1 || !rules.have("y of two letters");
        let is_meant = after_consonant
            && (is_consonant(stem, stem.len().saturating_sub(1))
                || !rules.have("consonant before y"));
        if self.ends("y") && is_meant && rules.have("y") {
            self.replace(1, "i");
        }
    }

    fn step_2(&mut self, rules: &Rules) {
        // NLTK takes `alli` first, and the result goes through the step again.
        if self.ends("alli") && measure(self.before(4)) > 0 && rules.have("alli first") {
            self.replace(2, "");
        }
        self.first_of(rules.step2);
    }

    /// Step 5a.
    fn final_e(&mut self, rules: &Rules) {
        if !self.ends("e") {
            return;
        }
        let stem = self.before(1);
        let measure = measure(stem);
        if (measure > 1 && rules.have("e"))
            || (measure == 1
                && rules.have("e after one")
                && !(ends_like_hop(stem, rules) && rules.have("e of hope")))
        {
            self.replace(1, "");
        }
    }

    /// Step 5b.
    fn final_double_l(&mut self, rules: &Rules) {
        if self.ends("ll") && measure(self.before(1)) > 1 && rules.have("ll") {
            self.replace(1, "");
        }
    }
}

/// The names of the rules outside the tables, for [`Rules::have`].
#[cfg(test)]
const NAMED: [&str; 27] = [
    "ies",
    "ies of four letters",
    "sses",
    "s",
    "ss",
    "ied",
    "ied of four letters",
    "eed",
    "eed measured",
    "ed",
    "ing",
    "a vowel before ed and ing",
    "at",
    "bl",
    "iz",
    "double consonant",
    "double l, s and z",
    "hop",
    "hop of two letters",
    "y",
    "y of two letters",
    "consonant before y",
    "alli first",
    "e",
    "e after one",
    "e of hope",
    "ll",
];

fn is_vowel(letter: u8) -> bool {
    matches!(letter, b'a' | b'e' | b'i' | b'o' | b'u')
}

/// Whether each letter is a consonant: not a vowel, and not a `y` after a consonant.
fn consonants(word: &[u8]) -> impl Iterator<Item = bool> {
    let mut before = false;
    word.iter().map(move |letter| {
        before = match letter {
            b'y' => !before,
            _ => !is_vowel(*letter),
        };
        before
    })
}

fn is_consonant(word: &[u8], place: usize) -> bool {
    consonants(word).nth(place).unwrap_or(false)
}

/// How often a vowel is followed by a consonant: the `m` of the paper.
fn measure(word: &[u8]) -> usize {
    let mut count = 0;
    let mut after_vowel = false;
    for consonant in consonants(word) {
        count += usize::from(after_vowel && consonant);
        after_vowel = !consonant;
    }
    count
}

fn has_vowel(word: &[u8]) -> bool {
    consonants(word).any(|consonant| !consonant)
}

fn ends_in_double_consonant(word: &[u8]) -> bool {
    match word {
        [.., one, other] => one == other && is_consonant(word, word.len() - 1),
        _ => false,
    }
}

/// Whether a word ends in consonant, vowel, consonant, the last not `w`, `x` or `y`; by NLTK's
/// extension also a word of two letters, vowel and consonant.
fn ends_like_hop(word: &[u8], rules: &Rules) -> bool {
    match word {
        [.., _, _, last] => {
            let place = word.len() - 1;
            is_consonant(word, place - 2)
                && !is_consonant(word, place - 1)
                && is_consonant(word, place)
                && !matches!(last, b'w' | b'x' | b'y')
        }
        [_, _] if rules.have("hop of two letters") => {
            !is_consonant(word, 0) && is_consonant(word, 1)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tokens::tokens_by;
    use super::*;

    /// The paper's and NLTK's, with what NLTK makes of them.
    const EXAMPLES: &[(&str, &str)] = &[
        ("caresses", "caress"),
        ("ponies", "poni"),
        ("dies", "die"),
        ("died", "die"),
        ("agreed", "agre"),
        ("feed", "feed"),
        ("plastered", "plaster"),
        ("hopping", "hop"),
        ("falling", "fall"),
        ("filing", "file"),
        ("happy", "happi"),
        ("enjoy", "enjoy"),
        ("radically", "radic"),
        ("geology", "geolog"),
        ("hopefully", "hope"),
        ("adjustment", "adjust"),
        ("adoption", "adopt"),
        ("controlling", "control"),
        ("roll", "roll"),
        ("skies", "sky"),
        ("yyyyyyyy", "yyyyyyyi"),
        ("s", "s"),
        ("Über", "Über"),
        ("sky", "sky"),
        ("dying", "die"),
        ("tying", "tie"),
        ("innings", "inning"),
        ("outings", "outing"),
        ("cannings", "canning"),
        ("availabled", "avail"),
    ];

    #[test]
    fn examples_of_the_paper_and_of_nltk() {
        for (word, expected) in EXAMPLES {
            assert_eq!(stem(word), *expected, "{word}");
        }
    }

    /// The words of the vectors with google-adk's stems, or none without the corpus.
    fn vectors(file: &str) -> Vec<serde_json::Value> {
        let Some(path) = test_needs::corpus(&format!("vectors/{file}")) else { return Vec::new() };
        let text = std::fs::read_to_string(path).expect("read");
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }

    fn wrong_examples(rules: &Rules) -> usize {
        let mut stemmer = Stemmer::default();
        let wrong = EXAMPLES
            .iter()
            .filter(|(word, expected)| stemmer.stem(rules, word.as_bytes()) != expected.as_bytes());
        wrong.count()
    }

    fn wrong_stems(rules: &Rules, words: &[serde_json::Value]) -> usize {
        let mut stemmer = Stemmer::default();
        let wrong = words.iter().filter(|line| {
            let word = line["word"].as_str().expect("a word");
            line["stem"] != *String::from_utf8_lossy(stemmer.stem(rules, word.as_bytes()))
        });
        wrong.count()
    }

    fn wrong_tokens(rules: &Rules, texts: &[serde_json::Value]) -> usize {
        let sides =
            [("candidate_text", "candidate_tokens"), ("reference_text", "reference_tokens")];
        let sides = texts.iter().flat_map(|line| {
            let invocations = line["adk_intermediate"].as_array().into_iter().flatten();
            invocations.flat_map(|one| sides.map(|(text, tokens)| (&one[text], &one[tokens])))
        });
        let wrong = sides.filter(|(text, tokens)| {
            let ours = tokens_by(text.as_str().unwrap_or_default(), rules);
            **tokens != serde_json::json!(ours)
        });
        wrong.count()
    }

    #[test]
    fn stems_and_tokens_are_those_of_the_vectors() {
        assert_eq!(wrong_stems(&Rules::NLTK, &vectors("porter_vectors.jsonl")), 0);
        assert_eq!(wrong_tokens(&Rules::NLTK, &vectors("rouge_vectors.jsonl")), 0);
    }

    /// Drops the rule at `place` of a table.
    fn without<T: Copy>(table: &[T], place: usize) -> &'static [T] {
        let rest = table.iter().enumerate().filter(|(at, _)| *at != place).map(|(_, rule)| *rule);
        Box::leak(rest.collect::<Vec<_>>().into_boxed_slice())
    }

    /// The vectors must detect a wrong rule, or they prove little.
    #[test]
    fn vectors_detect_a_wrong_rule() {
        let (words, texts) = (vectors("porter_vectors.jsonl"), vectors("rouge_vectors.jsonl"));
        if words.is_empty() {
            return;
        }
        let right = Rules::NLTK;
        assert_eq!(wrong_examples(&right), 0);
        let mutants = [STEP_2, STEP_3, STEP_4].into_iter().enumerate().flat_map(|(step, table)| {
            (0..table.len()).map(move |place| {
                let mut rules = right;
                let rest = without(table, place);
                match step {
                    0 => rules.step2 = rest,
                    1 => rules.step3 = rest,
                    _ => rules.step4 = rest,
                }
                (table[place].0, rules)
            })
        });
        let named = NAMED.map(|name| (name, Rules { without: Some(name), ..right }));
        let irregular = (0..IRREGULAR.len()).map(|place| {
            (IRREGULAR[place].0, Rules { irregular: without(IRREGULAR, place), ..right })
        });
        let mutants = mutants.chain(named).chain(irregular);
        let unnoticed: Vec<&str> = mutants
            .filter(|(_, rules)| wrong_examples(rules) == 0 && wrong_stems(rules, &words) == 0)
            .map(|(suffix, _)| suffix)
            .collect();
        // What another rule takes off too, in this step or a later one: no word has another stem
        // without these.
        assert_eq!(unnoticed, ["alli", "alism", "iveness", "ousness", "ement"]);
        let wrong = Rules { step3: without(STEP_3, 6), ..right };
        assert!(wrong_tokens(&wrong, &texts) > 0, "without `ness` the scores' tokens change");
    }
}
