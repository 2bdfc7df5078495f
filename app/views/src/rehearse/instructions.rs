//! The instructions that the model gets, to read and to search.

use leptos::prelude::*;

use crate::rehearse::facts::Fold;
use crate::rehearse::state::workspace::use_this_workspace;
use crate::shared::keys::INSTRUCTION_SEARCH;
use crate::shared::markdown::{Markdown, found_id};
use crate::shared::state::markdown::{Marked, direction, markdown, raw};
use crate::shared::state::placeholders::filled_in;
use crate::shared::value_pane::Switch;
use app::components::icon::{Glyph, Icon};
use app::state::browser;
use app::state::excerpt::beginning;
use app::state::times::{counted, size};

/// How much of an instruction is drawn at first, in bytes.
const SHOWN: usize = 128 * 1024;
/// How much each press adds, in bytes: tens of megabytes at once would freeze the page.
const MORE: usize = 1024 * 1024;

/// The instructions of the rehearsal.
#[component]
pub fn WorkspaceInstructions() -> impl IntoView {
    let view = use_this_workspace().rehearsal.view;
    let texts = Memo::new(move |_| {
        view.with(|view| {
            view.as_ref().map(|view| (view.instruction.clone(), view.instruction_template.clone()))
        })
    });
    view! { <Instructions texts/> }
}

/// The instructions, which can be collapsed.
#[component]
pub fn Instructions(
    /// The instruction as the model gets it, and its template if known; `None` until they are loaded.
    texts: Memo<Option<(String, Option<String>)>>,
) -> impl IntoView {
    let open = RwSignal::new(true);
    let is_raw = RwSignal::new(false);
    let words = move || {
        texts.with(|texts| {
            let (text, _) = texts.as_ref()?;
            let words = text.split_whitespace().count();
            (words > 0).then(|| counted(words, "word", "words"))
        })
    };
    let body = move || {
        texts.get().map(|(text, template)| match text.trim().is_empty() {
            true => view! { <p class="quiet">"No instructions"</p> }.into_any(),
            false => view! { <Reader text template is_raw/> }.into_any(),
        })
    };
    let aside = move || view! { <span class="quiet">{words}</span> };
    view! { <Fold title="Instructions" open aside>{body}</Fold> }
}

#[component]
fn Reader(
    /// The instruction as the model gets it.
    text: String,
    /// The template of the instruction.
    template: Option<String>,
    /// Whether the Markdown source is shown.
    is_raw: RwSignal<bool>,
) -> impl IntoView {
    let (total, dir) = (text.len(), direction(&text));
    let filled = template.map_or_else(Vec::new, |template| filled_in(&template, &text));
    let shown = RwSignal::new(SHOWN);
    let searched = RwSignal::new(String::new());
    let at = RwSignal::new(0_usize);
    let marked = Memo::new(move |_| {
        let part = beginning(&text, shown.get());
        let mark = if is_raw.get() { raw } else { markdown };
        mark(part, &filled, &searched.read())
    });
    let found = Memo::new(move |_| marked.read().found);
    let go = move |by: isize| {
        let count = found.get_untracked();
        if count > 0 {
            let next = (at.get_untracked() + count).saturating_add_signed(by) % count;
            at.set(next);
            browser::reveal(&found_id(next));
        }
    };
    let on_key = move |event: leptos::ev::KeyboardEvent| match event.key().as_str() {
        "Enter" if !event.ctrl_key() => {
            event.prevent_default();
            go(if event.shift_key() { -1 } else { 1 });
        }
        "Escape" if !searched.read_untracked().is_empty() => {
            event.stop_propagation();
            searched.set(String::new());
        }
        _ => {}
    };
    let on_input = move |event| {
        searched.set(event_target_value(&event));
        at.set(0);
        browser::after_drawing(|| browser::reveal(&found_id(0)));
    };
    let is_searching = move || !searched.read().trim().is_empty();
    let place = move || match found.get() {
        0 => "none".to_owned(),
        count => format!("{} of {count}", at.get().min(count - 1) + 1),
    };
    let body = move || {
        let Marked { nodes, .. } = marked.get();
        let class = if is_raw.get() { "as-written" } else { "prose" };
        view! { <div class=class dir=dir><Markdown nodes at/></div> }
    };
    view! {
        <div class="reading">
        <div class="find small">
            <Icon glyph=Glyph::Search/>
            <input
                id=INSTRUCTION_SEARCH
                type="search"
                autocomplete="off"
                spellcheck="false"
                placeholder="Search"
                aria-label="Search instructions"
                prop:value=move || searched.get()
                on:input=on_input
                on:keydown=on_key
            />
            <Show when=is_searching>
                <span class="found-count" role="status">{place}</span>
                <button type="button" class="step up" aria-label="Previous" on:click=move |_| go(-1)>
                    <Icon glyph=Glyph::Down/>
                </button>
                <button type="button" class="step" aria-label="Next" on:click=move |_| go(1)>
                    <Icon glyph=Glyph::Down/>
                </button>
            </Show>
        </div>
        <Switch on=is_raw off_label="Read" on_label="Raw" label="Instructions view"/>
        </div>
        {body}
        <Show when=move || shown.get() < total>
            <p class="more">
                {move || format!("{} of {} shown", size(shown.get() as u64), size(total as u64))}
                <button type="button" class="link" on:click=move |_| shown.update(|it| *it += MORE)>
                    {move || if total.saturating_sub(shown.get()) > MORE { "Show more" } else { "Show all" }}
                </button>
            </p>
        </Show>
    }
}
