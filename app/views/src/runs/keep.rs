//! Keeps a result as an eval case of its agent: the button, and what became of it.

use api::host::keep_result;
use api::{ApiError, CaseRunId, KeptResult};
use leptos::prelude::*;
use leptos::task::spawn_local;

use app::state::excerpt::{visible_name, visible_text};

/// What a page keeps. Copies share its signals.
#[derive(Clone, Copy)]
pub(super) struct Keeping {
    is_sent: RwSignal<bool>,
    answer: RwSignal<Option<Result<KeptResult, ApiError>>>,
}

/// Nothing is kept yet.
pub(super) fn use_keeping() -> Keeping {
    Keeping { is_sent: RwSignal::new(false), answer: RwSignal::new(None) }
}

impl Keeping {
    /// Keeps the result, unless another one is being kept.
    pub(super) fn keep(self, id: CaseRunId) {
        if self.is_sent.get_untracked() {
            return;
        }
        self.is_sent.set(true);
        spawn_local(async move {
            let answer = keep_result(id).await;
            // The page may be gone.
            if self.is_sent.try_set(false).is_none() {
                self.answer.set(Some(answer));
            }
        });
    }
}

/// The button that keeps a result.
#[component]
pub(super) fn KeepButton(
    /// What the page keeps.
    keeping: Keeping,
    /// The result.
    id: CaseRunId,
    /// The key that does the same, if there is one.
    #[prop(optional)]
    key: &'static str,
) -> impl IntoView {
    let label = format!("Keep {}, repeat {}, as a case", visible_name(&id.case), id.repeat);
    let keep = move |_| keeping.keep(id.clone());
    let is_sent = move || keeping.is_sent.get().to_string();
    view! {
        <button type="button" class="button quiet" title=label.clone() aria-label=label aria-disabled=is_sent on:click=keep>
            "Keep as case"
            {(!key.is_empty()).then(|| view! { " " <kbd>{key}</kbd> })}
        </button>
    }
}

/// The case that was kept last, or why it was not.
#[component]
pub(super) fn Kept(
    /// What the page keeps.
    keeping: Keeping,
) -> impl IntoView {
    let said = move || {
        keeping.answer.get().map(|answer| match answer {
            Ok(KeptResult { path, eval_id, is_new }) => {
                let lead = if is_new { "Kept as " } else { "Already kept as " };
                view! {
                    <span class="runs-kept">
                        {lead} <code>{visible_name(&eval_id)}</code> " in " <code>{visible_name(&path)}</code>
                    </span>
                }
                .into_any()
            }
            Err(error) => {
                view! { <span class="field-fault">{visible_text(&error.to_string())}</span> }.into_any()
            }
        })
    };
    view! { <span role="status">{said}</span> }
}
