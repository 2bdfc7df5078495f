//! The list of a set's cases: which ones, in which order, and a row for each.

use serde::{Deserialize, Serialize};

use super::EvalSetSummary;

/// Which cases of an eval set, and in which order.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CaseQuery {
    /// The text to find in their id, name, query, tools or tags, ignoring case; empty for all.
    pub searched: String,
    /// Their order.
    pub order: CaseOrder,
    /// How many matching cases to skip.
    pub skipped: u64,
    /// The most cases to return.
    pub most: u64,
    /// The index in the file of a case to include: if it matches, the page of `most` cases with it is
    /// returned.
    pub holding: Option<u64>,
}

/// An order of cases. Equal cases keep the order of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum CaseOrder {
    /// The order of the file.
    #[default]
    File,
    /// The reverse order of the file.
    FileFromEnd,
    /// By their ids.
    Id,
    /// By creation time, newest first; cases without one are last.
    Newest,
    /// By creation time, oldest first; cases without one are last.
    Oldest,
    /// Those with the most calls first.
    MostCalls,
    /// Those with the fewest calls first.
    FewestCalls,
    /// Those with the most turns first.
    MostTurns,
}

impl CaseOrder {
    /// All orders, each with its name in a URL and its display name.
    pub const ALL: [(Self, &'static str, &'static str); 8] = [
        (Self::File, "file", "File order"),
        (Self::FileFromEnd, "-file", "Last in the file"),
        (Self::Id, "id", "By ID"),
        (Self::Newest, "newest", "Newest"),
        (Self::Oldest, "oldest", "Oldest"),
        (Self::MostCalls, "-calls", "Most calls"),
        (Self::FewestCalls, "calls", "Fewest calls"),
        (Self::MostTurns, "-turns", "Most turns"),
    ];

    /// The order with that name in a URL; the file's order if there is none.
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
    /// `adk`, `adk-legacy` or `agentflow`; empty if the file has no cases.
    pub format: String,
    /// The requested page of matching cases.
    pub cases: Vec<CaseSummary>,
    /// How many matching cases come before the first of `cases`.
    pub skipped: u64,
    /// How many cases match.
    pub fitting: u64,
    /// How many cases the file has.
    pub all: u64,
    /// Why reading stopped before the end of the file.
    pub fault: Option<String>,
}

/// A row of the list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseSummary {
    /// Its index in the file, from 0.
    pub index: u64,
    /// Its id; empty if it has none.
    pub eval_id: String,
    /// Its name, if it has one.
    pub name: Option<String>,
    /// The beginning of the first query.
    pub query: String,
    /// How many turns it has.
    pub turns: u64,
    /// The first tools that are called, in order.
    pub tools: Vec<String>,
    /// How many calls there are.
    pub calls: u64,
    /// Its tags.
    pub tags: Vec<String>,
    /// What is wrong with it.
    pub fault: Option<String>,
    /// Whether another case of the file has the same id: then the index identifies it.
    pub repeats: bool,
}
