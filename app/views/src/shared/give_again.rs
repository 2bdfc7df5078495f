//! [`GivingAgain`]: opens a recorded case as a run, to fork it, or lets the model try it.

use std::future::Future;

use api::{ApiError, CaseRunId, ForkRequest, RecordedRequest};
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos_router::NavigateOptions;
use leptos_router::hooks::use_navigate;

use super::run_address::{case_address, run_address};
use api::host::{give_again, start_fork};
use app::state::base_path::unresolved;
use app::state::excerpt::visible_text;

/// The step after the user's first message: the first response of the model.
const FIRST_RESPONSE: usize = 2;

type Go = std::sync::Arc<dyn Fn(&str, NavigateOptions)>;

/// A recorded case that is being given again. Copies share its signals.
#[derive(Clone, Copy)]
pub struct GivingAgain {
    is_sent: RwSignal<bool>,
    fault: RwSignal<Option<String>>,
    go: StoredValue<Go, LocalStorage>,
}

/// Nothing is given again yet.
pub fn use_giving_again() -> GivingAgain {
    let go: Go = std::sync::Arc::new(use_navigate());
    GivingAgain {
        is_sent: RwSignal::new(false),
        fault: RwSignal::new(None),
        go: StoredValue::new_local(go),
    }
}

impl GivingAgain {
    /// Whether the host is at it.
    pub fn is_sent(self) -> bool {
        self.is_sent.get()
    }

    /// Gives the case again and opens its result, from which it forks.
    pub fn open(self, request: impl Future<Output = Result<RecordedRequest, ApiError>> + 'static) {
        self.begin(async move {
            let id = give_again(request.await?).await?;
            Ok(case_address(&id, false, None))
        });
    }

    /// Lets the models of the agent do the whole case, `times` times, and opens what they did.
    pub fn let_try(
        self,
        request: impl Future<Output = Result<RecordedRequest, ApiError>> + 'static,
        times: u32,
    ) {
        self.begin(async move {
            let of = give_again(request.await?).await?;
            let fork = start_fork(from_first_response(of, times)).await?;
            Ok(run_address(fork.with.run))
        });
    }

    /// Goes to the address that `give` finds, unless another one is looked for already.
    fn begin(self, give: impl Future<Output = Result<String, ApiError>> + 'static) {
        if self.is_sent.get_untracked() {
            return;
        }
        self.is_sent.set(true);
        self.fault.set(None);
        spawn_local(async move {
            let given = give.await;
            // The page may be gone.
            if self.is_sent.try_set(false).is_some() {
                return;
            }
            match given {
                Ok(address) => self.go.with_value(|go| go(&address, unresolved())),
                Err(error) => self.fault.set(Some(error.to_string())),
            }
        });
    }
}

fn from_first_response(of: CaseRunId, times: u32) -> ForkRequest {
    ForkRequest {
        of,
        step: FIRST_RESPONSE,
        edit: None,
        changes: None,
        then: None,
        times,
        tools: Vec::new(),
        by_person: false,
    }
}

/// That the host gives a case again, or why it did not.
#[component]
pub fn GivenAgain(
    /// The case.
    giving: GivingAgain,
) -> impl IntoView {
    move || match (giving.is_sent.get(), giving.fault.get()) {
        (true, _) => {
            view! { <p class="quiet report-line" role="status">"Giving the case again…"</p> }
                .into_any()
        }
        (false, Some(fault)) => {
            view! { <p class="field-fault report-line" role="alert">{visible_text(&fault)}</p> }
                .into_any()
        }
        (false, None) => ().into_any(),
    }
}
