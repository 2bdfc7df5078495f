//! The menu of cases to compare with: those of this set, and those of the other sets.

use api::{ApiError, CaseName, CaseQuery, CaseSummary, EvalSetContents, EvalSetSummary, SetId};
use leptos::ev::Event;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::shared::comparison::case_label;
use api::host::{list_cases, list_eval_sets, read_case};
use app::state::excerpt::{visible_name, visible_text};
use app::state::latest_request::{LatestRequest, use_latest_request};

/// How many characters of the user message an option shows.
const WORDS: usize = 60;
/// The id of the menu in the document.
pub(super) const PICKER_ID: &str = "compare-with";
/// How many cases of another set are offered at most.
const MOST: u64 = 500;

/// Another set whose cases the menu offers.
#[derive(Debug, Clone, PartialEq)]
struct OtherSetState {
    set: SetId,
    name: String,
    cases: Vec<CaseSummary>,
    /// The text shown beside the menu.
    status: String,
}

/// What another set has to compare with.
enum OtherSetMatch {
    /// The case with the same id.
    SameId(CaseName),
    /// Other cases, to choose from.
    Others(OtherSetState),
}

/// Looks in another set for the case with this id, else for the cases to choose from.
async fn look_into(set: SetId, name: String, own_id: &str) -> Result<OtherSetMatch, ApiError> {
    let same = match own_id {
        "" => Err(ApiError::UnknownCase(String::new())),
        own_id => read_case(set.clone(), own_id.to_owned(), 0).await,
    };
    match same {
        Ok(same) => {
            let case = CaseName { set, eval_id: same.eval_id, at: None };
            return Ok(OtherSetMatch::SameId(case));
        }
        Err(ApiError::UnknownCase(_)) => {}
        Err(error) => return Err(error),
    }
    let asked = CaseQuery { most: MOST, ..CaseQuery::default() };
    let list = list_cases(set.clone(), asked).await?;
    let status = match list.fault {
        Some(fault) => fault,
        None if list.cases.is_empty() => format!("{name} has no cases."),
        None if list.all > MOST => {
            format!("{name} has no case with this ID. Choose one of its first {MOST}.")
        }
        None => format!("{name} has no case with this ID. Choose another."),
    };
    Ok(OtherSetMatch::Others(OtherSetState { set, name, cases: list.cases, status }))
}

/// The state of the menu, as small as its handles.
#[derive(Clone, Copy)]
struct PickerState {
    set: StoredValue<SetId>,
    cases: Memo<Vec<CaseSummary>>,
    own: u64,
    own_id: StoredValue<String>,
    /// The other sets: id and name.
    other_sets: Memo<Vec<(SetId, String)>>,
    /// The other set whose cases are offered; `None` offers those of this set.
    other: RwSignal<Option<OtherSetState>>,
    fault: RwSignal<Option<String>>,
    latest: LatestRequest,
    on_choose: Callback<Option<CaseName>>,
}

impl PickerState {
    /// The cases that are offered. Tracked.
    fn offered(self) -> Vec<CaseSummary> {
        match self.other.get() {
            Some(other) => other.cases,
            None => self.cases.get(),
        }
    }

    /// Whether the case can be chosen: it has an id, and is not the shown case itself.
    fn can_choose(self, case: &CaseSummary) -> bool {
        !case.eval_id.is_empty()
            && (self.other.read_untracked().is_some() || case.index != self.own)
    }

    /// Chooses by an option's value: `case:` with a position in the file, `set:` with an index of the
    /// other sets, or `set:` alone for this set.
    fn choose(self, value: &str) {
        self.fault.set(None);
        match value.split_once(':') {
            Some(("case", place)) => {
                let set = self.other.with_untracked(|it| it.as_ref().map(|it| it.set.clone()));
                let set = set.unwrap_or_else(|| self.set.get_value());
                let cases = untrack(|| self.offered());
                let case = cases.iter().find(|case| place == case.index.to_string());
                if let Some(case) = case {
                    self.on_choose.run(Some(case_name(&set, case)));
                }
            }
            Some(("set", place)) => {
                let sets = self.other_sets.get_untracked();
                let chosen = place.parse::<usize>().ok().and_then(|at| sets.get(at).cloned());
                match chosen {
                    Some((set, name)) => self.look_into(set, name),
                    None => self.other.set(None),
                }
            }
            _ => {}
        }
    }

    /// Compares with the case of the same id in another set, or else offers that set's cases.
    fn look_into(self, set: SetId, name: String) {
        let asked = self.latest.ask();
        spawn_local(async move {
            let found = look_into(set, name, &self.own_id.get_value()).await;
            // Another case may be shown, or another set chosen, meanwhile.
            if !asked.is_wanted() {
                return;
            }
            match found {
                Ok(OtherSetMatch::SameId(case)) => self.on_choose.run(Some(case)),
                Ok(OtherSetMatch::Others(others)) => self.other.set(Some(others)),
                Err(error) => self.fault.set(Some(error.to_string())),
            }
        });
    }
}

/// The other sets that are files: id and name.
fn use_other_sets(set: StoredValue<SetId>) -> Memo<Vec<(SetId, String)>> {
    let sets = LocalResource::new(list_eval_sets);
    Memo::new(move |_| {
        let sets = sets.get().and_then(Result::ok).map(|list| list.sets).unwrap_or_default();
        let is_other = |other: &EvalSetSummary| {
            other.set != set.get_value() && matches!(other.contents, EvalSetContents::File { .. })
        };
        let others = sets.into_iter().filter(is_other);
        others.map(|other| (other.set, visible_name(&other.name))).collect::<Vec<_>>()
    })
}

/// Chooses the case to compare with: of this set, or of another set, where the case with the same id
/// is chosen at once.
#[component]
pub(super) fn ComparisonPicker(
    /// The set.
    set: SetId,
    /// Its cases.
    cases: Memo<Vec<CaseSummary>>,
    /// The position in the file of the case that is shown.
    own: u64,
    /// Its id.
    own_id: String,
    /// Called with the chosen case.
    on_choose: Callback<Option<CaseName>>,
) -> impl IntoView {
    let set = StoredValue::new(set);
    let picker = PickerState {
        set,
        cases,
        own,
        own_id: StoredValue::new(own_id),
        other_sets: use_other_sets(set),
        other: RwSignal::new(None),
        fault: RwSignal::new(None),
        latest: use_latest_request(),
        on_choose,
    };
    let choose = move |event: Event| {
        let value = event_target_value(&event);
        // The menu keeps no value: the choice is shown beside it.
        event_target::<web_sys::HtmlSelectElement>(&event).set_value("");
        picker.choose(&value);
    };
    let is_shown = Memo::new(move |_| {
        !picker.other_sets.read().is_empty()
            || picker.offered().iter().any(|case| picker.can_choose(case))
    });
    let title = move || match &*picker.other.read() {
        None => "Compare with…".to_owned(),
        Some(other) => format!("Choose from {}…", other.name),
    };
    view! {
        <Show when=move || is_shown.get()>
            <select class="button quiet against" id=PICKER_ID aria-label="Compare with another case" on:change=choose>
                <option value="">{title}</option>
                {move || case_options(picker)}
                {move || set_options(picker)}
            </select>
        </Show>
        <span class="quiet" role="status">{move || picker.other.get().map(|other| other.status)}</span>
        {move || picker.fault.get().map(|fault| view! { <p class="field-fault" role="alert">{fault}</p> })}
    }
}

fn case_options(picker: PickerState) -> impl IntoView {
    let cases = picker.offered();
    let cases: Vec<_> = cases
        .iter()
        .zip(labels(&cases))
        .filter(|(case, _)| picker.can_choose(case))
        .map(|(case, label)| {
            let (id, value) = (visible_name(&case.eval_id), format!("case:{}", case.index));
            view! { <option value=value title=id>{label}</option> }
        })
        .collect();
    let name = picker.other.with(|it| it.as_ref().map(|it| it.name.clone()));
    let is_other = name.is_some();
    let of = name.unwrap_or_else(|| "This set".to_owned());
    view! {
        {(!cases.is_empty()).then(|| view! { <optgroup label=of>{cases}</optgroup> })}
        {is_other.then(|| view! { <option value="set:">"Cases in this set…"</option> })}
    }
}

fn set_options(picker: PickerState) -> impl IntoView {
    let sets = picker.other_sets.get();
    let option = |(at, (_, name)): (usize, (SetId, String))| {
        view! { <option value=format!("set:{at}")>{name} "…"</option> }
    };
    (!sets.is_empty()).then(|| {
        view! {
            <optgroup label="Another set">
                {sets.into_iter().enumerate().map(option).collect_view()}
            </optgroup>
        }
    })
}

fn case_name(set: &SetId, case: &CaseSummary) -> CaseName {
    let at = case.repeats.then_some(case.index);
    CaseName { set: set.clone(), eval_id: case.eval_id.clone(), at }
}

/// The options' labels: each case's user message, with its id where several have the same message.
fn labels(cases: &[CaseSummary]) -> Vec<String> {
    let words: Vec<String> = cases
        .iter()
        .map(|case| visible_text(&case.query.trim().chars().take(WORDS).collect::<String>()))
        .collect();
    let mut times = std::collections::HashMap::<&str, usize>::new();
    for words in &words {
        *times.entry(words).or_default() += 1;
    }
    let label = |(case, query): (&CaseSummary, &String)| {
        let id = case_label(&case.eval_id, case.repeats.then_some(case.index));
        match query.as_str() {
            "" => id,
            query if case.repeats || times.get(query).is_some_and(|times| *times > 1) => {
                format!("{query} · {id}")
            }
            query => query.to_owned(),
        }
    };
    cases.iter().zip(&words).map(label).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_queries_are_labeled_with_their_ids() {
        let case = |index, eval_id: &str, query: &str, repeats| CaseSummary {
            index,
            eval_id: eval_id.to_owned(),
            name: None,
            query: query.to_owned(),
            turns: 1,
            tools: Vec::new(),
            calls: 0,
            tags: Vec::new(),
            fault: None,
            repeats,
        };
        let long = "x".repeat(WORDS + 1);
        let cases = [
            case(0, "a", "Hello?", false),
            case(2, "b", " ", false),
            case(3, "c", "Again?", false),
            case(4, "d", " Again? ", false),
            case(7, "e", "Once?", true),
            case(9, "e", "", true),
            case(10, "f", &long, false),
            case(11, "g\u{202e}", "", false),
            case(12, "h", "Pay \u{202e}evil", false),
        ];
        let long = "x".repeat(WORDS);
        let expected = ["Hello?", "b", "Again? · c", "Again? · d", "Once? · e #7", "e #9", &long];
        let expected = [&expected[..], &["g\\u202e", "Pay \\u202eevil"]].concat();
        assert_eq!(labels(&cases), expected);
    }
}
