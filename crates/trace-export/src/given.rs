//! What the person gives a case: its id and its tags.

/// The longest id that a person can give a case, in bytes.
const LONGEST_ID: usize = 200;

/// The tags without spaces around them, each once.
#[must_use]
pub fn tags(given: Vec<String>) -> Vec<String> {
    let mut tags: Vec<String> = Vec::new();
    for tag in given {
        let tag = tag.trim();
        if !tag.is_empty() && !tags.iter().any(|other| other == tag) {
            tags.push(tag.to_owned());
        }
    }
    tags
}

/// The id that the person gave cannot be that of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("its ID is longer than {LONGEST_ID} bytes or has a control character. Choose another ID")]
pub struct InvalidId;

/// The id that the person gave, without spaces around it; `None` if it is empty.
///
/// # Errors
/// It is too long or has control characters.
pub fn given_id(given: Option<String>) -> Result<Option<String>, InvalidId> {
    let given = given.map(|given| given.trim().to_owned()).filter(|given| !given.is_empty());
    let is_valid = |id: &String| id.len() <= LONGEST_ID && !id.chars().any(char::is_control);
    match given.as_ref().is_none_or(is_valid) {
        true => Ok(given),
        false => Err(InvalidId),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_given_without_spaces_around_it() {
        let given = |id: &str| given_id(Some(id.to_owned()));
        assert_eq!(given_id(None), Ok(None));
        assert_eq!(given("  "), Ok(None));
        assert_eq!(given(" warm office "), Ok(Some("warm office".to_owned())));
        assert!(given("a\nb").is_err());
        assert!(given(&"a".repeat(201)).is_err());
    }

    #[test]
    fn a_tag_is_given_once() {
        let given = ["a", " b ", "", "a ", "b"].map(str::to_owned);
        assert_eq!(tags(given.into()), ["a", "b"]);
    }
}
