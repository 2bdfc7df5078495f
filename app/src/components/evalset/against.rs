//! The case that another is compared with: the address names it, a list offers those there are.

use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::query_signal_with_options;

use crate::api::{CaseName, CaseSummary, SetId};

/// How many characters of what the user asks stand in an option.
const WORDS: usize = 60;

/// A case of the set that is shown: its id, and its place where others have that id.
pub(super) type Named = (String, Option<u64>);

/// The other side of a comparison, which the address names so that a link leads to it.
#[derive(Clone, Copy)]
pub(super) struct Against {
    /// The case; none while nothing is compared. Tracked.
    pub(super) case: Memo<Option<CaseName>>,
    /// Compares with that case, or with `None` with none any more.
    pub(super) choose: Callback<Option<Named>>,
}

/// The other side of a comparison on the page of `set`: `?against=`, `?against_at=` where others have
/// that id, and `?of=` where it is of another set.
pub(super) fn use_against(set: SetId) -> Against {
    let options = || NavigateOptions { scroll: false, ..NavigateOptions::default() };
    let (eval_id, set_eval_id) = query_signal_with_options::<String>("against", options());
    let (at, set_at) = query_signal_with_options::<u64>("against_at", options());
    let (of, set_of) = query_signal_with_options::<String>("of", options());
    let case = Memo::new(move |_| {
        let set = || of.get().map_or_else(|| set.clone(), SetId::new);
        eval_id.get().map(|eval_id| CaseName { set: set(), eval_id, at: at.get() })
    });
    let choose = Callback::new(move |chosen: Option<Named>| {
        let (eval_id, at) = chosen.map_or((None, None), |(eval_id, at)| (Some(eval_id), at));
        set_eval_id.set(eval_id);
        set_at.set(at);
        // What is chosen here is of this set.
        set_of.set(None);
    });
    Against { case, choose }
}

/// Chooses the case to compare with.
#[component]
pub(super) fn AgainstChooser(
    /// The cases of the set.
    cases: Vec<CaseSummary>,
    /// The place of the case that is shown.
    own: u64,
    /// Told which one was chosen.
    on_choose: Callback<Option<Named>>,
) -> impl IntoView {
    let labels = labels(&cases);
    let others: Vec<_> = cases
        .into_iter()
        .zip(labels)
        .filter(|(case, _)| case.index != own && !case.eval_id.is_empty())
        .collect();
    if others.is_empty() {
        return ().into_any();
    }
    let options: Vec<_> = others
        .iter()
        .map(|(case, label)| {
            let (id, label) = (case.eval_id.clone(), label.clone());
            view! { <option value=case.index title=id>{label}</option> }
        })
        .collect();
    let chosen = move |place: u64| {
        let (case, _) = others.iter().find(|(case, _)| case.index == place)?;
        Some((case.eval_id.clone(), case.repeats.then_some(case.index)))
    };
    view! {
        <select
            class="button quiet against"
            aria-label="Compare with another case"
            on:change=move |event| {
                let place = event_target_value(&event).parse().ok();
                if let Some(case) = place.and_then(&chosen) {
                    on_choose.run(Some(case));
                }
            }
        >
            <option value="">"Compare with…"</option>
            {options}
        </select>
    }
    .into_any()
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
    let label = |(case, said): (&CaseSummary, &String)| {
        let id = called(&case.eval_id, case.repeats.then_some(case.index));
        match said.as_str() {
            "" => id,
            said if case.repeats || times.get(said).is_some_and(|times| *times > 1) => {
                format!("{said} · {id}")
            }
            said => said.to_owned(),
        }
    };
    cases.iter().zip(&words).map(label).collect()
}

/// A case by its id and, where others have that id, by its place in the file, as the command line
/// names it: `#3`.
pub(super) fn called(eval_id: &str, at: Option<u64>) -> String {
    match at {
        Some(at) => format!("{eval_id} #{at}"),
        None => eval_id.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_twice_is_told_apart() {
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
