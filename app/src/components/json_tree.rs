//! A JSON value as a tree, opened one level at a time.
//!
//! What is closed is still text and costs nothing; of a long list a hundred members are drawn and
//! more when asked, of a long string its beginning.

use json_text::{JsonText, Node};
use leptos::prelude::*;

use crate::components::icon::{Glyph, Icon};
use crate::components::tokens::Tokens;
use crate::state::excerpt::{Lines, beginning, written_out};
use crate::state::preview::preview;

/// How many members are drawn at once.
const MEMBERS: usize = 100;
/// How much of a string is drawn at first, in bytes.
const STRING: usize = 1_000;
/// How much more of it each time.
const STRING_STEP: usize = 16_000;

/// The tree of `value`; its first level is open.
#[component]
pub fn JsonTree(
    /// The value.
    value: JsonText,
) -> impl IntoView {
    view! { <div class="tree" dir="ltr">{level(&value)}</div> }
}

/// What stands at one level: the members of a container, or a scalar.
fn level(value: &JsonText) -> AnyView {
    match value.open() {
        Node::Array(items) if items.is_empty() => "[]".into_any(),
        Node::Object(members) if members.is_empty() => "{}".into_any(),
        Node::Array(items) => {
            let items = items.into_iter().enumerate();
            branch(
                items.map(|(index, item)| (index.to_string(), JsonText::from(item))).collect(),
                true,
            )
        }
        Node::Object(members) => branch(
            members
                .into_iter()
                .map(|(key, member)| {
                    let shown = beginning(&key, 200);
                    (written_out(shown, Lines::Escaped).into_owned(), JsonText::from(member))
                })
                .collect(),
            false,
        ),
        scalar => leaf(&scalar),
    }
}

fn branch(members: Vec<(String, JsonText)>, of_list: bool) -> AnyView {
    let total = members.len();
    let members = StoredValue::new(members);
    let shown = RwSignal::new(MEMBERS);
    let twig = move |place: usize| {
        members
            .with_value(|members| members.get(place).map(|(key, value)| twig(key, value, of_list)))
    };
    view! {
        <ul>
            <For each=move || 0..shown.get().min(total) key=|place| *place let:place>
                <li>{twig(place)}</li>
            </For>
            <Show when=move || shown.get() < total>
                <li>
                    <button type="button" class="link" on:click=move |_| shown.update(|it| *it += MEMBERS)>
                        {move || format!("Show {} of {} more", MEMBERS.min(total - shown.get()), total - shown.get())}
                    </button>
                </li>
            </Show>
        </ul>
    }
    .into_any()
}

fn twig(key: &str, value: &JsonText, of_list: bool) -> AnyView {
    let class = if of_list { "ink-index" } else { "ink-key" };
    // A name of nothing but white space would not show.
    let key = if key.trim().is_empty() { format!("\"{key}\"") } else { key.to_owned() };
    let node = value.open();
    let count = match &node {
        Node::Array(items) if !items.is_empty() => format!("[{}]", items.len()),
        Node::Object(members) if !members.is_empty() => format!("{{{}}}", members.len()),
        scalar => {
            return view! { <span class=class>{key}</span> ": " {leaf(scalar)} }.into_any();
        }
    };
    let open = RwSignal::new(false);
    let tokens = preview(value, 60);
    let value = StoredValue::new(value.clone());
    view! {
        <button
            type="button"
            class="twig"
            aria-expanded=move || open.get().to_string()
            on:click=move |_| open.update(|open| *open = !*open)
        >
            <Icon glyph=Glyph::Right/>
            <span class=class>{key}</span>
            ": "
            <span class="ink-count">{count}</span>
            <span class="twig-preview">
                <Tokens tokens/>
            </span>
        </button>
        <Show when=move || open.get()>{value.with_value(level)}</Show>
    }
    .into_any()
}

/// A value without members.
fn leaf(node: &Node<'_>) -> AnyView {
    match node {
        Node::Null => view! { <span class="ink-nothing">"null"</span> }.into_any(),
        Node::Bool(value) => {
            view! { <span class="ink-number">{value.to_string()}</span> }.into_any()
        }
        Node::Number(digits) => text("ink-number", digits, ""),
        Node::String(content) => text("ink-text", content, "\""),
        Node::Array(_) => "[]".into_any(),
        Node::Object(_) => "{}".into_any(),
    }
}

fn text(class: &'static str, content: &str, quote: &'static str) -> AnyView {
    if content.len() <= STRING {
        let content = written_out(content, Lines::Kept).into_owned();
        return view! { <bdi class=class>{quote}{content}{quote}</bdi> }.into_any();
    }
    let total = content.len();
    let content = StoredValue::new(content.to_owned());
    let shown = RwSignal::new(STRING);
    let part = move || {
        content.with_value(|content| {
            written_out(beginning(content, shown.get()), Lines::Kept).into_owned()
        })
    };
    view! {
        <bdi class=class>
            {quote} {part} {move || if shown.get() < total { "…" } else { quote }}
        </bdi>
        <Show when=move || shown.get() < total>
            <button
                type="button"
                class="link"
                on:click=move |_| shown.update(|it| *it += STRING_STEP)
            >
                {move || format!("Show more of {total} bytes")}
            </button>
        </Show>
    }
    .into_any()
}
