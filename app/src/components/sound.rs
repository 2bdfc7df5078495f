//! [`Sound`]: a sound that is played in place, or the word that it cannot be.

use leptos::prelude::*;

/// The browser's own player.
#[component]
pub fn Sound(
    /// The sound, as a URL that carries it.
    url: String,
    /// What it is, for those who hear the page.
    label: String,
) -> impl IntoView {
    let is_broken = RwSignal::new(false);
    move || {
        if is_broken.get() {
            let said = "The browser cannot play this sound: it is damaged, or of a kind that it does not \
                        know.";
            return view! { <p class="doubt">{said}</p> }.into_any();
        }
        let fail = move |_| is_broken.set(true);
        view! { <audio controls=true src=url.clone() aria-label=label.clone() on:error=fail></audio> }
            .into_any()
    }
}
