//! Checks the people and tokens of a configuration.

use std::ops::Range;

use live::DisplayName;

use super::error::{ConfigError, nearest};
use super::file::ConfigFile;
use super::source_location::SourceLocation;
use rehearsal_server::access::{Access, SecretHash};

pub(super) fn check(
    file: &ConfigFile,
    location: impl Fn(Range<usize>) -> SourceLocation,
) -> Result<Access, ConfigError> {
    let mut access = Access::default().audit_file(file.security.audit_file.clone());
    let malformed = |span: Range<usize>, message: String| ConfigError::Malformed {
        location: Box::new(location(span)),
        message,
    };
    let name = |written: &toml::Spanned<String>| {
        DisplayName::given(written.get_ref())
            .map_err(|fault| malformed(written.span(), format!("`name` {}", fault.rule)))
    };
    let hash = |written: &toml::Spanned<String>, made_by: &str| {
        SecretHash::parse(written.get_ref()).map_err(|_| {
            let message = format!(
                "this is not an Argon2 hash: create one with `rehearsal {made_by} add NAME`"
            );
            malformed(written.span(), message)
        })
    };
    let mut seen = Vec::new();
    for person in &file.people {
        let known = name(&person.name)?;
        if seen.contains(&known) {
            let message = format!("`{known}` is repeated: names must be unique");
            return Err(malformed(person.name.span(), message));
        }
        seen.push(known.clone());
        access = access.person(known, hash(&person.password, "user")?);
    }
    let names = file.tokens.iter().map(|token| name(&token.name));
    let names: Vec<DisplayName> = names.collect::<Result<_, _>>()?;
    let named = |written: &toml::Spanned<String>| {
        let found = names.iter().find(|name| name.as_str() == written.get_ref().trim());
        found.cloned().ok_or_else(|| {
            let known: Vec<String> = names.iter().map(DisplayName::to_string).collect();
            ConfigError::UnknownValue {
                location: Box::new(location(written.span())),
                value: written.get_ref().clone(),
                nearest: nearest(written.get_ref(), &known),
                known,
            }
        })
    };
    let mut ids: Vec<&str> = Vec::new();
    for (token, name) in file.tokens.iter().zip(&names) {
        let id = token.id.get_ref().as_str();
        if ids.contains(&id) {
            let message = format!("the token `{id}` is repeated: remove one of them");
            return Err(malformed(token.id.span(), message));
        }
        ids.push(id);
        let responds_to = token.responds_to.iter().map(&named).collect::<Result<_, _>>()?;
        let hash = hash(&token.hash, "token")?;
        access = access.responding_token(id, name.clone(), hash, responds_to);
    }
    Ok(access)
}
