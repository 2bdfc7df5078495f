//! [`Narrowed`]: the options of a long choice that a few typed letters mean.

use crate::ChoiceOption;

/// The options that a typed text leaves.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Narrowed {
    /// The positions of the first of them, the likeliest first.
    pub shown: Vec<usize>,
    /// How many there are in all.
    pub fitting: usize,
}

/// What is searched in a choice's options, made once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Narrowing(Vec<String>);

impl Narrowing {
    /// Of these options.
    #[must_use]
    pub fn of(options: &[ChoiceOption]) -> Self {
        Self(options.iter().map(|option| option.label.to_lowercase()).collect())
    }

    /// The options in whose label every word of `typed` stands, `most` of them at most: first those
    /// that read so, then those that begin so, then the others, each in the schema's order.
    ///
    /// ```
    /// use json_text::JsonText;
    /// use schema_form::{FieldKind, Form, Narrowing};
    /// let schema = r#"{"enum": ["Oslo", "Porto", "Porto Alegre", "Lisboa", "Vila do Porto"]}"#;
    /// let form = Form::of_schema(&JsonText::parse(schema)?);
    /// let FieldKind::Choice(options) = &form.root().field().kind else { panic!("a choice") };
    /// let narrowed = Narrowing::of(options).narrowed("porto", 2);
    /// assert_eq!((narrowed.shown, narrowed.fitting), (vec![1, 2], 3));
    /// # Ok::<(), json_text::JsonTextError>(())
    /// ```
    #[must_use]
    pub fn narrowed(&self, typed: &str, most: usize) -> Narrowed {
        let typed = typed.trim().to_lowercase();
        let words: Vec<&str> = typed.split_whitespace().collect();
        let (mut same, mut begin, mut hold) = (Vec::new(), Vec::new(), Vec::new());
        let mut fitting = 0;
        for (position, label) in self.0.iter().enumerate() {
            if !words.iter().all(|word| label.contains(word)) {
                continue;
            }
            fitting += 1;
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
        Narrowed { shown, fitting }
    }

    /// The option that reads as `typed`, whatever its capitals, where only one does.
    #[must_use]
    pub fn meant(&self, typed: &str) -> Option<usize> {
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

    fn narrowing(labels: &[&str]) -> Narrowing {
        let option = |label: &&str| ChoiceOption {
            value: JsonText::string(label),
            label: (*label).to_owned(),
            description: None,
        };
        Narrowing::of(&labels.iter().map(option).collect::<Vec<_>>())
    }

    #[test]
    fn every_word_must_stand_somewhere() {
        let cities = narrowing(&["New York", "York", "york", "Yorkshire New Town", "Oslo"]);
        let shown = |typed: &str| cities.narrowed(typed, 10).shown;
        assert_eq!(shown("york"), [1, 2, 3, 0]);
        assert_eq!(shown(" new  YORK "), [0, 3]);
        assert_eq!(shown("new oslo"), [0; 0]);
        assert_eq!(shown(""), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn only_so_many_are_shown_and_all_are_counted() {
        let labels: Vec<String> = (0..20_000).map(|at| format!("ST-{at:05}")).collect();
        let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
        let stations = narrowing(&labels);
        let all = stations.narrowed("", 200);
        assert_eq!((all.shown.len(), all.fitting), (200, 20_000));
        let some = stations.narrowed("199", 200);
        assert_eq!((some.shown[0], some.fitting), (199, 140));
        assert_eq!(stations.narrowed("st-12345", 200).shown, [12_345]);
        assert_eq!(stations.narrowed("x", 200), Narrowed::default());
    }

    #[test]
    fn what_reads_like_two_options_means_neither() {
        let labels = narrowing(&["A", "b", "B", "c "]);
        assert_eq!(labels.meant("a"), Some(0));
        assert_eq!(labels.meant("B"), None);
        assert_eq!(labels.meant("ab"), None);
    }
}
