//! Eval sets to read: the files of the registered agents and of the configured folders, their cases,
//! and one case step by step.

use json_text::JsonText;
use leptos::prelude::*;
use serde::{Deserialize, Serialize};
use server_fn::codec::Json;
use session::AgentId;

use super::{ApiError, ExportRequest, LiveId};

id! {
    /// An eval set: the id of its agent, or what the host calls a file in a configured folder.
    SetId
}

impl From<AgentId> for SetId {
    fn from(agent: AgentId) -> Self {
        Self::new(agent.as_str())
    }
}

/// The eval sets, and the folders that were looked into.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvalSetList {
    /// Those of the agents, then those in folders.
    pub sets: Vec<EvalSetSummary>,
    /// The configured folders.
    pub folders: Vec<FolderSummary>,
}

/// A folder that the host was told of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FolderSummary {
    /// Its absolute path.
    pub path: String,
    /// How many files were found in it and below.
    pub found: u64,
    /// What of it cannot be read, and what to do.
    pub faults: Vec<String>,
}

/// An eval-set file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvalSetSummary {
    /// What it is asked for by.
    pub set: SetId,
    /// The name of the file; with the folders above it where it lies below a configured one.
    pub name: String,
    /// The agent whose file it is.
    pub agent: Option<AgentId>,
    /// The agent's name; empty where it has none.
    pub agent_name: String,
    /// Absolute path of the file.
    pub path: String,
    /// What stands there.
    pub contents: EvalSetContents,
}

/// What stands where an eval set is expected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum EvalSetContents {
    /// Nothing yet: the first export makes the file.
    Nothing,
    /// A file.
    File {
        /// How long it is, in bytes.
        bytes: u64,
    },
    /// Something that cannot be read, and what to do about it.
    Unreadable(String),
}

/// Which cases of an eval set, and in which order.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CasesAsked {
    /// Their id, query, tools or tags hold this, whatever the case; all where it is empty.
    pub searched: String,
    /// Their order.
    pub order: CaseOrder,
    /// So many are left out before the first.
    pub skipped: u64,
    /// At most so many.
    pub most: u64,
}

/// An order of cases. Where it says nothing, that of the file counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum CaseOrder {
    /// As they stand in the file.
    #[default]
    File,
    /// From the end of the file.
    FileFromEnd,
    /// By their ids.
    Id,
    /// By the time at which they were made, the newest first; those that do not tell it last.
    Newest,
    /// By that time, the oldest first.
    Oldest,
    /// Those with the most calls first.
    MostCalls,
    /// Those with the fewest calls first.
    FewestCalls,
    /// Those with the most turns first.
    MostTurns,
}

impl CaseOrder {
    /// All there are, each with its name in an address and its name for people.
    pub const ALL: [(Self, &'static str, &'static str); 8] = [
        (Self::File, "file", "File order"),
        (Self::FileFromEnd, "-file", "Last in the file"),
        (Self::Id, "id", "By id"),
        (Self::Newest, "newest", "Newest"),
        (Self::Oldest, "oldest", "Oldest"),
        (Self::MostCalls, "-calls", "Most calls"),
        (Self::FewestCalls, "calls", "Fewest calls"),
        (Self::MostTurns, "-turns", "Most turns"),
    ];

    /// The order of that name in an address; the file's where there is none such.
    #[must_use]
    pub fn parse(name: &str) -> Self {
        let found = Self::ALL.iter().find(|(_, known, _)| *known == name);
        found.map_or(Self::File, |(order, ..)| *order)
    }
}

/// Some cases of an eval set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseList {
    /// The set.
    pub set: EvalSetSummary,
    /// `adk`, `adk-legacy` or `agentflow`; empty where the file has no cases.
    pub format: String,
    /// The cases that fit what was searched, in the order of the file, as far as they were asked for.
    pub cases: Vec<CaseSummary>,
    /// How many cases fit.
    pub fitting: u64,
    /// How many cases the file has.
    pub all: u64,
    /// Why the reading ended before the file did.
    pub fault: Option<String>,
}

/// One case on a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseSummary {
    /// Its place in the file, from 0.
    pub index: u64,
    /// Its id; empty where it has none.
    pub eval_id: String,
    /// What the user asks first; the beginning of it.
    pub query: String,
    /// How many turns it has.
    pub turns: u64,
    /// The tools that are called, in order, as far as a line shows them.
    pub tools: Vec<String>,
    /// How many calls there are.
    pub calls: u64,
    /// By which cases are chosen.
    pub tags: Vec<String>,
    /// What is wrong with it.
    pub fault: Option<String>,
}

/// One case, step by step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CaseView {
    /// Its place in the file, from 0.
    pub index: u64,
    /// Its id.
    pub eval_id: String,
    /// The agent that can play it: the set's, or a registered one of the name that the case gives.
    pub agent: Option<AgentId>,
    /// The name that the case itself gives its agent; empty where it gives none.
    pub app_name: String,
    /// When it was made, in seconds since 1970.
    pub created: Option<f64>,
    /// The turns.
    pub turns: Vec<CaseTurn>,
    /// What its session starts with.
    pub state: Option<JsonText>,
    /// The case as it stands in the file.
    pub text: JsonText,
    /// What tells this text from any other; an edit names it.
    pub digest: String,
    /// What is wrong with it.
    pub faults: Vec<String>,
}

/// One turn of a case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CaseTurn {
    /// What the user says.
    pub query: String,
    /// What happens then, in order.
    pub steps: Vec<CaseStep>,
    /// What the agent answers.
    pub response: Option<String>,
}

/// One step between query and answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum CaseStep {
    /// A tool is called.
    Call {
        /// The agent that calls it, where the case tells.
        author: String,
        /// The tool.
        tool: String,
        /// The arguments.
        arguments: JsonText,
        /// What it answers, where the case tells.
        result: Option<JsonText>,
    },
    /// Somebody says something.
    Said {
        /// Who.
        author: String,
        /// What.
        text: String,
    },
}

/// A case as the page has read it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseAsRead {
    /// Its place in the file, from 0.
    pub index: u64,
    /// The digest of its text.
    pub digest: String,
}

/// A call as a case is to expect it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExpectedCall {
    /// The tool.
    pub tool: String,
    /// The arguments: a JSON object.
    pub arguments: JsonText,
    /// What it answers, if that is recorded.
    pub response: Option<JsonText>,
}

/// What is to be different in a case. Turns count from 0, calls from 0 within their turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum CaseChange {
    /// Another id.
    EvalId(String),
    /// The user says something else.
    Query {
        /// The turn.
        turn: usize,
        /// What the user says.
        text: String,
    },
    /// Another answer is expected; none at all with `None`.
    Response {
        /// The turn.
        turn: usize,
        /// The answer.
        text: Option<String>,
    },
    /// Another call is expected in the place of one.
    Call {
        /// The turn.
        turn: usize,
        /// The call.
        call: usize,
        /// As it is to be.
        expected: ExpectedCall,
    },
    /// One more call is expected.
    AddCall {
        /// The turn.
        turn: usize,
        /// Before which call, or behind the last.
        at: usize,
        /// The call.
        expected: ExpectedCall,
    },
    /// A call is expected no more.
    RemoveCall {
        /// The turn.
        turn: usize,
        /// The call.
        call: usize,
    },
    /// A call is expected earlier or later.
    MoveCall {
        /// The turn.
        turn: usize,
        /// The call.
        from: usize,
        /// Where it is to stand afterwards.
        to: usize,
    },
    /// The session starts with another state: a JSON object.
    State(JsonText),
    /// The whole case reads otherwise.
    Whole(JsonText),
}

/// Which case of which set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseName {
    /// The set.
    pub set: SetId,
    /// The case's id.
    pub eval_id: String,
}

/// What is held against a case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Actual {
    /// Another case.
    Case(CaseName),
    /// A completed rehearsal, whose history the page sends.
    Rehearsal(ExportRequest),
    /// Runs of a live session, each by the place of its first request.
    Live {
        /// The session.
        session: LiveId,
        /// The runs.
        runs: Vec<u64>,
    },
}

/// Two cases, side by side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CaseComparison {
    /// What is expected.
    pub expected: CaseName,
    /// What is held against it, where that is a case.
    pub actual: Option<CaseName>,
    /// How well they agree.
    pub scores: Vec<ComparedScore>,
    /// In words, what is not the same; empty when nothing is.
    pub why: Vec<String>,
    /// The turns, as many as the longer one has.
    pub turns: Vec<ComparedTurn>,
}

/// A score of one case against another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComparedScore {
    /// The metric.
    pub name: String,
    /// From 0 to 1; `None` when it could not be scored.
    pub score: Option<f64>,
    /// Why it was not scored.
    pub note: String,
}

/// One turn of both.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComparedTurn {
    /// What the user says.
    pub query: ComparedText,
    /// The calls, aligned.
    pub calls: Vec<ComparedCall>,
    /// Why the calls are not aligned.
    pub note: Option<String>,
    /// What the agent answers.
    pub response: ComparedText,
}

/// A text of both.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComparedText {
    /// What is expected; `None` where there is none.
    pub expected: Option<String>,
    /// What is held against it.
    pub actual: Option<String>,
    /// Whether both read the same.
    pub is_same: bool,
    /// Both word by word; empty where they are the same or too long.
    pub parts: Vec<TextPart>,
}

/// Some words of a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum TextPart {
    /// In both.
    Both(String),
    /// In the expected one only.
    Expected(String),
    /// In the actual one only.
    Actual(String),
}

/// A call of one side or of both.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComparedCall {
    /// What became of it.
    pub fate: Fate,
    /// As expected.
    pub expected: Option<CallSide>,
    /// As made.
    pub actual: Option<CallSide>,
    /// The names of the arguments that differ.
    pub differing: Vec<String>,
}

/// What became of an expected call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fate {
    /// It was made.
    Same,
    /// It was made with other arguments.
    Changed,
    /// It was not made.
    Missing,
    /// It was made and not expected.
    Extra,
}

/// A call as one side has it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallSide {
    /// The tool.
    pub tool: String,
    /// The arguments, where there are some.
    pub arguments: Option<JsonText>,
}

/// The eval sets of the registered agents and of the configured folders.
#[server(prefix = "/api", endpoint = "list_eval_sets", input = Json, output = Json)]
pub async fn list_eval_sets() -> Result<EvalSetList, ApiError> {
    crate::host::host()?.list_eval_sets().await
}

/// The cases of a set that are asked for.
#[server(prefix = "/api", endpoint = "list_cases", input = Json, output = Json)]
pub async fn list_cases(set: SetId, asked: CasesAsked) -> Result<CaseList, ApiError> {
    crate::host::host()?.list_cases(set, asked).await
}

/// The case at `index` of a set; by its id where another case stands there by now.
#[server(prefix = "/api", endpoint = "read_case", input = Json, output = Json)]
pub async fn read_case(set: SetId, eval_id: String, index: u64) -> Result<CaseView, ApiError> {
    crate::host::host()?.read_case(set, eval_id, index).await
}

/// Changes a case of a set, if it still is what the page has read; gives the case as it stands then.
#[server(prefix = "/api", endpoint = "change_case", input = Json, output = Json)]
pub async fn change_case(
    set: SetId,
    case: CaseAsRead,
    change: CaseChange,
) -> Result<CaseView, ApiError> {
    crate::host::host()?.change_case(set, case, change).await
}

/// Puts a copy of a case behind it, under an id of its own; gives the copy.
#[server(prefix = "/api", endpoint = "duplicate_case", input = Json, output = Json)]
pub async fn duplicate_case(set: SetId, case: CaseAsRead) -> Result<CaseView, ApiError> {
    crate::host::host()?.duplicate_case(set, case).await
}

/// Takes a case out of a set, if it still is what the page has read.
#[server(prefix = "/api", endpoint = "remove_case", input = Json, output = Json)]
pub async fn remove_case(set: SetId, case: CaseAsRead) -> Result<(), ApiError> {
    crate::host::host()?.remove_case(set, case).await
}

/// Puts a case into a set so that it stands at `index`, or behind the last when there are fewer:
/// how a removal is taken back.
#[server(prefix = "/api", endpoint = "insert_case", input = Json, output = Json)]
pub async fn insert_case(set: SetId, index: u64, text: JsonText) -> Result<CaseView, ApiError> {
    crate::host::host()?.insert_case(set, index, text).await
}

/// Holds `actual` against the case `expected`.
#[server(prefix = "/api", endpoint = "compare_cases", input = Json, output = Json)]
pub async fn compare_cases(expected: CaseName, actual: Actual) -> Result<CaseComparison, ApiError> {
    match actual {
        Actual::Live { session, runs } => {
            crate::host::live_host()?.compare_live_session(expected, session, runs).await
        }
        actual => crate::host::host()?.compare_cases(expected, actual).await,
    }
}
