//! The block that a value opens into: a text, Markdown, code, a diff or an image.
//!
//! It comes from a tool and is not trusted: it is cut to a readable size, drawn as text, and loads
//! nothing from elsewhere.

use json_text::Position;
use leptos::prelude::*;
use value_tree::{Block, Image, Language};

use super::row::marked;
use crate::shared::code::{code_lines, colored};
use crate::shared::markdown::Markdown;
use crate::shared::state::markdown::{direction, markdown};
use app::state::excerpt::{Lines, beginning, written_out};
use app::state::reading::Reading;
use app::state::times::size;

/// How much of a text is drawn at first and with each step, in bytes.
const STEP: usize = 16 * 1024;
/// How much is drawn around a match further down, in bytes.
const AROUND: usize = 4 * 1024;
/// How much of that is before the match at most: the beginning of its line.
const BEFORE: usize = 1024;

/// One block.
#[component]
pub(super) fn ValueBlock(
    /// What to draw.
    block: Block,
    /// The value it belongs to.
    reading: Reading,
) -> impl IntoView {
    match block {
        Block::Text(text) => parts(text, "Text", reading, move |part| {
            let text = written_out(part, Lines::Kept).into_owned();
            view! { <pre class="block-text">{move || marked(&text, &reading.searched.read())}</pre> }.into_any()
        }),
        Block::Markdown(text) => parts(text, "Markdown", reading, move |part| {
            let part = part.to_owned();
            let dir = direction(&part);
            let nodes = move || {
                let nodes = markdown(&part, &[], &reading.searched.read()).nodes;
                view! { <Markdown nodes at=Signal::stored(usize::MAX)/> }
            };
            view! { <div class="prose" dir=dir>{nodes}</div> }.into_any()
        }),
        Block::Code(language, text) => {
            parts(text, language.name(), reading, move |part| code(part, language, reading))
        }
        Block::Diff(text) => {
            parts(text, "Diff", reading, move |part| lines(part, reading, diff_line))
        }
        Block::Image(image) => view! { <Picture image=*image/> }.into_any(),
    }
}

/// The beginning of `text`, more of it on request, and the first match further down.
fn parts(
    text: String,
    label: &'static str,
    reading: Reading,
    draw: impl Fn(&str) -> AnyView + Send + 'static,
) -> AnyView {
    let total = text.len();
    let shown = RwSignal::new(STEP);
    let body = move || {
        let drawn = beginning(&text, shown.get());
        let found = (drawn.len() < text.len())
            .then(|| further_down(&text, drawn.len(), &reading.searched.read()))
            .flatten();
        let found = found.map(|from| {
            let line = Position::START.after(&text.as_bytes()[..from]).line;
            view! {
                <p class="more">{format!("From line {line}:")}</p>
                {draw(beginning(&text[from..], AROUND))}
            }
        });
        view! {
            {draw(drawn)}
            {found}
        }
    };
    view! {
        <div class="block">
            <div class="block-body" tabindex="0" role="group" aria-label=label>{body}</div>
            <Show when=move || shown.get() < total>
                <p class="more">
                    {move || format!("{} of {} shown", size(shown.get() as u64), size(total as u64))}
                    <button type="button" class="link" on:click=move |_| shown.update(|it| *it += STEP)>
                        "Show more"
                    </button>
                </p>
            </Show>
        </div>
    }
    .into_any()
}

/// The start of the line with the first match of `searched`, if it is after the first `drawn` bytes.
fn further_down(text: &str, drawn: usize, searched: &str) -> Option<usize> {
    if value_tree::find_first(&text[..drawn], searched, 0).is_some() {
        return None;
    }
    let at = value_tree::find_first(text, searched, drawn)?;
    let near = (at.saturating_sub(BEFORE)..=at).find(|near| text.is_char_boundary(*near))?;
    Some(text[near..at].rfind('\n').map_or(near, |line| near + line + 1).max(drawn))
}

/// The lines of a text, each with the class that `class` gives it.
fn lines(part: &str, reading: Reading, class: impl Fn(&str) -> &'static str) -> AnyView {
    let lines = part.lines().map(|line| {
        let class = class(line);
        let text = written_out(line, Lines::Kept).into_owned();
        // So that the line break is copied, too.
        view! { <span class=class>{move || marked(&text, &reading.searched.read())} "\n"</span> }
    });
    view! { <pre class="block-lines">{lines.collect_view()}</pre> }.into_any()
}

/// The lines of code, in color; during a search with matches marked instead.
fn code(part: &str, language: Language, reading: Reading) -> AnyView {
    let lines = code_lines(part, language).into_iter().map(|pieces| {
        let drawn = move || {
            let searched = reading.searched.read();
            if searched.trim().is_empty() {
                pieces.iter().map(|(hue, piece)| colored(*hue, piece)).collect_view().into_any()
            } else {
                let whole: String = pieces.iter().map(|(_, piece)| piece.as_str()).collect();
                marked(&whole, &searched)
            }
        };
        view! { <span class="code-line">{drawn} "\n"</span> }
    });
    view! { <pre class="block-lines">{lines.collect_view()}</pre> }.into_any()
}

fn diff_line(line: &str) -> &'static str {
    match line.as_bytes() {
        [b'+', b'+', b'+', ..] | [b'-', b'-', b'-', ..] => "diff-file",
        [b'+', ..] => "diff-added",
        [b'-', ..] => "diff-removed",
        [b'@', b'@', ..] => "diff-place",
        _ => "diff-same",
    }
}

/// An image in the value; a doubtful one is shown on request.
#[component]
fn Picture(
    /// The image.
    image: Image,
) -> impl IntoView {
    let measures =
        image.size.map_or_else(String::new, |(width, height)| format!(" · {width} × {height}"));
    let facts = format!("{}{measures} · {}", image.format(), size(image.bytes as u64));
    let doubt = image.doubt();
    let is_shown = RwSignal::new(doubt.is_none());
    let is_broken = RwSignal::new(false);
    let text = format!("Image, {facts}");
    let drawn = move || {
        if is_broken.get() {
            let text = "The browser cannot show this image. It is damaged or incomplete.";
            view! { <p class="doubt">{text}</p> }.into_any()
        } else if is_shown.get() {
            let fail = move |_| is_broken.set(true);
            view! { <img src=image.source.clone() alt=text.clone() on:error=fail/> }.into_any()
        } else {
            view! {
                <p class="doubt">
                    {doubt}
                    <button type="button" class="link" on:click=move |_| is_shown.set(true)>"Show image"</button>
                </p>
            }
            .into_any()
        }
    };
    view! {
        <figure class="block">
            {drawn}
            <figcaption class="quiet">{facts}</figcaption>
        </figure>
    }
}
