//! A dialog over the page: the browser's own `<dialog>`, which keeps the focus and closes on Esc.

use leptos::html;
use leptos::prelude::*;

/// Shows its children over the page while `open` is set.
#[component]
pub fn Dialog(
    /// Whether it is open. Set to false when the person closes it.
    open: RwSignal<bool>,
    /// Its name for those who hear the page.
    label: &'static str,
    /// A class for its shape.
    class: &'static str,
    /// The content, created each time the dialog opens.
    children: ChildrenFn,
) -> impl IntoView {
    let element = NodeRef::<html::Dialog>::new();
    Effect::new(move |_| {
        let is_open = open.get();
        let Some(dialog) = element.get() else { return };
        if is_open && !dialog.open() {
            // Only once its children stand in it does the browser find the one that asks for the focus.
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
            open.set(false);
        }
    };
    let children = StoredValue::new(children);
    view! {
        <dialog
            node_ref=element
            class=class
            aria-label=label
            on:close=move |_| open.set(false)
            on:mousedown=press
        >
            <Show when=move || open.get()>{children.with_value(|children| children())}</Show>
        </dialog>
    }
}
