//! One row of a value.

use leptos::attr::custom::{CustomAttr, custom_attribute};
use leptos::ev;
use leptos::html::Div;
use leptos::prelude::*;
use value_tree::{Cell, Column, Row, RowContent, RowKind, RowState, RowView, Shape};

use super::block::ValueBlock;
use app::components::icon::{Glyph, Icon};
use app::state::browser;
use app::state::excerpt::{Lines, beginning, written_out};
use app::state::preview::{Token, TokenColor};
use app::state::reading::Reading;
use app::state::times::{counted, grouped};

/// How many thread lines are drawn; deeper rows show their depth as a number.
const THREADS: u32 = 16;
/// How much of a URL a line shows, in bytes.
const ADDRESS: usize = 300;

/// One row.
#[component]
pub(super) fn ValueRow(
    /// The value it belongs to.
    reading: Reading,
    /// Its index among all rows when it was drawn.
    at: usize,
    /// The row.
    state: RowState,
) -> impl IntoView {
    let view = reading.view(at)?;
    Some(match state.row.kind {
        RowKind::Header => header(view),
        RowKind::Block => block(reading, view),
        RowKind::Line | RowKind::Cells => line(reading, view),
    })
}

fn threads(row: Row) -> AnyView {
    let depth = row.depth;
    let lines = (0..depth.min(THREADS)).map(|_| view! { <i class="thread"></i> }).collect_view();
    let deeper = (depth > THREADS).then(|| view! { <span class="deeper">{depth}</span> });
    view! { <span class="threads" aria-hidden="true">{lines} {deeper}</span> }.into_any()
}

/// The depth of the row, for screen readers.
fn level(row: Row) -> CustomAttr<&'static str, String> {
    custom_attribute("aria-level", (row.depth + 1).to_string())
}

fn line(reading: Reading, view: RowView) -> AnyView {
    let RowView { row, ref name, is_item, opens, is_open, place, siblings, .. } = view;
    let node = row.node;
    let is_current = move || {
        let current = reading.current.get();
        current.is_some_and(|it| it.node == node && it.kind != RowKind::Block)
    };
    let choose = move |_| {
        // A selection of text to copy must not close the row.
        if browser::has_selection() {
            return;
        }
        reading.set_current(Some(row));
        if opens {
            reading.toggle(node);
        }
    };
    let chevron = match opens {
        true => view! { <Icon glyph=Glyph::Right/> }.into_any(),
        false => view! { <i class="no-chevron"></i> }.into_any(),
    };
    let named = !name.is_empty();
    let name_class = if is_item { "ink-index" } else { "ink-key" };
    let name = name.clone();
    let name = move || marked(&name, &reading.searched.read());
    // A text that is open below the row is not repeated in it.
    let label = (!named && opens && view.kind == json_text::Kind::String).then_some("text");
    // The indexes of a table have one width.
    let name_width = matches!(view.content, RowContent::Cells(_)).then(|| digits(siblings));
    view! {
        <div
            class="value-row"
            class:opens=opens
            class:current=is_current
            id=reading.element_id(row)
            role="treeitem"
            aria-posinset=place
            aria-setsize=siblings
            aria-expanded=opens.then(|| is_open.to_string())
            aria-selected=move || is_current().to_string()
            on:click=choose
        >
            {threads(row)}
            {chevron}
            {named.then(|| view! { <span class=name_class style:width=name_width>{name}</span><span class="colon">":"</span> })}
            {label.map(|label| view! { <span class="unseen">{label}</span> })}
            {face(reading, view)}
        </div>
    }
    .add_any_attr(level(row))
    .into_any()
}

/// The part of a row after the name.
fn face(reading: Reading, view: RowView) -> AnyView {
    let RowView { row, kind, count, held, opens, is_open, shape, layers, is_raw, content, .. } =
        view;
    let brackets = match kind {
        json_text::Kind::Object => Some(("{", "}")),
        json_text::Kind::Array => Some(("[", "]")),
        _ => None,
    };
    let is_block = opens && brackets.is_none();
    let count = brackets.map(|(open, close)| {
        let label = match open {
            "{" => counted(count, "property", "properties"),
            _ => counted(count, "item", "items"),
        };
        view! {
            <span class="ink-count" aria-hidden="true">{open} {(count > 0).then_some(count)} {close}</span>
            <span class="unseen">{label}</span>
            {(held < count).then(|| view! {
                <span class="ink-count">{format!("first {} shown", grouped(held))}</span>
            })}
        }
    });
    // What is open below is not repeated here.
    let shown = match content {
        RowContent::Tokens(tokens) if !(is_open && (brackets.is_some() || is_block)) => {
            let class = if brackets.is_some() { "words faint" } else { "words" };
            view! { <bdi class=class>{tokens_of(tokens, reading)}</bdi> }.into_any()
        }
        RowContent::Link { address, host } => link(&address, &host),
        RowContent::Cells(cells) => return cells_of(cells, reading),
        _ => ().into_any(),
    };
    view! {
        {count}
        {shown}
        {shape.name().map(|name| shape_switch(reading, row, name, shape, layers, is_raw))}
    }
    .into_any()
}

/// The switch between the recognized type of a value and its raw text.
fn shape_switch(
    reading: Reading,
    row: Row,
    name: &'static str,
    shape: Shape,
    layers: u8,
    is_raw: bool,
) -> AnyView {
    let name = match (shape, layers) {
        (Shape::Json, 2..) => format!("JSON ×{layers}"),
        _ => name.to_owned(),
    };
    let set = move |raw: bool| {
        move |event: ev::MouseEvent| {
            event.stop_propagation();
            reading.set_current(Some(row));
            reading.set_raw(row.node, raw);
            reading.set_open(row.node, true);
        }
    };
    let label = format!("Show as {name} or raw");
    view! {
        <span class="switch shape" role="group" aria-label=label>
            <button type="button" tabindex="-1" aria-pressed=(!is_raw).to_string() on:click=set(false)>{name}</button>
            <button type="button" tabindex="-1" aria-pressed=is_raw.to_string() on:click=set(true)>"Raw"</button>
        </span>
    }
    .into_any()
}

/// A URL with its host emphasized.
fn link(address: &str, host: &str) -> AnyView {
    let shown = written_out(beginning(address, ADDRESS), Lines::Escaped).into_owned();
    let (before, after) = match shown.find(host) {
        Some(at) => (shown[..at].to_owned(), shown[at + host.len()..].to_owned()),
        None => (String::new(), String::new()),
    };
    let cut = if address.len() > ADDRESS { "…" } else { "" };
    view! {
        <a
            class="value-link"
            href=address.to_owned()
            target="_blank"
            rel="noopener noreferrer"
            tabindex="-1"
            on:click=|event| event.stop_propagation()
        >
            {before} <b>{host.to_owned()}</b> {after} {cut}
        </a>
    }
    .into_any()
}

fn tokens_of(tokens: Vec<Token>, reading: Reading) -> AnyView {
    tokens
        .into_iter()
        .map(|Token { ink, text }| match ink {
            TokenColor::Plain => text.into_any(),
            _ => {
                // Between quotes, characters are escaped, and so is the searched text.
                let words = move || match ink {
                    TokenColor::Text => {
                        marked(&text, &written_out(&reading.searched.read(), Lines::Quoted))
                    }
                    _ => marked(&text, &reading.searched.read()),
                };
                view! { <span class=ink.class()>{words}</span> }.into_any()
            }
        })
        .collect_view()
        .into_any()
}

/// `text` with the matches of `searched` marked.
pub(super) fn marked(text: &str, searched: &str) -> AnyView {
    if searched.trim().is_empty() {
        return text.to_owned().into_any();
    }
    value_tree::marked(text, searched)
        .into_iter()
        .map(|(piece, is_found)| match is_found {
            true => view! { <mark>{piece.to_owned()}</mark> }.into_any(),
            false => piece.to_owned().into_any(),
        })
        .collect_view()
        .into_any()
}

fn cells_of(cells: Vec<Cell>, reading: Reading) -> AnyView {
    cells
        .into_iter()
        .map(|Cell { column, width, tokens, more }| {
            view! {
                <span class="cell" title=more style:width=characters(width)>
                    <span class="unseen">{column} ": "</span>
                    {tokens_of(tokens, reading)}
                </span>
            }
        })
        .collect_view()
        .into_any()
}

fn characters(width: usize) -> String {
    // One character of padding on each side.
    format!("calc({}ch + 1px)", width + 2)
}

/// The width of the last of `items` indexes.
fn digits(items: usize) -> String {
    format!("{}ch", items.saturating_sub(1).to_string().len().max(2))
}

/// The names of the columns, hidden from screen readers, because each cell repeats its own.
pub(super) fn header(view: RowView) -> AnyView {
    let columns = match view.content {
        RowContent::Header(columns) => columns,
        _ => Vec::new(),
    };
    let columns = columns.into_iter().map(|Column { name, width }| {
        view! { <span class="cell" style:width=characters(width)>{name}</span> }
    });
    view! {
        <div class="value-row columns" role="none" aria-hidden="true">
            {threads(view.row)}
            <i class="no-chevron"></i>
            <span class="item-place" style:width=digits(view.count)></span>
            {columns.collect_view()}
        </div>
    }
    .into_any()
}

fn block(reading: Reading, view: RowView) -> AnyView {
    let row = view.row;
    let element = NodeRef::<Div>::new();
    Effect::new(move |_| {
        if let Some(element) = element.get() {
            browser::watch_height(&element, move |height| reading.measured(row.node, height));
        }
    });
    let content = reading.block(row.node);
    let is_current = move || reading.current.get() == Some(row);
    view! {
        <div
            class="value-row block-row"
            class:current=is_current
            id=reading.element_id(row)
            role="treeitem"
            aria-selected=move || is_current().to_string()
            node_ref=element
        >
            {threads(row)}
            <i class="no-chevron"></i>
            {content.map(|block| view! { <ValueBlock block reading/> })}
        </div>
    }
    .add_any_attr(level(row))
    .into_any()
}
