//! [`Fault`]: what is wrong in an eval set, and where.

use std::fmt;

/// One problem in a file, with its position. Reading continues after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The case it is in, if it is in one.
    pub case: Option<CaseLocation>,
    /// The place inside the case, or in the file when no case is named, such as
    /// `conversation[0].user_content.role`; empty for the whole.
    pub path: String,
    /// From 1.
    pub line: u64,
    /// From 1, in characters.
    pub column: u64,
    /// What is wrong.
    pub problem: Problem,
}

/// Which case a fault is in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaseLocation {
    /// Its place in the file, from 0.
    pub index: usize,
    /// Its id, where it has one.
    pub eval_id: Option<String>,
}

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The file works; something in it will be lost or is not what it seems.
    Warning,
    /// The format's own reader refuses the file; or, of what is read for scoring alone, the case has
    /// no score.
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

/// What can be wrong. Each message says what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// The text is not JSON; nothing of it can be read.
    #[error("this is not valid JSON: {reason}; repair it here")]
    NotJson {
        /// The parser's reason.
        reason: String,
    },
    /// Python writes it and ADK reads it, but JSON has no such word; nothing of the text can be read.
    #[error("{word} is not valid JSON, though ADK reads it; write a number or null")]
    NotFinite {
        /// `NaN`, `Infinity`.
        word: &'static str,
    },
    /// The bytes are not UTF-8; nothing of them can be read.
    #[error("this is not UTF-8; save the file as UTF-8")]
    NotUtf8,
    /// Eval sets are read by programs that refuse the mark.
    #[error("a byte order mark begins the file, which ADK refuses; save it as plain UTF-8")]
    ByteOrderMark,
    /// A value of another type than the format has there.
    #[error("expected {wanted}, found {found}; correct the value")]
    WrongType {
        /// Such as `a string`.
        wanted: &'static str,
        /// Such as `a number`.
        found: &'static str,
    },
    /// A word that is not one of the allowed ones.
    #[error("{found:?} is not one of {}; use one of them", allowed.join(", "))]
    UnknownWord {
        /// The word.
        found: String,
        /// The allowed words.
        allowed: &'static [&'static str],
    },
    /// A field that the format demands.
    #[error("{what} needs {key:?}; add it")]
    Missing {
        /// Such as `an invocation`.
        what: &'static str,
        /// The field.
        key: &'static str,
    },
    /// A field that the format does not have there, and refuses.
    #[error(
        "ADK refuses the unknown field {key:?} in {what}{}; correct its name, or move it to the case",
        meant(known.as_deref())
    )]
    UnknownField {
        /// Such as `an invocation`.
        what: &'static str,
        /// The field.
        key: String,
        /// A field there is with nearly that name.
        known: Option<String>,
    },
    /// A field that the format does not have there; its own programs leave it out when they rewrite
    /// the file.
    #[error(
        "{key:?} is not a field of {what}{}; it is kept here, and lost when the format's own program \
         rewrites the file",
        meant(known.as_deref())
    )]
    IgnoredField {
        /// Such as `an eval set`.
        what: &'static str,
        /// The field.
        key: String,
        /// A field there is with nearly that name.
        known: Option<String>,
    },
    /// A field that appears twice, of which readers see one.
    #[error("{key:?} appears twice here, and readers see only one of them; remove one")]
    DuplicateField {
        /// The field.
        key: String,
    },
    /// ADK wants exactly one of the two.
    #[error(
        "a case needs exactly one of \"conversation\" and \"conversation_scenario\", and has {}; \
         {}",
        if *both { "both" } else { "neither" },
        if *both { "remove one" } else { "add one" }
    )]
    OneConversation {
        /// Both stand there; otherwise neither does.
        both: bool,
    },
    /// ADK tells the two shapes of intermediate data by their fields, and refuses a mix.
    #[error(
        "intermediate data holds either \"invocation_events\" or \"tool_uses\", \
         \"tool_responses\", \"intermediate_responses\"; remove one sort"
    )]
    MixedIntermediateData,
    /// ADK's command line refuses a file with two cases of one id.
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
    /// ADK's record of a run, which tells what an agent did.
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
    /// Something that is read for scoring alone, and cannot be meant: the format's own reader does
    /// not look at it.
    #[error("{fault}{}", remedy.map(|remedy| format!("; {remedy}")).unwrap_or_default())]
    NotScored {
        /// What is wrong: a clause.
        fault: String,
        /// What to do, where the fault does not say so.
        remedy: Option<&'static str>,
    },
}

impl Problem {
    /// How bad it is.
    #[must_use]
    pub fn severity(&self) -> Severity {
        match self {
            Self::IgnoredField { .. } => Severity::Warning,
            _ => Severity::Error,
        }
    }
}

fn meant(known: Option<&str>) -> String {
    known.map(|known| format!(" (did you mean {known:?}?)")).unwrap_or_default()
}

impl Fault {
    /// How bad it is.
    #[must_use]
    pub fn severity(&self) -> Severity {
        self.problem.severity()
    }

    /// The case and the path in it, for people: `case "a" at conversation[0]`.
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

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, column, problem, .. } = self;
        write!(formatter, "line {line}, column {column}, {}: {problem}", self.place())
    }
}
