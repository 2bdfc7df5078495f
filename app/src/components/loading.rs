//! The placeholder of a view while its code or data loads.

use leptos::prelude::*;

use crate::state::lazy_pages::LazyPart;

/// Draws what has arrived. Until then it shows a placeholder, and the reason when it cannot arrive.
#[component]
pub fn Loading<T, E>(
    /// What has arrived so far. Tracked.
    arrived: impl Fn() -> Option<Result<T, E>> + Send + Sync + 'static,
    /// The text of the placeholder.
    meanwhile: &'static str,
    /// Draws what has arrived.
    draw: impl Fn(T) -> AnyView + Send + Sync + 'static,
    /// Draws the error. By default its message is shown as an alert.
    #[prop(optional, into)]
    draw_error: Option<Callback<E, AnyView>>,
    /// Requests it again, for the button of the default alert; without it there is no button.
    #[prop(optional, into)]
    retry: Option<Callback<()>>,
) -> impl IntoView
where
    T: 'static,
    E: ToString + 'static,
{
    move || match (arrived(), draw_error) {
        (None, _) => view! { <p class="quiet veil">{meanwhile}</p> }.into_any(),
        (Some(Ok(arrived)), _) => draw(arrived),
        (Some(Err(error)), Some(draw_error)) => draw_error.run(error),
        (Some(Err(error)), None) => failed(error.to_string(), retry),
    }
}

fn failed(reason: String, retry: Option<Callback<()>>) -> AnyView {
    let again = retry.map(|retry| {
        view! { <button type="button" class="button" on:click=move |_| retry.run(())>"Retry"</button> }
    });
    view! { <div class="empty centred" role="alert"><p>{reason}</p>{again}</div> }.into_any()
}

/// Draws with the views of `part`, which is fetched unless it is loaded.
#[component]
pub fn LazyView<V>(
    /// The part of the code.
    part: LazyPart<V>,
    /// The text of the placeholder.
    meanwhile: &'static str,
    /// Draws with the views.
    draw: impl Fn(V) -> AnyView + Send + Sync + 'static,
) -> impl IntoView
where
    V: Copy + Send + Sync + 'static,
{
    // Fetching is a request to the host, which only the browser makes.
    Effect::new(move |_| part.fetch());
    view! { <Loading arrived=move || part.views() meanwhile draw retry=move |()| part.fetch()/> }
}
