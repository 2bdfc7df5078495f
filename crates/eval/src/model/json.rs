//! Answers that must be JSON.

use json_text::JsonText;

use super::{Model, ModelFailure, ModelMessage, ModelNameError, ModelRequest, UsageNote};

/// Why an answer cannot be used, as whoever gave it gets to read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct UnfitAnswer(String);

impl<T: Into<String>> From<T> for UnfitAnswer {
    fn from(reason: T) -> Self {
        Self(reason.into())
    }
}

/// Why a model did not answer with the JSON that was asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum JsonFailure {
    /// It is not known, or its key is missing.
    #[error(transparent)]
    Name(#[from] ModelNameError),
    /// It gave no answer.
    #[error(transparent)]
    Model(#[from] ModelFailure),
    /// Its last answer cannot be used either.
    #[error("the answer of {model} cannot be used: {reason}. It was: {shown}")]
    Unusable { model: String, reason: UnfitAnswer, shown: String },
}

/// Asks a model whose answer must be JSON that `read` accepts. An answer that is not is asked for once more, with
/// the reason.
///
/// # Errors
/// [`JsonFailure`].
pub(crate) async fn ask_for_json<T>(
    model: &Model,
    mut request: ModelRequest,
    note: UsageNote<'_>,
    read: impl Fn(&JsonText) -> Result<T, UnfitAnswer>,
) -> Result<T, JsonFailure> {
    let text = model.ask_noting(&request, note).await?.text;
    let error = match read_json(&text, &read) {
        Ok(value) => return Ok(value),
        Err(error) => error,
    };
    repeat(&mut request, text, &error);
    let text = model.ask_noting(&request, note).await?.text;
    read_json(&text, &read).map_err(|reason| {
        let (model, shown) = (model.name().to_owned(), beginning(&text));
        JsonFailure::Unusable { model, reason, shown }
    })
}

/// What `read` makes of an answer.
///
/// # Errors
/// Why it cannot be used.
pub(crate) fn read_json<T>(
    text: &str,
    read: impl Fn(&JsonText) -> Result<T, UnfitAnswer>,
) -> Result<T, UnfitAnswer> {
    let json = JsonText::parse(unfenced(text));
    read(&json.map_err(|error| format!("it is not JSON: {error}"))?)
}

/// Asks again after an answer that cannot be used.
pub(crate) fn repeat(request: &mut ModelRequest, text: String, error: &UnfitAnswer) {
    request
        .messages
        .extend([ModelMessage::FromModel(text), ModelMessage::ToModel(correction(error))]);
}

/// What asks for another answer than one that cannot be used.
pub(crate) fn correction(error: &UnfitAnswer) -> String {
    format!("This answer cannot be used: {error}. Answer again, with the JSON alone.")
}

/// As much of an answer as an error shows.
pub(crate) fn beginning(answer: &str) -> String {
    answer.chars().take(200).collect()
}

/// The text without the fence in which models put code.
fn unfenced(text: &str) -> &str {
    let text = text.trim();
    let Some(inner) = text.strip_prefix("```").and_then(|inner| inner.strip_suffix("```")) else {
        return text;
    };
    // The first line names the language.
    inner.split_once('\n').map_or(inner, |(_, rest)| rest).trim()
}

#[cfg(test)]
mod tests {
    use super::unfenced;

    #[test]
    fn fences_are_taken_off() {
        assert_eq!(unfenced("```json\n{\"a\": 1}\n```"), "{\"a\": 1}");
        assert_eq!(unfenced(" {\"a\": 1}\n"), "{\"a\": 1}");
        assert_eq!(unfenced("```\n1\n```\n"), "1");
    }
}
