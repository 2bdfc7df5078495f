//! Conversion between the formats, without loss.
//!
//! Fields that both formats have are copied (`base`). The rest is stored as a difference between the
//! source and the result of a round trip without it. ADK's leftovers are under `metadata.adk` of the
//! set, the case or the turn; AgentFlow's are under the key `agentflow` of the ADK case, because ADK's
//! models below the case reject unknown fields and its sets drop them. Those of the set, as `../name`,
//! are in its first case.
//!
//! The conversion back applies the difference to the current fields, so that edits are preserved.
//! AgentFlow's leftovers work for the ADK file written here, and for the same file rewritten by ADK
//! (`rewritten`).

mod base;
mod difference;
mod rewritten;

use base::StateName;
use difference::{Difference, Tree};
use json_text::JsonText;

use crate::model::{Casing, Value, read_value, text_of};
use crate::{Case, EvalSet, Severity, adk, agentflow};

/// The key of AgentFlow's `metadata` under which ADK's leftovers are.
const ADK: &str = "adk";
/// The key of an ADK case under which AgentFlow's leftovers are.
const AGENTFLOW: &str = "agentflow";
/// The prefix of the leftovers of a set in those of its first case.
const SET_PREFIX: &str = "..";
/// Marks an ADK case whose state was called `initial_state` in AgentFlow.
const STATE: &str = "~state";
/// Marks a case that was in camelCase.
const CASING: &str = "~casing";

impl EvalSet {
    /// Converts the set to ADK's current format. `name` is the id of an older list, which has none: the
    /// file's name.
    #[must_use]
    pub fn into_adk(self, name: &str) -> adk::EvalSet {
        match self {
            Self::Adk(set) => set,
            Self::AdkLegacy(set) => set.to_current(name),
            Self::AgentFlow(set) => set_to_adk(&set),
        }
    }

    /// The same set in AgentFlow's form; `name` as above.
    #[must_use]
    pub fn into_agentflow(self, name: &str) -> agentflow::EvalSet {
        match self {
            Self::Adk(set) => set_to_agentflow(&set),
            Self::AdkLegacy(set) => set_to_agentflow(&set.to_current(name)),
            Self::AgentFlow(set) => set,
        }
    }
}

impl Case {
    /// Converts the case to ADK's current format.
    #[must_use]
    pub fn into_adk(self) -> adk::EvalCase {
        match self {
            Self::Adk(case) => case,
            Self::AdkLegacy(case) => case.to_current(),
            Self::AgentFlow(case) => case_to_adk(&case),
        }
    }

    /// Converts the case to AgentFlow's format.
    #[must_use]
    pub fn into_agentflow(self) -> agentflow::EvalCase {
        match self {
            Self::Adk(case) => case_to_agentflow(&case),
            Self::AdkLegacy(case) => case_to_agentflow(&case.to_current()),
            Self::AgentFlow(case) => case,
        }
    }
}

fn set_to_agentflow(set: &adk::EvalSet) -> agentflow::EvalSet {
    let mut header = set.clone();
    header.eval_cases.clear();
    let mut cases = set.eval_cases.clone();
    // Leftovers of the AgentFlow set that this one was made of.
    let holder = match cases.first_mut() {
        Some(first) => &mut first.written,
        None => &mut header.written,
    };
    let leftovers = holder.extra(AGENTFLOW).map(Tree::of).as_ref().and_then(Difference::from_json);
    let of_set = leftovers
        .map(|leftovers| leftovers.split_prefix(SET_PREFIX))
        .filter(|(it, _)| !it.is_empty());
    let of_set = of_set.map(|(of_set, of_case)| {
        if of_case.is_empty() {
            holder.remove_extra(AGENTFLOW);
        } else {
            holder.set_extra(AGENTFLOW, text(&of_case.to_json()));
        }
        of_set
    });
    let mut to = read_back(&set_header_to_agentflow(&header))
        .unwrap_or_else(|| base::set_to_agentflow(&header));
    if let Some(of_set) = of_set
        && let Some(restored) = with_difference(&to, of_set)
    {
        to = restored;
    }
    to.eval_cases = cases.iter().map(case_to_agentflow).collect();
    to
}

/// The set without its cases.
fn set_header_to_agentflow(set: &adk::EvalSet) -> agentflow::EvalSet {
    let mut to = base::set_to_agentflow(set);
    let comes_back = tree(&base::set_to_adk(&to), Casing::Snake);
    let difference = Difference::between(&comes_back, &tree(set, Casing::Snake));
    to.metadata = metadata_of(&difference, false);
    to
}

fn set_to_adk(set: &agentflow::EvalSet) -> adk::EvalSet {
    let mut header = set.clone();
    header.eval_cases.clear();
    let mut to = base::set_to_adk(&header);
    if let Some((difference, _)) = leftovers_in(header.metadata.as_ref())
        && let Some(restored) = with_difference(&to, difference)
        && restored.eval_cases.is_empty()
        && restored.written.extra(AGENTFLOW).is_none()
    {
        to = restored;
    }
    let comes_back = |set: &adk::EvalSet| tree(&set_header_to_agentflow(set), Casing::Snake);
    let leftovers = leftovers(
        &comes_back(&to),
        &comes_back(&rewritten::header(&to)),
        &tree(&header, Casing::Snake),
    );
    to.eval_cases = set.eval_cases.iter().map(case_to_adk).collect();
    if !leftovers.is_empty() {
        let holder = match to.eval_cases.first_mut() {
            Some(first) => &mut first.written,
            None => &mut to.written,
        };
        let own = holder.extra(AGENTFLOW).map(Tree::of).as_ref().and_then(Difference::from_json);
        let both = own.unwrap_or_default().and(leftovers.under(SET_PREFIX));
        holder.set_extra(AGENTFLOW, text(&both.to_json()));
    }
    to
}

fn case_to_agentflow(case: &adk::EvalCase) -> agentflow::EvalCase {
    if let Some(leftovers) = case.written.extra(AGENTFLOW) {
        let mut leftovers = Tree::of(leftovers);
        let state_name = match leftovers.take(STATE) {
            Some(_) => StateName::InitialState,
            None => StateName::State,
        };
        let mut without = case.clone();
        without.written.remove_extra(AGENTFLOW);
        if let Some(difference) = Difference::from_json(&leftovers)
            && let Some(restored) =
                with_difference(&with_adk_leftovers(&without, state_name), difference)
        {
            return restored;
        }
    }
    with_adk_leftovers(case, StateName::State)
}

/// The case in AgentFlow's form, with what only ADK has in its metadata.
fn with_adk_leftovers(case: &adk::EvalCase, state_name: StateName) -> agentflow::EvalCase {
    let base = base::to_agentflow(&rewritten::case(case), state_name);
    // Parsed again, because the conversion back reads this text.
    let mut to = read_back(&base).unwrap_or(base);
    let comes_back = rewritten::case(&base::to_adk(&to));
    let mut source = tree(case, Casing::Snake);
    let mut returned = tree(&comes_back, Casing::Snake);
    if case.conversation.is_some() {
        let own = source.take("conversation");
        let back = returned.take("conversation");
        if let (Some(Tree::List(own)), Some(Tree::List(back))) = (own, back) {
            for ((own, back), turn) in own.iter().zip(&back).zip(&mut to.conversation) {
                turn.metadata = metadata_of(&Difference::between(back, own), false);
            }
        }
    }
    let camel = is_all_camel(case);
    to.metadata = metadata_of(&Difference::between(&returned, &source), camel);
    if to.metadata.is_none() && to.conversation.is_empty() {
        // A case without turns has nothing else that shows the format.
        let mut metadata = Tree::empty();
        metadata.put(ADK, Tree::empty());
        to.metadata = Some(text(&metadata));
    }
    to
}

/// Whether the case is in camelCase throughout, and not in snake_case.
fn is_all_camel(case: &adk::EvalCase) -> bool {
    let original = text_of(case, Casing::Original);
    original != text_of(case, Casing::Snake) && original == text_of(case, Casing::Camel)
}

fn case_to_adk(case: &agentflow::EvalCase) -> adk::EvalCase {
    let to = with_leftovers_returned(case)
        .filter(|to| to.written.extra(AGENTFLOW).is_none())
        .unwrap_or_else(|| rewritten::case(&base::to_adk(case)));
    let is_documented = |input: &agentflow::SessionInput| input.is_as_documented();
    let state_name = match case.session_input.as_ref().is_some_and(is_documented) {
        true => StateName::InitialState,
        false => StateName::State,
    };
    let comes_back =
        |case: &adk::EvalCase| tree(&with_adk_leftovers(case, state_name), Casing::Snake);
    let leftovers =
        leftovers(&comes_back(&to), &comes_back(&rewritten::case(&to)), &tree(case, Casing::Snake));
    let mut leftovers = leftovers.to_json();
    if state_name == StateName::InitialState {
        leftovers.put(STATE, Tree::Leaf(JsonText::string("initial_state")));
    }
    let mut to = to;
    if leftovers != Tree::empty() {
        to.written.set_extra(AGENTFLOW, text(&leftovers));
    }
    to
}

/// The difference to `source` that fits both the written file and the file rewritten by ADK.
fn leftovers(direct: &Tree, through: &Tree, source: &Tree) -> Difference {
    let mut wanted = source.clone();
    keep_metadata_left_by_adk(&mut wanted, direct, through);
    let turns = |tree: &Tree| match tree.member("conversation") {
        Some(Tree::List(turns)) => turns.clone(),
        _ => Vec::new(),
    };
    if let Some(Tree::List(wanted)) = wanted.at("conversation") {
        for ((wanted, direct), through) in wanted.iter_mut().zip(turns(direct)).zip(turns(through))
        {
            keep_metadata_left_by_adk(wanted, &direct, &through);
        }
    }
    Difference::from_either((direct, source), (through, &wanted))
}

/// Replaces a level's `metadata.adk` with what remains in the ADK file: its content is in ADK's own
/// fields there, which ADK may drop.
fn keep_metadata_left_by_adk(wanted: &mut Tree, direct: &Tree, through: &Tree) {
    let share = |level: &Tree| level.member("metadata")?.member(ADK).cloned();
    if share(direct).is_none() || share(wanted).is_none() {
        return;
    }
    let Some(metadata) = wanted.at("metadata") else { return };
    metadata.take(ADK);
    if let Some(left) = share(through) {
        metadata.put(ADK, left);
    }
    if *metadata == Tree::empty() && through.member("metadata").is_none() {
        wanted.take("metadata");
    }
}

/// The case in ADK's format with its leftovers from `metadata`; `None` if ADK could not read it.
fn with_leftovers_returned(case: &agentflow::EvalCase) -> Option<adk::EvalCase> {
    let base = rewritten::case(&base::to_adk(case));
    let mut tree = tree(&base, Casing::Snake);
    let Some(Tree::List(mut turns)) = tree.take("conversation") else { return None };
    for (turn, source) in turns.iter_mut().zip(&case.conversation) {
        if let Some((difference, _)) = leftovers_in(source.metadata.as_ref()) {
            let mut restored = turn.clone();
            difference.apply(&mut restored);
            // An edit may have made the leftovers of this turn unfit. The others still apply.
            if valid::<adk::Invocation>(&restored.to_text()).is_some() {
                *turn = restored;
            }
        }
    }
    tree.put("conversation", Tree::List(turns));
    let leftovers = leftovers_in(case.metadata.as_ref());
    let camel = leftovers.as_ref().is_some_and(|(_, camel)| *camel);
    if let Some((difference, _)) = leftovers {
        difference.apply(&mut tree);
    }
    let case: adk::EvalCase = valid(&tree.to_text())?;
    if !camel {
        return Some(case);
    }
    valid(&text_of(&case, Casing::Camel))
}

/// What is under `metadata.adk`, and whether the case was in camelCase.
fn leftovers_in(metadata: Option<&JsonText>) -> Option<(Difference, bool)> {
    let mut adk = Tree::of(metadata?).take(ADK)?;
    let camel = adk.take(CASING).is_some();
    Some((Difference::from_json(&adk)?, camel))
}

fn metadata_of(difference: &Difference, camel: bool) -> Option<JsonText> {
    if difference.is_empty() && !camel {
        return None;
    }
    let mut leftovers = difference.to_json();
    if camel {
        leftovers.put(CASING, Tree::Leaf(JsonText::string("camelCase")));
    }
    let mut metadata = Tree::empty();
    metadata.put(ADK, leftovers);
    Some(text(&metadata))
}

fn tree(value: &impl Value, casing: Casing) -> Tree {
    JsonText::parse(&text_of(value, casing)).map_or_else(|_| Tree::empty(), |text| Tree::of(&text))
}

fn text(tree: &Tree) -> JsonText {
    JsonText::parse(&tree.to_text()).unwrap_or_else(|_| JsonText::null())
}

/// The value with the difference applied; `None` if the result is invalid.
fn with_difference<T: Value>(value: &T, difference: Difference) -> Option<T> {
    let mut tree = tree(value, Casing::Original);
    difference.apply(&mut tree);
    valid(&tree.to_text())
}

/// Reads what was just written.
fn read_back<T: Value>(value: &T) -> Option<T> {
    valid(&text_of(value, Casing::Original))
}

fn valid<T: Value>(text: &str) -> Option<T> {
    let (value, faults) = read_value(text.as_bytes());
    value.filter(|_| faults.iter().all(|fault| fault.severity() != Severity::Error))
}
