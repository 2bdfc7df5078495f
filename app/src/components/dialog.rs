//! A dialog over the page: the browser's own `<dialog>`, which keeps the focus and closes on Esc.

use leptos::html;
use leptos::prelude::*;

/// Shows its children over the page while `open` is true.
#[component]
pub fn Dialog(
    /// Whether it is open.
    open: Memo<bool>,
    /// Closes it: the person pressed Esc or outside of it.
    #[prop(into)]
    on_close: Callback<()>,
    /// Its accessible name.
    label: &'static str,
    /// Its CSS class.
    class: &'static str,
    /// The content, created each time the dialog opens.
    children: ChildrenFn,
) -> impl IntoView {
    let element = NodeRef::<html::Dialog>::new();
    Effect::new(move |_| {
        let is_open = open.get();
        let Some(dialog) = element.get() else { return };
        if is_open && !dialog.open() {
            // After the children are drawn, so that the browser finds the one with `autofocus`.
            queue_microtask(move || {
                if open.try_get_untracked() == Some(true) && !dialog.open() {
                    // Fails only for a dialog that is not in the document.
                    let _ = dialog.show_modal();
                }
            });
        } else if !is_open && dialog.open() {
            dialog.close();
        }
    });
    // A press on the backdrop is a press on the dialog itself, not on its content.
    let press = move |event: leptos::ev::MouseEvent| {
        if event.target() == event.current_target() {
            on_close.try_run(());
        }
    };
    let children = StoredValue::new(children);
    view! {
        <dialog
            node_ref=element
            class=class
            aria-label=label
            on:close=move |_| { on_close.try_run(()); }
            on:mousedown=press
        >
            <Show when=move || open.get()>{children.with_value(|children| children())}</Show>
        </dialog>
    }
}
