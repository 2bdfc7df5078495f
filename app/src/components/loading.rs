//! The placeholder of a view while its code or data loads.

use leptos::prelude::*;

use crate::lazy_pages::LazyPart;

/// What `draw` makes of what arrives; until then a line that says what is awaited, and where it
/// fails the reason.
#[component]
pub fn Loading<T, E>(
    /// What has arrived so far. Tracked.
    arrived: impl Fn() -> Option<Result<T, E>> + Send + Sync + 'static,
    /// The text shown until then.
    meanwhile: &'static str,
    /// Draws what has arrived.
    draw: impl Fn(T) -> AnyView + Send + Sync + 'static,
    /// Asks for it again, where that may help.
    #[prop(optional, into)]
    retry: Option<Callback<()>>,
) -> impl IntoView
where
    T: 'static,
    E: ToString + 'static,
{
    move || match arrived() {
        Some(Ok(arrived)) => draw(arrived),
        Some(Err(error)) => failed(error.to_string(), retry),
        None => view! { <p class="quiet veil">{meanwhile}</p> }.into_any(),
    }
}

fn failed(reason: String, retry: Option<Callback<()>>) -> AnyView {
    let again = retry.map(|retry| {
        view! { <button type="button" class="button" on:click=move |_| retry.run(())>"Try again"</button> }
    });
    view! { <div class="empty centred" role="alert"><p>{reason}</p>{again}</div> }.into_any()
}

/// What `draw` makes of the views of `part`, which is fetched unless it is here.
#[component]
pub fn LazyView<V>(
    /// The part of the code.
    part: LazyPart<V>,
    /// The text shown meanwhile.
    meanwhile: &'static str,
    /// Draws with the views.
    draw: impl Fn(V) -> AnyView + Send + Sync + 'static,
) -> impl IntoView
where
    V: Copy + Send + Sync + 'static,
{
    Effect::new(move |_| part.fetch());
    view! { <Loading arrived=move || part.views() meanwhile draw retry=move |()| part.fetch()/> }
}
