//! The person's name: entered once, kept in this browser.

use leptos::prelude::*;

use crate::live::state::workspace::{NAME_FIELD, use_this_live_workspace};
use crate::shared::keys::{focus_now, focus_shown};
use app::components::icon::{Glyph, Icon};
use app::state::browser;
use app::state::use_page;

/// The name in the head. A click on it asks for another.
#[component]
pub(super) fn NameButton() -> impl IntoView {
    let live = use_page().live;
    let rename = move |_| {
        live.name.set(None);
        browser::after_drawing(|| browser::focus(NAME_FIELD));
    };
    view! {
        <Show when=move || live.name.read().is_some() && live.logged_in().is_none()>
            <button type="button" class="button quiet" title="Your responses are recorded with this name. Click to change it." on:click=rename>
                <Icon glyph=Glyph::User/>
                {move || live.name.get()}
            </button>
        </Show>
    }
}

/// Asks for the name where there is none.
#[component]
pub(super) fn NameForm() -> impl IntoView {
    let workspace = use_this_live_workspace();
    let live = workspace.live;
    let typed = RwSignal::new(String::new());
    let is_bad = RwSignal::new(false);
    // Not a form of its own: it is inside the form of the response, and forms do not nest.
    let save = move || {
        let taken = live.is_called(&typed.read_untracked());
        is_bad.set(!taken);
        if taken {
            workspace.notice.set(None);
            focus_now(|| browser::has_dialog() || focus_shown());
        }
    };
    let on_key = move |event: leptos::ev::KeyboardEvent| {
        if event.key() == "Enter" {
            event.prevent_default();
            event.stop_propagation();
            save();
        }
    };
    view! {
        <Show when=move || live.is_nameless()>
            <div class="name-form" role="group" aria-label="Your name">
                <label for=NAME_FIELD>"Enter your name. It is recorded with each response."</label>
                <div class="name-line">
                    <input
                        id=NAME_FIELD
                        class="input"
                        autocomplete="name"
                        maxlength="100"
                        placeholder="Your name"
                        aria-invalid=move || is_bad.get().to_string()
                        prop:value=move || typed.get()
                        on:input=move |event| {
                            event.stop_propagation();
                            typed.set(event_target_value(&event));
                        }
                        on:change=move |event| event.stop_propagation()
                        on:keydown=on_key
                    />
                    <button type="button" class="button" on:click=move |_| save()>"Save"</button>
                </div>
                <p class="quiet">"Stored in this browser."</p>
            </div>
        </Show>
    }
}
