//! The bars above and below every page.

use leptos::prelude::*;
use leptos_router::hooks::use_location;

use app::components::icon::{Glyph, Icon};
use app::state::base_path::{address, path_in};
use app::state::browser;
use app::state::theme::Choice;
use app::state::{Link, use_page};

/// The brand, the sections, and the buttons that every page has.
#[component]
pub fn TopBar() -> impl IntoView {
    let page = use_page();
    let location = use_location();
    let is_below = move |start: &str| path_in(&location.pathname.read()).starts_with(start);
    let rehearses = move || is_below("/rehearse") || path_in(&location.pathname.read()) == "/";
    let is_live = move || is_below("/live");
    let reads_eval_sets = move || is_below("/evalsets");
    let reads_runs = move || is_below("/runs");
    let reads_reports = move || is_below("/reports");
    let theme = page.theme;
    let glyph = move || match theme.choice.get() {
        Choice::System => view! { <Icon glyph=Glyph::System/> },
        Choice::Light => view! { <Icon glyph=Glyph::Light/> },
        Choice::Dark => view! { <Icon glyph=Glyph::Dark/> },
    };
    let label = move || format!("Theme: {}", theme.choice.get().label());
    view! {
        <header class="top">
            <a href=address("/") class="brand">
                <span class="mark" aria-hidden="true"></span>
                "Rehearsal"
            </a>
            <nav class="sections" aria-label="Sections">
                <a href=address("/") aria-current=move || rehearses().then_some("true")>"Rehearse"</a>
                <a href=address("/live") aria-current=move || is_live().then_some("true")>
                    "Live"
                    {move || page.live.badge().map(|count| view! { <span class="count">{count}<span class="unseen">" waiting"</span></span> })}
                </a>
                <a href=address("/evalsets") aria-current=move || reads_eval_sets().then_some("true")>"Eval sets"</a>
                <a href=address("/runs") aria-current=move || reads_runs().then_some("true")>"Runs"</a>
                <a href=address("/reports") aria-current=move || reads_reports().then_some("true")>"Reports"</a>
            </nav>
            <span class="grow"></span>
            {move || {
                let name = page.live.logged_in();
                name.filter(|_| page.connection.link.get() != Link::LoggedOut).map(|name| view! { <LoggedIn name/> })
            }}
            <button type="button" class="button quiet" on:click=move |_| page.palette.open.set(true)>
                <span class="jump">"Search or jump"</span>
                <kbd>"Ctrl K"</kbd>
            </button>
            <button
                type="button"
                class="button quiet square"
                title=label
                aria-label=label
                on:click=move |_| theme.choose(theme.choice.get_untracked().next())
            >
                {glyph}
            </button>
        </header>
    }
}

/// The name of the login, and the button that logs out.
#[component]
fn LoggedIn(
    /// The name that the host knows.
    name: String,
) -> impl IntoView {
    let rehearsals = use_page().rehearsals;
    view! {
        <form class="logged-in" method="post" action=address("/logout") on:submit=move |_| rehearsals.stop_keeping()>
            <span class="logged-in-name" title="You are logged in with this name."><Icon glyph=Glyph::User/>{name}</span>
            <button class="button quiet">"Log out"</button>
        </form>
    }
}

/// Reports that the login has ended. The login page opens in another tab, so that this page keeps
/// its input.
#[component]
pub fn LoggedOut() -> impl IntoView {
    let link = use_page().connection.link;
    let location = use_location();
    let login = move || address(&format!("/login?next={}", path_in(&location.pathname.read())));
    view! {
        <Show when=move || link.get() == Link::LoggedOut>
            <div class="notices">
                <div class="notice" role="alert">
                    <Icon glyph=Glyph::Warning/>
                    <p>"You are logged out. Log in to continue. Your draft is kept."</p>
                    <a class="button primary" href=login target="_blank" rel="noopener external">"Log in"</a>
                </div>
            </div>
        </Show>
    }
}

/// Reports that the host has another version than this page, which therefore may not understand it.
#[component]
pub fn OtherVersion() -> impl IntoView {
    let version = use_page().other_version;
    view! {
        {move || version.get().map(|version| view! {
            <div class="notices">
                <div class="notice" role="alert">
                    <Icon glyph=Glyph::Warning/>
                    <p>{format!("The host was updated to version {version}. Reload the page to use it. Your draft is kept.")}</p>
                    <button type="button" class="button primary" on:click=move |_| browser::reload()>"Reload page"</button>
                </div>
            </div>
        })}
    }
}

/// The state of the connection, and the runtime of the agent.
#[component]
pub fn FootBar(
    /// The content beside the connection.
    #[prop(optional, into)]
    runtime: Signal<Option<String>>,
    /// The content on the right.
    #[prop(default = "")]
    remark: &'static str,
) -> impl IntoView {
    let link = use_page().connection.link;
    view! {
        <footer class="foot">
            <span class="link-state" role="status">
                <span
                    class="dot"
                    class:on=move || link.get() == Link::Connected
                    class:off=move || matches!(link.get(), Link::Reconnecting(_) | Link::LoggedOut | Link::Blocked)
                ></span>
                {move || link.get().label()}
            </span>
            <span class="runtime"><Transition>{move || runtime.get()}</Transition></span>
            <span class="grow"></span>
            <span>{remark}</span>
        </footer>
    }
}
