//! [`Names`]: finds tools, arguments and agents in a config that no case has.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use json_text::Node;
use score_report::ScoredCase;
use scoring::ToolCall;
use scoring::config::{Config, Name};

/// The most names of a kind that are kept, to suggest the nearest.
const MOST: usize = 10_000;

/// The names in a config, and those in the cases of either side.
#[derive(Debug)]
pub(super) struct Names<'c> {
    named: Vec<Name<'c>>,
    /// Whether the config has argument names, for which every call is read.
    asks_arguments: bool,
    seen: Mutex<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    tools: BTreeSet<String>,
    authors: BTreeSet<String>,
    /// The arguments by tool.
    arguments: BTreeSet<(String, String)>,
}

impl<'c> Names<'c> {
    pub(super) fn of(config: &'c Config) -> Self {
        let named = config.names();
        let asks_arguments = named.iter().any(|name| matches!(name, Name::Argument { .. }));
        Self { named, asks_arguments, seen: Mutex::default() }
    }

    pub(super) fn look_at(&self, case: &ScoredCase) {
        if self.named.is_empty() {
            return;
        }
        for side in [&case.expected, &case.actual].into_iter().flatten() {
            let turns = &side.trace.invocations;
            let calls = turns
                .iter()
                .flat_map(|turn| turn.tool_calls.iter().chain(turn.accepted.iter().flatten()));
            let responses = turns.iter().flat_map(|turn| &turn.intermediate_responses);
            let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
            for call in calls {
                self.look_at_call(call, &mut seen);
            }
            for author in responses.filter_map(|responses| responses.author.as_ref()) {
                self.keep_author(author, &mut seen.authors);
            }
        }
    }

    fn look_at_call(&self, call: &ToolCall, seen: &mut Seen) {
        if let Some(author) = &call.author {
            self.keep_author(author, &mut seen.authors);
        }
        let Some(tool) = &call.name else { return };
        if !seen.tools.contains(tool)
            && (seen.tools.len() < MOST || self.named.contains(&Name::Tool(tool)))
        {
            seen.tools.insert(tool.clone());
        }
        let Some(args) = call.args.as_ref().filter(|_| self.asks_arguments) else { return };
        let Node::Object(members) = args.open() else { return };
        for (argument, _) in members {
            let is_wanted = |name: &Name<'_>| match name {
                Name::Argument { argument: asked, .. } => *asked == argument,
                Name::Tool(_) | Name::Author(_) => false,
            };
            if seen.arguments.len() < MOST || self.named.iter().any(is_wanted) {
                seen.arguments.insert((tool.clone(), argument));
            }
        }
    }

    fn keep_author(&self, author: &str, authors: &mut BTreeSet<String>) {
        let is_wanted = authors.len() < MOST || self.named.contains(&Name::Author(author));
        if is_wanted && !authors.contains(author) {
            authors.insert(author.to_owned());
        }
    }

    /// A warning for each name that no case has, with the nearest known name.
    pub(super) fn notes(self) -> Vec<String> {
        let seen = self.seen.into_inner().unwrap_or_else(PoisonError::into_inner);
        let note = |name: &Name<'_>| match name {
            Name::Tool(tool) => (!seen.tools.contains(*tool)).then(|| {
                let suggestion = suggestion(tool, seen.tools.iter());
                format!("the config names the tool {tool:?}, which no case calls{suggestion}")
            }),
            Name::Author(author) => (!seen.authors.contains(*author)).then(|| {
                let suggestion = suggestion(author, seen.authors.iter());
                format!("the config names the author {author:?}, which no case has{suggestion}")
            }),
            Name::Argument { tool, argument } => {
                let is_its = |of: &str| tool.is_none_or(|tool| tool == of);
                // Already reported for a tool that no case calls.
                let is_called = seen.tools.iter().any(|tool| is_its(tool));
                let its = seen.arguments.iter().filter(|(tool, _)| is_its(tool));
                let its: BTreeSet<&String> = its.map(|(_, argument)| argument).collect();
                let is_there = its.iter().any(|known| known == argument);
                (is_called && !is_there).then(|| {
                    let suggestion = suggestion(argument, its);
                    let of = tool.map_or_else(|| "any tool".to_owned(), |tool| format!("{tool:?}"));
                    format!("the config names the argument {argument:?} of {of}, which no call has{suggestion}")
                })
            }
        };
        self.named.iter().filter_map(note).collect()
    }
}

/// The nearest known name, as a question.
fn suggestion<'n>(named: &str, known: impl IntoIterator<Item = &'n String>) -> String {
    let distance = |name: &&String| strsim::damerau_levenshtein(named, name);
    let near = known.into_iter().filter(|name| distance(name) <= named.len().div_ceil(4));
    let suggestion = near.min_by_key(distance).map(|name| format!("; did you mean {name:?}?"));
    suggestion.unwrap_or_default()
}
