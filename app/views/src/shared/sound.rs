//! [`Sound`]: a sound that is played in place, or the word that it cannot be.

use leptos::prelude::*;

use app::state::connection::Link;
use app::state::page::use_page;

/// How something comes from the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Coming {
    /// It comes, or it has.
    Fine,
    /// The host was not there.
    Lost,
    /// It is there, and nothing that the browser can show.
    Broken,
}

/// What `draw` draws, or the word why there is nothing: what fails calls the function that `draw` is
/// given. Once the host is there again it is tried again. `what` is a noun and what the browser does
/// with it.
pub fn or_why(
    what: [&'static str; 2],
    draw: impl Fn(Callback<()>) -> AnyView + Send + 'static,
) -> impl Fn() -> AnyView + Send + 'static {
    let coming = RwSignal::new(Coming::Fine);
    let link = use_page().connection.link;
    // Also what seemed broken: the page hears of a lost host a little later than what it fetches.
    Effect::new(move |_| {
        if link.get() == Link::Connected && coming.get_untracked() != Coming::Fine {
            coming.set(Coming::Fine);
        }
    });
    let fail = Callback::new(move |()| {
        let is_there = link.get_untracked() == Link::Connected;
        coming.set(if is_there { Coming::Broken } else { Coming::Lost });
    });
    let [noun, verb] = what;
    move || {
        let why = match coming.get() {
            Coming::Fine => return draw(fail),
            Coming::Lost => format!("This {noun} loads when the host is available again."),
            Coming::Broken => format!(
                "The browser cannot {verb} this {noun}. It is damaged or has an unknown type."
            ),
        };
        view! { <p class="doubt">{why}</p> }.into_any()
    }
}

/// The browser's own player.
#[component]
pub fn Sound(
    /// The sound, as a URL that carries it.
    url: String,
    /// What it is, for those who hear the page.
    label: String,
) -> impl IntoView {
    or_why(["sound", "play"], move |fail| {
        view! {
            <audio controls=true src=url.clone() aria-label=label.clone() on:error=move |_| fail.run(())></audio>
        }
        .into_any()
    })
}
