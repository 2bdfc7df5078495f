//! [`OptionSearch`]: finds options of a long choice by typed text.

use crate::ChoiceOption;

/// The options that match a typed text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OptionMatches {
    /// The positions of the best matches, the best first.
    pub shown: Vec<usize>,
    /// The number of all matches.
    pub total: usize,
}

/// The searchable labels of a choice's options.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OptionSearch(Vec<String>);

impl OptionSearch {
    /// Prepares the labels of `options`.
    #[must_use]
    pub fn of(options: &[ChoiceOption]) -> Self {
        Self(options.iter().map(|option| option.label.to_lowercase()).collect())
    }

    /// The options whose label contains every word of `typed`, at most `most`: first exact matches,
    /// then prefixes, then the others, each in the schema's order.
    ///
    /// ```
    /// use json_text::JsonText;
    /// use schema_form::{FieldKind, Form, OptionSearch};
    /// let schema = r#"{"enum": ["Oslo", "Porto", "Porto Alegre", "Lisboa", "Vila do Porto"]}"#;
    /// let form = Form::of_schema(&JsonText::parse(schema)?);
    /// let FieldKind::Choice(options) = &form.root().field().kind else { panic!("a choice") };
    /// let matching = OptionSearch::of(options).matching("porto", 2);
    /// assert_eq!((matching.shown, matching.total), (vec![1, 2], 3));
    /// # Ok::<(), json_text::JsonTextError>(())
    /// ```
    #[must_use]
    pub fn matching(&self, typed: &str, most: usize) -> OptionMatches {
        let typed = typed.trim().to_lowercase();
        let words: Vec<&str> = typed.split_whitespace().collect();
        let (mut same, mut begin, mut hold) = (Vec::new(), Vec::new(), Vec::new());
        let mut total = 0;
        for (position, label) in self.0.iter().enumerate() {
            if !words.iter().all(|word| label.contains(word)) {
                continue;
            }
            total += 1;
            let kept = match label.strip_prefix(&typed) {
                Some("") => &mut same,
                Some(_) => &mut begin,
                None => &mut hold,
            };
            if kept.len() < most {
                kept.push(position);
            }
        }
        let mut shown = same;
        shown.extend(begin);
        shown.extend(hold);
        shown.truncate(most);
        OptionMatches { shown, total }
    }

    /// The only option whose label equals `typed`, ignoring case.
    #[must_use]
    pub fn exact_match(&self, typed: &str) -> Option<usize> {
        let typed = typed.trim().to_lowercase();
        let mut same = self.0.iter().enumerate().filter(|(_, label)| **label == typed);
        let (position, _) = same.next()?;
        same.next().is_none().then_some(position)
    }
}

#[cfg(test)]
mod tests {
    use json_text::JsonText;

    use super::*;

    fn search(labels: &[&str]) -> OptionSearch {
        let option = |label: &&str| ChoiceOption {
            value: JsonText::string(label),
            label: (*label).to_owned(),
            description: None,
        };
        OptionSearch::of(&labels.iter().map(option).collect::<Vec<_>>())
    }

    #[test]
    fn every_word_must_match() {
        let cities = search(&["New York", "York", "york", "Yorkshire New Town", "Oslo"]);
        let shown = |typed: &str| cities.matching(typed, 10).shown;
        assert_eq!(shown("york"), [1, 2, 3, 0]);
        assert_eq!(shown(" new  YORK "), [0, 3]);
        assert_eq!(shown("new oslo"), [0; 0]);
        assert_eq!(shown(""), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn shown_matches_are_limited_and_all_are_counted() {
        let labels: Vec<String> = (0..20_000).map(|at| format!("ST-{at:05}")).collect();
        let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
        let stations = search(&labels);
        let all = stations.matching("", 200);
        assert_eq!((all.shown.len(), all.total), (200, 20_000));
        let some = stations.matching("199", 200);
        assert_eq!((some.shown[0], some.total), (199, 140));
        assert_eq!(stations.matching("st-12345", 200).shown, [12_345]);
        assert_eq!(stations.matching("x", 200), OptionMatches::default());
    }

    #[test]
    fn two_options_with_one_label_match_neither() {
        let labels = search(&["A", "b", "B", "c "]);
        assert_eq!(labels.exact_match("a"), Some(0));
        assert_eq!(labels.exact_match("B"), None);
        assert_eq!(labels.exact_match("ab"), None);
    }
}
