//! [`CaseFault`]: a problem in an eval set, with its position.

use std::fmt;

/// One problem in a file, with its position. Reading continues after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaseFault {
    /// The case it is in, if it is in one.
    pub case: Option<CaseLocation>,
    /// The path in the case, or in the file without a case, such as `conversation[0].user_content.role`;
    /// empty for the whole.
    pub path: String,
    /// From 1.
    pub line: u64,
    /// From 1, in characters.
    pub column: u64,
    /// What is wrong.
    pub problem: Problem,
}

/// The case of a fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaseLocation {
    /// Its index in the file, from 0.
    pub index: usize,
    /// Its id, if it has one.
    pub eval_id: Option<String>,
}

/// The severity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The file works, but something in it will be lost or is misleading.
    Warning,
    /// The format's own reader rejects the file, or the case cannot be scored.
    Error,
}

impl Severity {
    /// `warning` or `error`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// The kinds of problem. Each message ends with what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// The text is not JSON; it cannot be read.
    #[error("this is not valid JSON: {reason}; fix it here")]
    NotJson {
        /// The parser's reason.
        reason: String,
    },
    /// Python writes it and ADK reads it, but it is not valid JSON; the text cannot be read.
    #[error("{word} is not valid JSON, though ADK reads it; write a number or null")]
    NotFinite {
        /// `NaN`, `Infinity`.
        word: &'static str,
    },
    /// The bytes are not UTF-8; they cannot be read.
    #[error("this is not UTF-8; save the file as UTF-8")]
    NotUtf8,
    /// Some readers of eval sets reject it.
    #[error("unexpected byte order mark, which ADK rejects; save the file as UTF-8 without one")]
    ByteOrderMark,
    /// A value of the wrong type.
    #[error("expected {wanted}, found {found}; correct the value")]
    WrongType {
        /// Such as `a string`.
        wanted: &'static str,
        /// Such as `a number`.
        found: &'static str,
    },
    /// A string that is not one of the allowed ones.
    #[error("{found:?} is not one of {}; use one of them", allowed.join(", "))]
    UnknownWord {
        /// The word.
        found: String,
        /// The allowed words.
        allowed: &'static [&'static str],
    },
    /// A required field is missing.
    #[error("{what} needs {key:?}; add it")]
    Missing {
        /// Such as `an invocation`.
        what: &'static str,
        /// The field.
        key: &'static str,
    },
    /// An unknown field that the format rejects.
    #[error(
        "ADK rejects the unknown field {key:?} in {what}{}; correct its name, or move it to the case",
        suggestion(known.as_deref())
    )]
    UnknownField {
        /// Such as `an invocation`.
        what: &'static str,
        /// The field.
        key: String,
        /// A known field with a similar name.
        known: Option<String>,
    },
    /// An unknown field; the format's own programs drop it when they rewrite the file.
    #[error(
        "{key:?} is not a field of {what}{}; it is kept here, but lost when the format's own program \
         rewrites the file",
        suggestion(known.as_deref())
    )]
    IgnoredField {
        /// Such as `an eval set`.
        what: &'static str,
        /// The field.
        key: String,
        /// A known field with a similar name.
        known: Option<String>,
    },
    /// A documented field that AgentFlow 0.10 does not read.
    #[error(
        "{key:?} of {what} is lost when AgentFlow 0.10 rewrites the file, because its package does not have \
         the field; keep a copy of the file"
    )]
    LostField {
        /// Such as `an invocation`.
        what: &'static str,
        /// The field.
        key: &'static str,
    },
    /// An unknown field that ADK keeps without using it, with a name like that of a field that ADK uses.
    #[error(
        "ADK keeps the unknown field {key:?} in {what} and does not use it (did you mean {known:?}?); correct \
         its name, or give your own field a name that is less similar"
    )]
    SimilarField {
        /// Such as `an eval case`.
        what: &'static str,
        /// The field.
        key: String,
        /// The known field with a similar name.
        known: String,
    },
    /// A misspelled field without which a set has no cases, or a case no turns.
    #[error("{what} has no {known:?}, but the unknown field {key:?}; correct its name")]
    NearMiss {
        /// Such as `an eval case`.
        what: &'static str,
        /// The field.
        key: String,
        /// The intended field.
        known: &'static str,
    },
    /// A duplicate key in a value that the format does not define, such as arguments.
    #[error("duplicate key {key:?}, of which readers keep the last value; remove one")]
    RepeatedKey {
        /// The key.
        key: String,
    },
    /// A number beyond those that Python's `float` holds.
    #[error(
        "the number {} is too large, and readers take it for infinity; write a smaller one",
        short(number)
    )]
    TooLarge {
        /// Its text.
        number: String,
    },
    /// A duplicate key, of which readers use one value.
    #[error("duplicate key {key:?}, of which readers use only one; remove one")]
    DuplicateField {
        /// The field.
        key: String,
    },
    /// ADK requires exactly one of the two.
    #[error(
        "a case needs exactly one of \"conversation\" and \"conversation_scenario\", and has {}; \
         {}",
        if *both { "both" } else { "neither" },
        if *both { "remove one" } else { "add one" }
    )]
    OneConversation {
        /// Whether both are present; otherwise neither is.
        both: bool,
    },
    /// ADK distinguishes the two shapes of intermediate data by their fields, and rejects a mix.
    #[error(
        "intermediate data has either \"invocation_events\" or \"tool_uses\", \
         \"tool_responses\", \"intermediate_responses\"; remove one kind"
    )]
    MixedIntermediateData,
    /// ADK's command line rejects a file with two cases of one id.
    #[error(
        "the eval_id {eval_id:?} is already used by the case at index {first}; give this one \
         another"
    )]
    DuplicateId {
        /// The id.
        eval_id: String,
        /// Which case has it, from 0.
        first: usize,
    },
    /// ADK makes a file name of the id.
    #[error(
        "the eval_set_id {eval_set_id:?} contains a slash, and ADK uses it as a file name; remove the slash"
    )]
    SlashInSetId {
        /// The id.
        eval_set_id: String,
    },
    /// Nothing in a set without cases shows its format.
    #[error(
        "an eval set without \"eval_cases\" is in AgentFlow's format at best, which reads it as a set without \
         cases; add \"eval_cases\""
    )]
    NoCases,
    /// Nothing in the file shows one of the formats.
    #[error(
        "this is in neither format: it has no \"eval_cases\", which a set of ADK's or AgentFlow's has, and \
         is not a list, as ADK's older files are; add \"eval_cases\", or read it as a set without cases \
         with --format-is agentflow"
    )]
    NeitherFormat,
    /// ADK's record of a run.
    #[error("this is an eval history: `rehearsal score --actual` reads it")]
    History,
    /// `\ud800` without its other half: JSON's grammar allows it, Unicode and Python do not.
    #[error("{escape} is half of a surrogate pair; replace that character")]
    LoneSurrogate {
        /// The escape, such as `\ud83d`.
        escape: String,
    },
    /// ADK's parser stops at [`crate::adk::DEPTH_LIMIT`] levels.
    #[error(
        "this is nested {depth} levels deep in the file, and ADK reads {limit} at most; flatten it"
    )]
    TooDeep {
        /// How deep, counted from the top of the file.
        depth: usize,
        /// What ADK reads.
        limit: usize,
    },
    /// An older list of queries, which `adk eval` does not read.
    #[error(
        "only AgentEvaluator, google-adk's helper for pytest, reads a list of queries; convert the file with \
         `rehearsal evalset convert --to adk` for `adk eval`"
    )]
    QueriesOnly,
    /// An invalid field that only scoring reads; the format's own reader ignores it.
    #[error("{fault}{}", remedy.map(|remedy| format!("; {remedy}")).unwrap_or_default())]
    NotScored {
        /// The problem, as a clause.
        fault: String,
        /// What to do, if `fault` does not include it.
        remedy: Option<&'static str>,
    },
}

impl Problem {
    /// The severity.
    #[must_use]
    pub fn severity(&self) -> Severity {
        match self {
            Self::IgnoredField { .. }
            | Self::LostField { .. }
            | Self::QueriesOnly
            | Self::SimilarField { .. }
            | Self::RepeatedKey { .. }
            | Self::TooLarge { .. }
            | Self::NoCases => Severity::Warning,
            _ => Severity::Error,
        }
    }
}

/// The beginning of a number of many digits.
fn short(number: &str) -> String {
    number.get(..40).map_or_else(|| number.to_owned(), |begin| format!("{begin}…"))
}

fn suggestion(known: Option<&str>) -> String {
    known.map(|known| format!(" (did you mean {known:?}?)")).unwrap_or_default()
}

impl CaseFault {
    /// The severity.
    #[must_use]
    pub fn severity(&self) -> Severity {
        self.problem.severity()
    }

    /// The case and the path in it as text: `case "a" at conversation[0]`.
    #[must_use]
    pub fn place(&self) -> String {
        let case = self.case.as_ref().map(|case| match &case.eval_id {
            Some(id) => format!("case {id:?}"),
            None => format!("the case at index {}", case.index),
        });
        match (case, self.path.as_str()) {
            (None, "") => "the file".to_owned(),
            (None, path) => path.to_owned(),
            (Some(case), "") => case,
            (Some(case), path) => format!("{case} at {path}"),
        }
    }
}

impl fmt::Display for CaseFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, column, problem, .. } = self;
        write!(formatter, "line {line}, column {column}, {}: {problem}", self.place())
    }
}
