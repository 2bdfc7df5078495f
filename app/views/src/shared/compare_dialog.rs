//! [`CompareWithCase`]: compares a rehearsal or a live session with a case, in a dialog.

use api::{Actual, ApiError, CaseList, CaseName, CaseQuery, SetId};
use leptos::prelude::*;

use crate::shared::comparison::{Comparison, case_label};
use crate::shared::state::debounced::use_debounced;
use api::host::list_cases;
use app::components::dialog::Dialog;
use app::components::filter_box::FilterBox;
use app::components::icon::{Glyph, Icon};
use app::components::loading::Loading;

/// How many cases can be chosen from at most.
const MOST: u64 = 500;

/// A case of the set: its id, and its position in the file where other cases share it.
type Named = (String, Option<u64>);

/// A button that opens the comparison.
#[component]
pub fn CompareWithCase(
    /// The set whose cases can be chosen.
    set: SetId,
    /// What is compared; called when a case is chosen.
    actual: Callback<(), Actual>,
    /// The case that was rehearsed again, if any.
    #[prop(default = None)]
    replayed: Option<Named>,
) -> impl IntoView {
    let open = RwSignal::new(false);
    let is_open = Memo::new(move |_| open.get());
    let chosen = RwSignal::new(replayed);
    let set = StoredValue::new(set);
    view! {
        <button type="button" class="button quiet" title="Compare with a case…" aria-label="Compare with a case…" on:click=move |_| open.set(true)>
            "Compare…"
        </button>
        <Dialog open=is_open on_close=move |()| open.set(false) label="Compare with a case" class="comparing">
            {move || match chosen.get() {
                Some((eval_id, at)) => {
                    let expected = CaseName { set: set.get_value(), eval_id, at };
                    view! {
                        <Comparison
                            expected
                            actual=actual.run(())
                            revision=RwSignal::new(0)
                            close=Callback::new(move |()| open.set(false))
                            back="Close"
                        />
                        <footer class="panel-foot">
                            <button type="button" class="button quiet" on:click=move |_| chosen.set(None)>"Choose another case"</button>
                        </footer>
                    }
                    .into_any()
                }
                None => view! { <Choice set=set.get_value() chosen open/> }.into_any(),
            }}
        </Dialog>
    }
}

#[component]
fn Choice(
    /// The set.
    set: SetId,
    /// The chosen case.
    chosen: RwSignal<Option<Named>>,
    /// Whether the dialog is open.
    open: RwSignal<bool>,
) -> impl IntoView {
    let searched = RwSignal::new(String::new());
    let wanted = use_debounced(searched);
    let set = StoredValue::new(set);
    let cases = LocalResource::new(move || {
        let asked = CaseQuery { searched: wanted.get(), most: MOST, ..CaseQuery::default() };
        list_cases(set.get_value(), asked)
    });
    let draw_error = |error: ApiError| {
        view! { <p class="field-fault veil" role="alert">{error.to_string()}</p> }.into_any()
    };
    let draw = move |list: CaseList| match list.all {
        0 => view! {
            <p class="quiet veil">"The eval set has no cases to compare with."</p>
        }
        .into_any(),
        _ => {
            let known = list.cases.into_iter().filter(|case| !case.eval_id.is_empty());
            let each = known.map(|case| {
                let id = case.eval_id.clone();
                let at = case.repeats.then_some(case.index);
                let title = if case.query.trim().is_empty() { id.clone() } else { case.query };
                view! {
                    <li>
                        <button type="button" on:click=move |_| chosen.set(Some((id.clone(), at)))>
                            <span class="case-title">{title}</span>
                            <span class="case-tools">{case_label(&case.eval_id, at)}</span>
                        </button>
                    </li>
                }
            });
            view! { <ul class="cases" aria-label="Cases">{each.collect_view()}</ul> }.into_any()
        }
    };
    view! {
        <header class="toolbar">
            <h2>"Compare with"</h2>
            <span class="grow"></span>
            <button type="button" class="button" on:click=move |_| open.set(false)>
                <Icon glyph=Glyph::Close/> "Close"
            </button>
        </header>
        <div class="comparing-choice">
            <FilterBox searched placeholder="Filter cases" autofocus=true/>
            <Loading arrived=move || cases.get() meanwhile="Loading the eval set…" draw draw_error/>
        </div>
    }
}
