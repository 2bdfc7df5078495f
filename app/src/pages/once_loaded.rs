//! The wait for the scenes, which the browser fetches when they are wanted.

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::scene::{self, NotLoaded, Scenes};

/// What `draw` makes of the scenes, once they are there.
pub(super) fn once_loaded(
    meanwhile: &'static str,
    draw: impl Fn(Scenes) -> AnyView + Send + Sync + 'static,
) -> impl IntoView {
    let scenes = RwSignal::new(None::<Result<Scenes, NotLoaded>>);
    let load = move || {
        spawn_local(async move {
            let loaded = scene::load().await;
            // The person may be on another page by now.
            scenes.try_set(Some(loaded));
        });
    };
    Effect::new(move |_| load());
    move || match scenes.get() {
        Some(Ok(scenes)) => draw(scenes),
        Some(Err(error)) => view! {
            <div class="empty centred" role="alert">
                <p>{error.to_string()}</p>
                <button type="button" class="button" on:click=move |_| load()>"Try again"</button>
            </div>
        }
        .into_any(),
        None => view! { <p class="quiet veil">{meanwhile}</p> }.into_any(),
    }
}
