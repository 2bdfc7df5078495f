//! The case that another is compared with: the address names it, a list offers those there are.

use api::{ApiError, CaseName, CaseSummary, CasesAsked, EvalSetContents, EvalSetSummary, SetId};
use leptos::ev::Event;
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos_router::NavigateOptions;
use leptos_router::hooks::query_signal_with_options;

use crate::shared::comparison::case_label;
use app::server_functions::{list_cases, list_eval_sets, read_case};
use app::state::case_address::{escaped, unescaped};

/// How many characters of what the user asks stand in an option.
const WORDS: usize = 60;
/// The menu.
pub(super) const CHOOSER_ID: &str = "compare-with";
/// So many cases of another set are offered.
const MOST: u64 = 500;

/// The other side of a comparison, which the address names so that a link leads to it.
#[derive(Clone, Copy)]
pub(super) struct Against {
    /// The case; none while nothing is compared. Tracked.
    pub(super) case: Memo<Option<CaseName>>,
    /// Compares with that case, or with `None` with none any more.
    pub(super) choose: Callback<Option<CaseName>>,
}

/// The other side of a comparison on the page of `set`: `?against=`, `?against_at=` where others have
/// that id, and `?of=` where it is of another set.
pub(super) fn use_against(set: SetId) -> Against {
    let options = || NavigateOptions { scroll: false, ..NavigateOptions::default() };
    let (eval_id, set_eval_id) = query_signal_with_options::<String>("against", options());
    let (at, set_at) = query_signal_with_options::<u64>("against_at", options());
    let (of, set_of) = query_signal_with_options::<String>("of", options());
    let own = set.clone();
    let case = Memo::new(move |_| {
        let set = || of.get().map_or_else(|| set.clone(), SetId::new);
        let eval_id = unescaped(&eval_id.get()?);
        Some(CaseName { set: set(), eval_id, at: at.get() })
    });
    let choose = Callback::new(move |chosen: Option<CaseName>| {
        let of = chosen.as_ref().map(|case| &case.set).filter(|set| **set != own);
        let of = of.map(ToString::to_string);
        let (eval_id, at) = chosen.map_or((None, None), |case| (Some(case.eval_id), case.at));
        set_eval_id.set(eval_id.map(|it| escaped(&it)));
        set_at.set(at);
        set_of.set(of);
    });
    Against { case, choose }
}

/// The cases of another set that can be chosen.
#[derive(Debug, Clone, PartialEq)]
struct Elsewhere {
    set: SetId,
    name: String,
    cases: Vec<CaseSummary>,
    /// The text shown with them.
    status: String,
}

/// Looks into another set: for the case of this id, else for those there are.
async fn look_into(set: SetId, name: String, own_id: &str) -> Result<OtherSet, ApiError> {
    let twin = match own_id {
        "" => Err(ApiError::UnknownCase { eval_id: String::new() }),
        own_id => read_case(set.clone(), own_id.to_owned(), 0).await,
    };
    match twin {
        Ok(twin) => return Ok(OtherSet::Twin(CaseName { set, eval_id: twin.eval_id, at: None })),
        Err(ApiError::UnknownCase { .. }) => {}
        Err(error) => return Err(error),
    }
    let asked = CasesAsked { most: MOST, ..CasesAsked::default() };
    let list = list_cases(set.clone(), asked).await?;
    let status = match list.fault {
        Some(fault) => fault,
        None if list.cases.is_empty() => format!("{name} has no cases."),
        None if list.all > MOST => {
            format!("{name} has no case with this ID. Choose one of its first {MOST}.")
        }
        None => format!("{name} has no case with this ID. Choose another."),
    };
    Ok(OtherSet::Others(Elsewhere { set, name, cases: list.cases, status }))
}

/// What another set has to compare with.
enum OtherSet {
    /// The case of the same id.
    Twin(CaseName),
    /// Others.
    Others(Elsewhere),
}

/// Chooses the case to compare with: of this set, or of another, where the one of the same id is meant
/// if there is one.
#[component]
pub(super) fn AgainstChooser(
    /// The set.
    set: SetId,
    /// Its cases.
    cases: Memo<Vec<CaseSummary>>,
    /// The place of the case that is shown.
    own: u64,
    /// Its id.
    own_id: String,
    /// Called with the chosen case.
    on_choose: Callback<Option<CaseName>>,
) -> impl IntoView {
    let elsewhere = RwSignal::new(None::<Elsewhere>);
    let fault = RwSignal::new(None::<String>);
    // What was asked before is not waited for any more.
    let asked = RwSignal::new(0_u64);
    let (here, own_id) = (StoredValue::new(set), StoredValue::new(own_id));
    let sets = LocalResource::new(list_eval_sets);
    let others = Memo::new(move |_| {
        let sets = sets.get().and_then(Result::ok).map(|list| list.sets).unwrap_or_default();
        let is_other = |other: &EvalSetSummary| {
            other.set != here.get_value() && matches!(other.contents, EvalSetContents::File { .. })
        };
        let others = sets.into_iter().filter(is_other);
        others.map(|other| (other.set, other.name)).collect::<Vec<_>>()
    });
    let look = move |set: SetId, name: String| {
        asked.update(|asked| *asked += 1);
        let number = asked.get_untracked();
        spawn_local(async move {
            let found = look_into(set, name, &own_id.get_value()).await;
            // Another case may be shown, or another set chosen, meanwhile.
            if asked.try_get_untracked() != Some(number) {
                return;
            }
            match found {
                Ok(OtherSet::Twin(twin)) => on_choose.run(Some(twin)),
                Ok(OtherSet::Others(others)) => elsewhere.set(Some(others)),
                Err(error) => fault.set(Some(error.to_string())),
            }
        });
    };
    let offered = move || match elsewhere.get() {
        Some(elsewhere) => elsewhere.cases,
        None => cases.get(),
    };
    // A case is not compared with itself.
    let is_other = move |case: &CaseSummary| {
        !case.eval_id.is_empty() && (elsewhere.read_untracked().is_some() || case.index != own)
    };
    let choose = move |event: Event| {
        let value = event_target_value(&event);
        // It is a menu: what was chosen shows beside it.
        event_target::<web_sys::HtmlSelectElement>(&event).set_value("");
        fault.set(None);
        match value.split_once(':') {
            Some(("case", place)) => {
                let set = elsewhere.with_untracked(|it| it.as_ref().map(|it| it.set.clone()));
                let set = set.unwrap_or_else(|| here.get_value());
                let cases = untrack(offered);
                let case = cases.iter().find(|case| place == case.index.to_string());
                if let Some(case) = case {
                    on_choose.run(Some(named(&set, case)));
                }
            }
            Some(("set", place)) => {
                let sets = others.get_untracked();
                let chosen = place.parse::<usize>().ok().and_then(|at| sets.get(at).cloned());
                match chosen {
                    Some((set, name)) => look(set, name),
                    None => elsewhere.set(None),
                }
            }
            _ => {}
        }
    };
    let is_shown = Memo::new(move |_| !others.read().is_empty() || offered().iter().any(is_other));
    let options = move || {
        let cases = offered();
        let cases: Vec<_> = cases
            .iter()
            .zip(labels(&cases))
            .filter(|(case, _)| is_other(case))
            .map(|(case, label)| {
                let (id, value) = (case.eval_id.clone(), format!("case:{}", case.index));
                view! { <option value=value title=id>{label}</option> }
            })
            .collect();
        let name = elsewhere.with(|it| it.as_ref().map(|it| it.name.clone()));
        let is_elsewhere = name.is_some();
        let of = name.unwrap_or_else(|| "This set".to_owned());
        view! {
            {(!cases.is_empty()).then(|| view! { <optgroup label=of>{cases}</optgroup> })}
            {is_elsewhere.then(|| view! { <option value="set:">"Cases of this set…"</option> })}
        }
    };
    let sets = move || {
        let sets = others.get();
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
    };
    let title = move || match &*elsewhere.read() {
        None => "Compare with…".to_owned(),
        Some(elsewhere) => format!("Choose from {}…", elsewhere.name),
    };
    view! {
        <Show when=move || is_shown.get()>
            <select class="button quiet against" id=CHOOSER_ID aria-label="Compare with another case" on:change=choose>
                <option value="">{title}</option>
                {options}
                {sets}
            </select>
        </Show>
        <span class="quiet" role="status">{move || elsewhere.get().map(|elsewhere| elsewhere.status)}</span>
        {move || fault.get().map(|fault| view! { <p class="field-fault" role="alert">{fault}</p> })}
    }
}

fn named(set: &SetId, case: &CaseSummary) -> CaseName {
    let at = case.repeats.then_some(case.index);
    CaseName { set: set.clone(), eval_id: case.eval_id.clone(), at }
}

/// What each case is called in the list: what the user asks, with what tells it from another that
/// asks the same.
fn labels(cases: &[CaseSummary]) -> Vec<String> {
    let words: Vec<String> = cases
        .iter()
        .map(|case| case.query.trim().chars().take(WORDS).collect::<String>())
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
        ];
        let expected =
            ["Hello?", "b", "Again? · c", "Again? · d", "Once? · e #7", "e #9", &"x".repeat(WORDS)];
        assert_eq!(labels(&cases), expected);
    }
}
