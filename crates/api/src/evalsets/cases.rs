//! The cases of a set that are asked for, one on a line, in an order.

use serde::{Deserialize, Serialize};

use super::EvalSetSummary;

/// Which cases of an eval set, and in which order.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CaseQuery {
    /// Their id, query, tools or tags hold this, whatever the case; all where it is empty.
    pub searched: String,
    /// Their order.
    pub order: CaseOrder,
    /// So many are left out before the first.
    pub skipped: u64,
    /// At most so many.
    pub most: u64,
    /// The case that stands here in the file is to be among them, where it fits: of the pages of
    /// `most` cases each, the one that has it.
    pub holding: Option<u64>,
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
    /// How many of those that fit come before the first of `cases`.
    pub skipped: u64,
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
    /// Its name, where it has one.
    pub name: Option<String>,
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
    /// Whether another case of the file has its id, so that its place tells which one is meant.
    pub repeats: bool,
}
