//! [`Accepted`]: alternative trajectories that are accepted besides the expected one.
//!
//! Neither format has a field for them, so they are in an unknown field, `accepted_trajectories`. With
//! AgentFlow it is in a turn's `metadata`, a list of lists of calls. With ADK it is beside the case's
//! `conversation`, an object of such lists by `invocation_id`, or by the turn's index, such as `#0`.

use evalset::{PathSegment, adk, agentflow};
use json_text::{JsonText, Kind, Node};
use scoring::ToolCall;
use serde_json::value::RawValue;

use crate::InvalidField;
use crate::member::member;

/// The key.
const KEY: &str = "accepted_trajectories";

const LISTS: &str = "write a list of trajectories, each a list of calls with name and args";
const CALLS: &str = "a call has a name, and may have args, and an id or call_id";
const TURNS: &str = "name each turn once, by its invocation_id or its index, such as \"#0\"";

/// A trajectory: the calls in order.
type Trajectory = Vec<ToolCall>;

/// The accepted trajectories of a case.
#[derive(Debug, Default)]
pub(crate) struct Accepted {
    /// For each turn of the conversation.
    pub(crate) turns: Vec<Vec<Trajectory>>,
    /// All invalid fields, in file order.
    pub(crate) faults: Vec<InvalidField>,
}

impl Accepted {
    /// The accepted trajectories of each turn, or the first invalid field.
    pub(crate) fn valid(self) -> Result<Vec<Vec<Trajectory>>, InvalidField> {
        self.faults.into_iter().next().map_or(Ok(self.turns), Err)
    }

    /// Of an ADK case; `kept` is the AgentFlow case that it was converted from.
    pub(crate) fn of_adk(case: &adk::EvalCase, kept: Option<&agentflow::EvalCase>) -> Self {
        let mut reader = Reader::of(&case.eval_id);
        let mut turns = vec![Vec::new(); case.turns().len()];
        if let Some(text) = case.written.extra(KEY) {
            let ids: Vec<&str> = case.turns().iter().map(|it| it.invocation_id.as_str()).collect();
            reader
                .under(PathSegment::Key(KEY.into()), |reader| reader.turns(text, &ids, &mut turns));
        }
        // Trajectories from the AgentFlow case.
        for (place, (turn, accepted)) in
            kept.iter().flat_map(|kept| &kept.conversation).zip(&mut turns).enumerate()
        {
            let kept = reader.of_turn(place, turn);
            if !kept.is_empty() {
                *accepted = kept;
            }
        }
        Self { turns, faults: reader.faults }
    }

    /// Of an AgentFlow case.
    pub(crate) fn of_agentflow(case: &agentflow::EvalCase) -> Self {
        let mut reader = Reader::of(&case.eval_id);
        let turns = case.conversation.iter().enumerate();
        let turns = turns.map(|(place, turn)| reader.of_turn(place, turn)).collect();
        Self { turns, faults: reader.faults }
    }
}

/// Reads one case, and continues after invalid fields.
struct Reader<'c> {
    eval_id: &'c str,
    path: Vec<PathSegment<'static>>,
    faults: Vec<InvalidField>,
}

impl<'c> Reader<'c> {
    fn of(eval_id: &'c str) -> Self {
        Self { eval_id, path: Vec::new(), faults: Vec::new() }
    }

    fn fault(&mut self, fault: impl Into<String>, remedy: &'static str) {
        let (eval_id, path) = (self.eval_id.to_owned(), self.path.clone());
        let (fault, remedy) = (fault.into(), Some(remedy));
        self.faults.push(InvalidField { eval_id, path, fault, remedy });
    }

    fn under<T>(&mut self, step: PathSegment<'static>, read: impl FnOnce(&mut Self) -> T) -> T {
        self.path.push(step);
        let read = read(self);
        self.path.pop();
        read
    }

    /// Reads a turn of AgentFlow.
    fn of_turn(&mut self, place: usize, turn: &agentflow::Invocation) -> Vec<Trajectory> {
        let Some(text) = member(turn.metadata.as_ref(), KEY) else { return Vec::new() };
        let path = [PathSegment::Key("conversation".into()), PathSegment::Index(place)];
        self.path.extend(path);
        self.path.extend(["metadata", KEY].map(|key| PathSegment::Key(key.into())));
        let read = self.trajectories(&text.open());
        self.path.clear();
        read
    }

    /// Reads the object of an ADK case, whose turns have these ids.
    fn turns(&mut self, text: &JsonText, ids: &[&str], turns: &mut [Vec<Trajectory>]) {
        let node = text.open();
        let Node::Object(members) = node else {
            let fault = format!("expected an object, found {}", kind(&node));
            return self.fault(fault, TURNS);
        };
        let mut named = vec![false; ids.len()];
        for (turn, list) in members {
            self.under(PathSegment::Key(turn.clone().into()), |reader| {
                let read = reader.trajectories(&Node::of(list));
                let by_place = turn.strip_prefix('#').and_then(|place| place.parse().ok());
                let mut meant: Vec<usize> = match by_place {
                    Some(place) => vec![place],
                    None => (0..ids.len()).filter(|at| ids.get(*at) == Some(&&*turn)).collect(),
                };
                meant.retain(|at| *at < ids.len());
                let [at] = *meant else {
                    let fault = match meant.len() {
                        0 => format!("there is no turn {turn:?}"),
                        _ => format!("several turns have the invocation_id {turn:?}"),
                    };
                    return reader.fault(fault, TURNS);
                };
                if named.get(at) == Some(&true) {
                    return reader.fault("this turn is named twice", TURNS);
                }
                if let (Some(named), Some(accepted)) = (named.get_mut(at), turns.get_mut(at)) {
                    (*named, *accepted) = (true, read);
                }
            });
        }
    }

    fn trajectories(&mut self, node: &Node<'_>) -> Vec<Trajectory> {
        self.items(node, |reader, trajectory| {
            let call = |reader: &mut Self, call: &RawValue| reader.call(&Node::of(call));
            let calls = reader.items(&Node::of(trajectory), call);
            calls.into_iter().flatten().collect()
        })
    }

    /// Reads the items of a list.
    fn items<T>(
        &mut self,
        node: &Node<'_>,
        mut read: impl FnMut(&mut Self, &RawValue) -> T,
    ) -> Vec<T> {
        let Node::Array(items) = node else {
            self.fault(format!("expected a list, found {}", kind(node)), LISTS);
            return Vec::new();
        };
        let items = items.iter().enumerate();
        items
            .map(|(at, item)| self.under(PathSegment::Index(at), |reader| read(reader, item)))
            .collect()
    }

    /// A call with the keys of either format.
    fn call(&mut self, node: &Node<'_>) -> Option<ToolCall> {
        let Node::Object(members) = node else {
            self.fault(format!("expected a call, found {}", kind(node)), LISTS);
            return None;
        };
        let mut call = ToolCall::default();
        for (place, (key, value)) in members.iter().enumerate() {
            if members.iter().take(place).any(|(earlier, _)| earlier == key) {
                self.fault(format!("duplicate key {key:?}"), CALLS);
                continue;
            }
            self.under(PathSegment::Key(key.clone().into()), |reader| {
                let value = JsonText::from(*value);
                match &**key {
                    "name" => call.name = reader.string(&value),
                    "args" if value.kind() == Kind::Object => call.args = Some(value),
                    "args" if value.kind() != Kind::Null => {
                        let found = kind(&value.open());
                        reader.fault(format!("expected an object, found {found}"), CALLS);
                    }
                    // Absent.
                    "args" => {}
                    "id" | "call_id" if value.kind() == Kind::Null => {}
                    // ADK's key has precedence.
                    "id" => call.id = reader.string(&value),
                    "call_id" => call.id = call.id.take().or(reader.string(&value)),
                    _ => reader.fault(format!("unknown field {key:?} in a call"), CALLS),
                }
            });
        }
        if !members.iter().any(|(key, _)| key == "name") {
            self.fault("a call needs a \"name\"", CALLS);
        }
        Some(call)
    }

    fn string(&mut self, value: &JsonText) -> Option<String> {
        match value.open() {
            Node::String(text) => Some(text.into_owned()),
            other => {
                self.fault(format!("expected a string, found {}", kind(&other)), CALLS);
                None
            }
        }
    }
}

fn kind(node: &Node<'_>) -> &'static str {
    match node {
        Node::Null => "null",
        Node::Bool(_) => "true or false",
        Node::Number(_) => "a number",
        Node::String(_) => "a string",
        Node::Array(_) => "a list",
        Node::Object(_) => "an object",
    }
}
