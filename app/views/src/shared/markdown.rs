//! Draws marked Markdown. Everything is drawn as text; nothing is set as HTML.

use leptos::prelude::*;

use value_tree::Language;

use crate::shared::code::{code_lines, colored};
use crate::shared::state::markdown::{Node, Part, Piece, safe_address};
use app::state::excerpt::{Lines, written_out};

/// The id of the match at `place`, from 0, in the document.
#[must_use]
pub fn found_id(place: usize) -> String {
    format!("found-{place}")
}

/// Draws a tree.
#[component]
pub fn Markdown(
    /// The tree.
    nodes: Vec<Node>,
    /// The current match, from 0.
    #[prop(into)]
    at: Signal<usize>,
) -> impl IntoView {
    draw_all(nodes, at)
}

fn draw_all(nodes: Vec<Node>, at: Signal<usize>) -> AnyView {
    let mut drawn = Vec::new();
    // Adjacent pieces become one text node: a paragraph may have thousands of lines.
    let mut running = String::new();
    for node in nodes {
        match node {
            Node::Break => running.push('\n'),
            Node::Words(pieces) => {
                for piece in pieces {
                    if is_plain(&piece) {
                        running.push_str(&piece.text);
                        continue;
                    }
                    drawn.extend(run(&mut running));
                    drawn.push(marked(piece, at));
                }
            }
            node => {
                drawn.extend(run(&mut running));
                drawn.push(draw(node, at));
            }
        }
    }
    drawn.extend(run(&mut running));
    drawn.into_any()
}

/// The text so far, unless it is empty.
fn run(running: &mut String) -> Option<AnyView> {
    let words = std::mem::take(running);
    (!words.is_empty()).then(|| written_out(&words, Lines::Kept).into_owned().into_any())
}

fn draw(node: Node, at: Signal<usize>) -> AnyView {
    match node {
        node @ (Node::Words(_) | Node::Break) => draw_all(vec![node], at),
        Node::Rule => view! { <hr/> }.into_any(),
        Node::Task(done) => if done { "☑ " } else { "☐ " }.into_any(),
        Node::Part(Part::CodeBlock(Some(language)), children) if is_unmarked(&children) => {
            code(&children, language)
        }
        Node::Part(Part::Image(address), children) => image(&address, children, at),
        Node::Part(part, children) => {
            let children = draw_all(children, at);
            match part {
                Part::Paragraph => view! { <p>{children}</p> }.into_any(),
                // Not a heading of the page, which has its own.
                Part::Heading => view! { <p class="heading">{children}</p> }.into_any(),
                Part::Quote => view! { <blockquote>{children}</blockquote> }.into_any(),
                Part::CodeBlock(_) => view! { <pre class="raw"><code>{children}</code></pre> }.into_any(),
                Part::Code => view! { <code>{children}</code> }.into_any(),
                Part::Bullets => view! { <ul>{children}</ul> }.into_any(),
                Part::Numbers(first) => view! { <ol start=first.to_string()>{children}</ol> }.into_any(),
                Part::Item => view! { <li>{children}</li> }.into_any(),
                Part::Strong => view! { <strong>{children}</strong> }.into_any(),
                Part::Emphasis => view! { <em>{children}</em> }.into_any(),
                Part::Strike => view! { <s>{children}</s> }.into_any(),
                Part::Link(Some(address)) => view! {
                    <a class="link" href=address target="_blank" rel="noopener noreferrer">{children}</a>
                }
                .into_any(),
                Part::Link(None) | Part::Image(_) => children,
                Part::Table => view! { <table><tbody>{children}</tbody></table> }.into_any(),
                Part::Row => view! { <tr>{children}</tr> }.into_any(),
                Part::HeadCell => view! { <th scope="col">{children}</th> }.into_any(),
                Part::Cell => view! { <td>{children}</td> }.into_any(),
            }
        }
    }
}

/// Whether it has no matches and no filled-in values, which would replace the colors.
fn is_unmarked(nodes: &[Node]) -> bool {
    nodes.iter().all(|node| matches!(node, Node::Words(pieces) if pieces.iter().all(is_plain)))
}

fn is_plain(piece: &Piece) -> bool {
    piece.found.is_none() && !piece.is_filled_in
}

fn code(nodes: &[Node], language: Language) -> AnyView {
    let mut text = String::new();
    for node in nodes {
        if let Node::Words(pieces) = node {
            text.extend(pieces.iter().map(|piece| piece.text.as_str()));
        }
    }
    let line = |pieces: Vec<(_, String)>| {
        let pieces = pieces.iter().map(|(hue, piece)| colored(*hue, piece)).collect_view();
        view! { {pieces} "\n" }
    };
    let lines = code_lines(&text, language).into_iter().map(line).collect_view();
    view! { <pre class="raw"><code>{lines}</code></pre> }.into_any()
}

/// The description of an image and its URL, which is not loaded.
fn image(address: &str, description: Vec<Node>, at: Signal<usize>) -> AnyView {
    /// How much of a URL is shown, in characters: a data URL may contain the whole image.
    const SHOWN: usize = 80;
    let mut shown: String = address.chars().take(SHOWN).collect();
    if shown.len() < address.len() {
        shown.push('…');
    }
    let shown = written_out(&shown, Lines::Kept).into_owned();
    let address = match safe_address(address) {
        Some(address) => view! {
            <a class="link" href=address target="_blank" rel="noopener noreferrer">{shown}</a>
        }
        .into_any(),
        None => view! { <code>{shown}</code> }.into_any(),
    };
    view! {
        <span class="image-note">
            <span class="quiet">"image "</span> {draw_all(description, at)} " (" {address} ")"
        </span>
    }
    .into_any()
}

/// A match or a filled-in value.
fn marked(piece: Piece, at: Signal<usize>) -> AnyView {
    let text = written_out(&piece.text, Lines::Kept).into_owned();
    match piece.found {
        Some(place) => view! {
            <mark id=found_id(place) class:now=move || at.get() == place>{text}</mark>
        }
        .into_any(),
        None if text.is_empty() => view! {
            <b class="filled-in nothing" title="Placeholder without a value">
                <span aria-hidden="true">"∅"</span>
                <span class="unseen">"(no value)"</span>
            </b>
        }
        .into_any(),
        None => {
            view! { <b class="filled-in" title="Filled in from the state">{text}</b> }.into_any()
        }
    }
}
