//! [`read`]: reads an [`EvalSet`] in any format.

use json_text::Kind;

use crate::adk::{LegacySession, LegacySet};
use crate::format::Caseless;
use crate::model::{Casing, Value, text_of};
use crate::reading::{Origin, Reader, checked};
use crate::{
    CaseFault, CaseLocation, CaseText, DetectedFormat, Format, Problem, Severity, adk, agentflow,
};

/// An eval set in one of the formats.
#[derive(Debug, Clone, PartialEq)]
pub enum EvalSet {
    /// Google ADK's.
    Adk(adk::EvalSet),
    /// ADK's older list.
    AdkLegacy(adk::LegacySet),
    /// AgentFlow's.
    AgentFlow(agentflow::EvalSet),
}

/// One case in one of the formats.
#[derive(Debug, Clone, PartialEq)]
pub enum Case {
    /// Google ADK's.
    Adk(adk::EvalCase),
    /// A session of ADK's older list.
    AdkLegacy(LegacySession),
    /// AgentFlow's.
    AgentFlow(agentflow::EvalCase),
}

/// The result of reading a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// Its format; `None` if it is not JSON.
    pub format: Option<Format>,
    /// What shows the format; empty if the file is not JSON.
    pub evidence: String,
    /// The set with the readable cases; `None` if the set itself is unreadable.
    pub set: Option<EvalSet>,
    /// The indexes of the unreadable cases, which are not in the set.
    pub unread: Vec<usize>,
    /// The faults, in file order.
    pub faults: Vec<CaseFault>,
}

impl Reading {
    /// Whether the format's own reader would reject the file.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.faults.iter().any(|fault| fault.severity() == Severity::Error)
    }

    /// The set, if it was read completely; only then may it be written.
    ///
    /// # Errors
    /// The faults.
    pub fn whole(self) -> Result<EvalSet, Vec<CaseFault>> {
        match self.set {
            Some(set) if self.unread.is_empty() => Ok(set),
            _ => Err(self.faults),
        }
    }
}

/// Reads a file's bytes in the detected format.
///
/// ```
/// let text = r#"{"eval_set_id": "s", "eval_cases": [
///   {"eval_id": "good", "conversation": []},
///   {"eval_id": "bad", "conversation": [{}]}
/// ]}"#;
/// let reading = evalset::read(text.as_bytes());
/// assert_eq!(reading.unread, [1]);
/// assert_eq!(
///     reading.faults[0].to_string(),
///     "line 3, column 39, case \"bad\" at conversation[0]: an invocation needs \"user_content\"; add it"
/// );
/// ```
#[must_use]
pub fn read(bytes: &[u8]) -> Reading {
    read_in(bytes, None)
}

/// Reads a file's bytes in the given format.
#[must_use]
pub fn read_as(bytes: &[u8], format: Format) -> Reading {
    read_in(bytes, Some(format))
}

fn read_in(bytes: &[u8], format: Option<Format>) -> Reading {
    let unread_file = |fault| Reading {
        format,
        evidence: String::new(),
        set: None,
        unread: Vec::new(),
        faults: vec![fault],
    };
    let (text, mark) = match checked(bytes) {
        Ok(checked) => checked,
        Err(fault) => return unread_file(*fault),
    };
    if adk::EvalSetResult::is_of(text) {
        let problem = Problem::History;
        return unread_file(CaseFault {
            case: None,
            path: String::new(),
            line: 1,
            column: 1,
            problem,
        });
    }
    let caseless = Caseless::of(text).filter(|_| format.is_none());
    let detected = format.map(DetectedFormat::chosen);
    let DetectedFormat { format, evidence } =
        detected.unwrap_or_else(|| DetectedFormat::of_set(text));
    let mut reader = Reader::new(text, Origin::default());
    let set = match format {
        Format::Adk => adk::EvalSet::read(&mut reader).map(EvalSet::Adk),
        Format::AdkLegacy => LegacySet::read(&mut reader).map(EvalSet::AdkLegacy),
        Format::AgentFlow => agentflow::EvalSet::read(&mut reader).map(EvalSet::AgentFlow),
    };
    let (mut faults, unread) = reader.finish();
    let is_misspelled =
        |fault: &CaseFault| matches!(fault.problem, Problem::NearMiss { known: "eval_cases", .. });
    if !faults.iter().any(is_misspelled) {
        let fault =
            |problem| CaseFault { case: None, path: String::new(), line: 1, column: 1, problem };
        match caseless {
            Some(Caseless::Unknown) => return unread_file(fault(Problem::NeitherFormat)),
            Some(Caseless::Set) => faults.push(fault(Problem::NoCases)),
            None => {}
        }
    }
    // Some are found only at the end of an object, so they are sorted by position.
    faults.sort_by_key(|fault| (fault.line, fault.column));
    faults.splice(0..0, mark);
    Reading { format: Some(format), evidence, set, unread, faults }
}

/// Reads the text of a single case, which begins at `origin` in its file; `None` if it is unreadable.
/// Also returns its faults.
///
/// In ADK's older format, a list is the turns of one case, with the id in `origin`.
#[must_use]
pub fn read_case(text: &str, format: Format, origin: Origin<'_>) -> (Option<Case>, Vec<CaseFault>) {
    let origin = Origin { case: origin.case.or(Some(0)), ..origin };
    if let Err(mut fault) = checked(text.as_bytes()) {
        if fault.line == 1 {
            fault.column += origin.column - 1;
        }
        fault.line += origin.line - 1;
        let eval_id = origin.eval_id.map(str::to_owned);
        fault.case = origin.case.map(|index| CaseLocation { index, eval_id });
        return (None, vec![*fault]);
    }
    let mut reader = Reader::new(text, origin);
    let case = match format {
        Format::Adk => adk::EvalCase::read(&mut reader).map(Case::Adk),
        Format::AgentFlow => agentflow::EvalCase::read(&mut reader).map(Case::AgentFlow),
        Format::AdkLegacy if reader.kind() == Kind::Array => {
            reader.add_outer_levels(0);
            let name = origin.eval_id.unwrap_or_default();
            let session = |queries| LegacySession::of_queries(name, queries);
            Vec::read(&mut reader).map(session).map(Case::AdkLegacy)
        }
        Format::AdkLegacy => {
            reader.add_outer_levels(1);
            reader.set_id_key("name");
            LegacySession::read(&mut reader).map(Case::AdkLegacy)
        }
    };
    reader.name_faults(0, 0);
    let (mut faults, _) = reader.finish();
    faults.sort_by_key(|fault| (fault.line, fault.column));
    (case, faults)
}

impl EvalSet {
    /// Its format.
    #[must_use]
    pub fn format(&self) -> Format {
        match self {
            Self::Adk(_) => Format::Adk,
            Self::AdkLegacy(_) => Format::AdkLegacy,
            Self::AgentFlow(_) => Format::AgentFlow,
        }
    }

    /// The file's JSON text; unchanged parts are as they were read.
    #[must_use]
    pub fn to_json(&self) -> CaseText {
        CaseText::new(match self {
            Self::Adk(set) => text_of(set, Casing::Original),
            Self::AdkLegacy(set) => text_of(set, Casing::Original),
            Self::AgentFlow(set) => text_of(set, Casing::Original),
        })
    }

    /// The set's id; an older list has none.
    #[must_use]
    pub fn eval_set_id(&self) -> Option<&str> {
        match self {
            Self::Adk(set) => Some(&set.eval_set_id),
            Self::AdkLegacy(_) => None,
            Self::AgentFlow(set) => Some(&set.eval_set_id),
        }
    }

    /// The cases. An older list of turns gives a single case with the id `name`.
    #[must_use]
    pub fn into_cases(self, name: &str) -> Vec<Case> {
        match self {
            Self::Adk(set) => set.eval_cases.into_iter().map(Case::Adk).collect(),
            Self::AgentFlow(set) => set.eval_cases.into_iter().map(Case::AgentFlow).collect(),
            Self::AdkLegacy(LegacySet::Sessions(sessions)) => {
                sessions.into_iter().map(Case::AdkLegacy).collect()
            }
            Self::AdkLegacy(LegacySet::Queries(queries)) => {
                vec![Case::AdkLegacy(LegacySession::of_queries(name, queries))]
            }
        }
    }
}

impl Case {
    /// Its format.
    #[must_use]
    pub fn format(&self) -> Format {
        match self {
            Self::Adk(_) => Format::Adk,
            Self::AdkLegacy(_) => Format::AdkLegacy,
            Self::AgentFlow(_) => Format::AgentFlow,
        }
    }

    /// Its id.
    #[must_use]
    pub fn eval_id(&self) -> &str {
        match self {
            Self::Adk(case) => &case.eval_id,
            Self::AdkLegacy(case) => &case.name,
            Self::AgentFlow(case) => &case.eval_id,
        }
    }

    /// The case's JSON text; unchanged parts are as they were read.
    #[must_use]
    pub fn to_json(&self) -> CaseText {
        CaseText::new(match self {
            Self::Adk(case) => text_of(case, Casing::Original),
            Self::AdkLegacy(case) => text_of(case, Casing::Original),
            Self::AgentFlow(case) => text_of(case, Casing::Original),
        })
    }
}
