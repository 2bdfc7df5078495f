//! [`AudioPlayer`]: plays audio in the page, or shows why it cannot be played.

use leptos::prelude::*;

use app::state::connection::Link;
use app::state::page::use_page;

/// How the load of a file from the host went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Load {
    /// It is loading or loaded.
    Fine,
    /// The host was not available.
    Lost,
    /// It was loaded, and the browser cannot show it.
    Broken,
}

/// What `draw` draws, or the reason why it cannot be shown. `draw` gets the function to call on failure.
/// It is drawn again once the host is available again. `what` is a noun and a verb: `["image", "show"]`.
pub fn or_load_error(
    what: [&'static str; 2],
    draw: impl Fn(Callback<()>) -> AnyView + Send + 'static,
) -> impl Fn() -> AnyView + Send + 'static {
    let load = RwSignal::new(Load::Fine);
    let link = use_page().connection.link;
    // Draws again after a lost connection, even a broken file: the page may learn of the lost connection
    // after the failed load.
    Effect::new(move |_| {
        if link.get() == Link::Connected && load.get_untracked() != Load::Fine {
            load.set(Load::Fine);
        }
    });
    let fail = Callback::new(move |()| {
        let is_there = link.get_untracked() == Link::Connected;
        load.set(if is_there { Load::Broken } else { Load::Lost });
    });
    let [noun, verb] = what;
    move || {
        let why = match load.get() {
            Load::Fine => return draw(fail),
            Load::Lost => format!("This {noun} loads when the host is available again."),
            Load::Broken => format!(
                "The browser cannot {verb} this {noun}. It is damaged or has an unknown type."
            ),
        };
        view! { <p class="doubt">{why}</p> }.into_any()
    }
}

/// The browser's own audio player.
#[component]
pub fn AudioPlayer(
    /// The URL of the audio.
    url: String,
    /// What it is, for screen readers.
    label: String,
) -> impl IntoView {
    or_load_error(["audio", "play"], move |fail| {
        view! {
            <audio controls=true src=url.clone() aria-label=label.clone() on:error=move |_| fail.run(())></audio>
        }
        .into_any()
    })
}
