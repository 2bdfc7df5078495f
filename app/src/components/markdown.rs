//! Draws marked markdown. Everything is text in elements of ours; nothing is set as HTML.

use leptos::prelude::*;

use crate::state::excerpt::{Lines, written_out};
use crate::state::markdown::{Node, Part, Piece};

/// The id in the document of what the search found at `place`.
#[must_use]
pub fn found_id(place: usize) -> String {
    format!("found-{place}")
}

/// Draws a tree.
#[component]
pub fn Markdown(
    /// The tree.
    nodes: Vec<Node>,
    /// The place of the thing found that the reader is at.
    #[prop(into)]
    at: Signal<usize>,
) -> impl IntoView {
    draw_all(nodes, at)
}

fn draw_all(nodes: Vec<Node>, at: Signal<usize>) -> AnyView {
    nodes.into_iter().map(|node| draw(node, at)).collect_view().into_any()
}

fn draw(node: Node, at: Signal<usize>) -> AnyView {
    match node {
        Node::Words(pieces) => {
            pieces.into_iter().map(|piece| words(piece, at)).collect_view().into_any()
        }
        Node::Break => "\n".into_any(),
        Node::Rule => view! { <hr/> }.into_any(),
        Node::Task(done) => if done { "☑ " } else { "☐ " }.into_any(),
        Node::Part(part, children) => {
            let children = draw_all(children, at);
            match part {
                Part::Paragraph => view! { <p>{children}</p> }.into_any(),
                // The page has its own headings: these are not among its landmarks.
                Part::Heading => view! { <p class="heading">{children}</p> }.into_any(),
                Part::Quote => view! { <blockquote>{children}</blockquote> }.into_any(),
                Part::CodeBlock => view! { <pre class="raw"><code>{children}</code></pre> }.into_any(),
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
                Part::Link(None) => children,
                Part::Table => view! { <table><tbody>{children}</tbody></table> }.into_any(),
                Part::Row => view! { <tr>{children}</tr> }.into_any(),
                Part::HeadCell => view! { <th scope="col">{children}</th> }.into_any(),
                Part::Cell => view! { <td>{children}</td> }.into_any(),
            }
        }
    }
}

fn words(piece: Piece, at: Signal<usize>) -> AnyView {
    let text = written_out(&piece.text, Lines::Kept).into_owned();
    match (piece.found, piece.is_filled_in) {
        (Some(place), _) => view! {
            <mark id=found_id(place) class:now=move || at.get() == place>{text}</mark>
        }
        .into_any(),
        (None, true) if text.is_empty() => view! {
            <b class="filled-in nothing" title="A placeholder stands here, and it has no value">
                <span aria-hidden="true">"∅"</span>
                <span class="unseen">"(no value)"</span>
            </b>
        }
        .into_any(),
        (None, true) => {
            view! { <b class="filled-in" title="Filled in from the state">{text}</b> }.into_any()
        }
        (None, false) => text.into_any(),
    }
}
