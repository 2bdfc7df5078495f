//! [`Shortcuts`]: the list of a page's keys, opened by `?`.

use leptos::prelude::*;

use app::components::dialog::Dialog;
use app::state::use_page;

pub use app::state::lazy_pages::ShortcutGroup as Group;

/// The keys of every page.
const EVERYWHERE: Group = (
    "Everywhere",
    &[
        ("Ctrl K", "Search or jump"),
        ("Esc", "Leave the field to use single-key shortcuts"),
        ("?", "Show these shortcuts"),
    ],
);

/// The keys of a form.
pub const FORM: Group = (
    "Form",
    &[
        ("Alt J", "Edit the field as JSON, and back"),
        ("Ctrl Z", "Undo the last change in the form"),
        ("Alt ↑", "Move the item up"),
        ("Alt ↓", "Move the item down"),
        ("↑", "Increase the number by one step"),
        ("↓", "Decrease the number by one step"),
    ],
);

/// The keys of a list of rows.
pub const ROWS: Group = (
    "List of rows",
    &[
        ("↓ J", "Next row"),
        ("↑ K", "Previous row"),
        ("Home", "First row"),
        ("End", "Last row"),
        ("↵", "Open or close the row"),
    ],
);

/// The dialog, closed until [`listen`](crate::shared::keys::listen) opens it.
#[component]
pub fn Shortcuts(
    /// The groups of the page, in order.
    groups: &'static [Group],
) -> impl IntoView {
    let shown = use_page().palette.shows_shortcuts;
    on_cleanup(move || {
        shown.try_set(false);
    });
    let open = Memo::new(move |_| shown.get());
    let group = |(title, shortcuts): &Group| {
        let shortcut = |(keys, action): &(&'static str, &'static str)| {
            let keys = keys.split(' ').map(|key| view! { <kbd>{key}</kbd> }).collect_view();
            view! { <dt>{keys}</dt><dd>{*action}</dd> }
        };
        let shortcuts = shortcuts.iter().map(shortcut).collect_view();
        view! { <section><h3>{*title}</h3><dl>{shortcuts}</dl></section> }
    };
    view! {
        <Dialog open on_close=move |()| shown.set(false) label="Keyboard shortcuts" class="ask shortcuts">
            <h2>"Keyboard shortcuts"</h2>
            <div class="shortcut-groups">
                {groups.iter().chain([&EVERYWHERE]).map(group).collect_view()}
            </div>
            <div class="choices">
                <button type="button" class="button" autofocus on:click=move |_| shown.set(false)>"Close"</button>
            </div>
        </Dialog>
    }
}
