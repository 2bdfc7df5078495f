//! Code in color, drawn as text.

use leptos::prelude::*;
use value_tree::{Highlighter, Language, SyntaxColor};

use app::state::excerpt::{Lines, written_out};

/// The lines of `text`, each in pieces of one color.
pub fn code_lines(text: &str, language: Language) -> Vec<Vec<(SyntaxColor, String)>> {
    let mut code = Highlighter::new(language);
    let written =
        |(hue, piece): (SyntaxColor, &str)| (hue, written_out(piece, Lines::Kept).into_owned());
    text.lines().map(|line| code.line(line).into_iter().map(written).collect()).collect()
}

/// A piece of a line.
pub fn colored(hue: SyntaxColor, piece: &str) -> AnyView {
    let class = match hue {
        SyntaxColor::Plain => return piece.to_owned().into_any(),
        SyntaxColor::Comment => "ink-nothing",
        SyntaxColor::Text => "ink-text",
        SyntaxColor::Number => "ink-number",
        SyntaxColor::Keyword => "ink-key",
    };
    view! { <span class=class>{piece.to_owned()}</span> }.into_any()
}
