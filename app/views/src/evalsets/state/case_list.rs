//! [`CaseListState`]: the cases of an eval set that are listed, a page at a time.

use api::{ApiError, CaseList, CaseOrder, CaseQuery, CaseSummary, EvalSetContents, SetId};
use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::query_signal_with_options;

use crate::shared::state::debounced::use_debounced;
use api::host::list_cases;
use app::state::base_path::unresolved;

/// How many cases a page of the list has.
pub const PAGE: u64 = 200;

/// Which page of the list is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListPage {
    /// The page that begins with the case at this position among those that match.
    From(u64),
    /// The page that contains the case at this position in the file.
    Holding(u64),
}

/// The listed cases, and what filters and orders them.
#[derive(Clone, Copy)]
pub struct CaseListState {
    /// The last loaded page; `None` until the first one arrives.
    pub listed: Memo<Option<Result<CaseList, ApiError>>>,
    /// The text that filters the cases.
    pub searched: RwSignal<String>,
    /// The order of the cases, which the address names.
    pub order: Memo<CaseOrder>,
    /// Called with the order's name in the address; `None` for the file's order.
    pub set_order: Callback<Option<String>>,
    /// Which page is shown.
    pub page: RwSignal<ListPage>,
}

/// Lists the cases of `set`, again after each change that `revision` counts.
#[must_use]
pub fn use_case_list(set: SetId, revision: RwSignal<u64>) -> CaseListState {
    let searched = RwSignal::new(String::new());
    let page = RwSignal::new(ListPage::From(0));
    let wanted = use_debounced(searched);
    let in_place = NavigateOptions { replace: true, scroll: false, ..unresolved() };
    let (sort, set_sort) = query_signal_with_options::<String>("sort", in_place);
    let order = Memo::new(move |_| sort.get().map_or(CaseOrder::File, |it| CaseOrder::parse(&it)));
    let set_order = Callback::new(move |name| set_sort.set(name));
    let cases = LocalResource::new(move || {
        revision.track();
        let (skipped, holding) = match page.get() {
            ListPage::From(skipped) => (skipped, None),
            ListPage::Holding(index) => (0, Some(index)),
        };
        let (searched, order) = (wanted.get(), order.get());
        list_cases(set.clone(), CaseQuery { searched, order, skipped, most: PAGE, holding })
    });
    // Another filter or order starts at its first page; the reader turns pages by the same signal.
    Effect::new(move |was: Option<(String, CaseOrder)>| {
        let is = (wanted.get(), order.get());
        if was.is_some_and(|was| was != is) {
            page.set(ListPage::From(0));
        }
        is
    });
    // The last page stays while the next one loads.
    let listed = Memo::new(move |last: Option<&Option<Result<CaseList, ApiError>>>| {
        cases.get().or_else(|| last.cloned().flatten())
    });
    CaseListState { listed, searched, order, set_order, page }
}

impl CaseListState {
    /// Calls `look` with the loaded page; `None` until one is loaded without an error. Tracked.
    pub fn with_list<T>(self, look: impl FnOnce(&CaseList) -> T) -> Option<T> {
        self.listed.with(|list| Some(look(list.as_ref()?.as_ref().ok()?)))
    }

    /// Whether there is a file whose cases can be listed. Tracked.
    #[must_use]
    pub fn has_file(self) -> bool {
        self.with_list(|list| list.set.contents != EvalSetContents::Nothing).unwrap_or_default()
    }

    /// The position in the file of the case with this id, and whether other cases share the id; `None`
    /// when it is not on the page. `at` chooses among those that share it. Untracked.
    #[must_use]
    pub fn position_of(self, eval_id: &str, at: Option<u64>) -> Option<(u64, bool)> {
        let is_it =
            |case: &&CaseSummary| case.eval_id == eval_id && at.is_none_or(|at| case.index == at);
        untrack(|| {
            self.with_list(|list| {
                list.cases.iter().find(is_it).map(|case| (case.index, case.repeats))
            })
        })
        .flatten()
    }

    /// Turns to the page that contains the case at `place`, when that becomes another one.
    pub fn follow(self, place: Memo<Option<u64>>) {
        let has_file = Memo::new(move |_| self.has_file());
        // The reader may turn to another page afterwards, so that the page is not derived.
        Effect::new(move |was: Option<Option<u64>>| {
            let is = place.get().filter(|_| has_file.get());
            if let Some(index) = is
                && was.flatten() != is
                && untrack(|| {
                    self.with_list(|list| list.cases.iter().all(|case| case.index != index))
                }) == Some(true)
            {
                self.page.set(ListPage::Holding(index));
            }
            is
        });
    }
}
