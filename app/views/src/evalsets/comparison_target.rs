//! [`ComparisonTarget`]: the case to compare with, which the address names.

use api::{CaseName, SetId};
use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::query_signal_with_options;

use app::state::base_path::unresolved;
use app::state::case_address::{escaped, unescaped};

/// The case to compare with. It is in the address, so that a link opens the comparison.
#[derive(Clone, Copy)]
pub(super) struct ComparisonTarget {
    /// The case; `None` while nothing is compared.
    pub(super) case: Memo<Option<CaseName>>,
    /// Compares with a case; `None` ends the comparison.
    pub(super) choose: Callback<Option<CaseName>>,
}

/// The case to compare with on the page of `set`: `?against=`, with `?against_at=` where other cases
/// share that id, and `?of=` where it is in another set.
pub(super) fn use_comparison_target(set: SetId) -> ComparisonTarget {
    let options = || NavigateOptions { scroll: false, ..unresolved() };
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
    ComparisonTarget { case, choose }
}
