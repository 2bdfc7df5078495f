//! [`Draft`]: what a person wants to run, before it is a request.

use api::{RunCases, RunOf, RunRequest};

/// The most repeats that can be asked for.
pub const MOST_REPEATS: u32 = 100;

/// The name of the model that responds as recorded.
const REPLAY: &str = "replay";

/// What the person wants to run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Draft {
    /// Only what did not pass in the earlier run.
    pub only_not_passed: bool,
    /// How often each case runs; empty for as often as its suite says.
    pub repeats: String,
    /// Which model responds.
    pub model: ModelChoice,
    /// The name of another model.
    pub named: String,
}

/// Which model responds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ModelChoice {
    /// The models of the cases, or of their agents.
    #[default]
    Own,
    /// The recorded responses.
    Replay,
    /// One by its name.
    Named,
}

impl ModelChoice {
    /// In order, each with its label.
    pub const EACH: [(Self, &'static str); 3] = [
        (Self::Own, "The models of the cases"),
        (Self::Replay, "Recorded responses, without a model"),
        (Self::Named, "Another model"),
    ];
}

/// What is missing in a draft.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// A number of repeats.
    Repeats,
    /// The name of the model.
    Model,
}

impl Missing {
    /// What to do, in a sentence.
    #[must_use]
    pub fn text(self) -> String {
        match self {
            Self::Repeats => format!("Give a number of repeats from 1 to {MOST_REPEATS}."),
            Self::Model => "Give the name of the model, such as gemini-2.5-pro.".to_owned(),
        }
    }
}

impl Draft {
    /// The request.
    ///
    /// # Errors
    /// What is [`Missing`].
    pub fn request(&self, of: RunOf) -> Result<RunRequest, Missing> {
        let repeats = match self.repeats.trim() {
            "" => None,
            text => {
                let number = text.parse().ok();
                let number = number.filter(|repeats| (1..=MOST_REPEATS).contains(repeats));
                Some(number.ok_or(Missing::Repeats)?)
            }
        };
        let model = match (self.model, self.named.trim()) {
            (ModelChoice::Own, _) => None,
            (ModelChoice::Replay, _) => Some(REPLAY.to_owned()),
            (ModelChoice::Named, "") => return Err(Missing::Model),
            (ModelChoice::Named, name) => Some(name.to_owned()),
        };
        let cases = if self.only_not_passed { RunCases::NotPassed } else { RunCases::All };
        Ok(RunRequest { of, cases, repeats, model })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_are_a_number_or_nothing() {
        let of = |repeats: &str| {
            let draft = Draft { repeats: repeats.to_owned(), ..Draft::default() };
            draft.request(RunOf::Run(1)).map(|request| request.repeats)
        };
        assert_eq!(of(" "), Ok(None));
        assert_eq!(of(" 3 "), Ok(Some(3)));
        for refused in ["0", "101", "-1", "many", "1.5"] {
            assert_eq!(of(refused), Err(Missing::Repeats), "{refused}");
        }
    }

    #[test]
    fn a_model_is_one_of_the_cases_the_recording_or_named() {
        let of = |model, named: &str| {
            let draft = Draft { model, named: named.to_owned(), ..Draft::default() };
            draft.request(RunOf::Suite("a.eval.yaml".to_owned())).map(|request| request.model)
        };
        assert_eq!(of(ModelChoice::Own, "left over"), Ok(None));
        assert_eq!(of(ModelChoice::Replay, ""), Ok(Some("replay".to_owned())));
        assert_eq!(of(ModelChoice::Named, " x "), Ok(Some("x".to_owned())));
        assert_eq!(of(ModelChoice::Named, " "), Err(Missing::Model));
    }
}
