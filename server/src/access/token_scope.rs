//! [`TokenScope`]: the sessions that a token's request may act on.

use super::rules::Rule;

/// The sessions that the request of a token may act on, by the rule of its method or endpoint. Sessions
/// are known by their owners, the identities of the callers that opened them.
#[derive(Debug)]
pub(crate) struct TokenScope {
    pub(super) rule: Rule,
    /// The identity of the token.
    pub(super) own: String,
    /// The identities of the tokens that it responds to.
    pub(super) responds_to: Vec<String>,
}

/// Why a token may not act on a session that it sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Denied {
    /// It asks there.
    #[error(
        "session_id: the token that opened the session asks in it and cannot respond; log in, or use \
         a token whose `responds_to` in rehearsal.toml names it"
    )]
    AsksOnly,
    /// It responds there.
    #[error(
        "session_id: this token responds in the session and cannot ask in it; use the token that \
         opened the session"
    )]
    RespondsOnly,
}

impl TokenScope {
    /// The owners on whose sessions the request may act.
    pub(crate) fn owners(&self) -> Vec<String> {
        let own = Some(&self.own).filter(|_| self.rule != Rule::Responder);
        let others = self.responds_to.iter().filter(|_| self.rule != Rule::Opener);
        own.into_iter().chain(others).cloned().collect()
    }

    /// Whether the token sees the sessions of this owner. Any other session does not exist for it.
    pub(crate) fn sees(&self, owner: Option<&str>) -> bool {
        self.opened(owner) || self.responds_in(owner)
    }

    /// Checks that the request may act on a session of this owner, which the token sees.
    pub(crate) fn check(&self, owner: Option<&str>) -> Result<(), Denied> {
        match self.rule {
            Rule::Opener if !self.opened(owner) => Err(Denied::RespondsOnly),
            Rule::Responder if !self.responds_in(owner) => Err(Denied::AsksOnly),
            Rule::AnyToken | Rule::Opener | Rule::Responder | Rule::OpenerOrResponder => Ok(()),
        }
    }

    fn opened(&self, owner: Option<&str>) -> bool {
        owner == Some(self.own.as_str())
    }

    fn responds_in(&self, owner: Option<&str>) -> bool {
        owner.is_some_and(|owner| self.responds_to.iter().any(|known| known == owner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(rule: Rule, responds_to: &[&str]) -> TokenScope {
        let responds_to = responds_to.iter().map(|&it| it.to_owned()).collect();
        TokenScope { rule, own: "token own".to_owned(), responds_to }
    }

    #[test]
    fn a_token_sees_what_it_opened_and_what_it_responds_to() {
        let scope = scope(Rule::OpenerOrResponder, &["token asks"]);
        let sees = [Some("token own"), Some("token asks"), Some("token other"), Some("own"), None]
            .map(|owner| scope.sees(owner));
        assert_eq!(sees, [true, true, false, false, false]);
    }

    #[test]
    fn a_list_has_the_sessions_that_the_rule_is_for() {
        let owners = |rule| scope(rule, &["token asks"]).owners();
        assert_eq!(owners(Rule::Opener), ["token own"]);
        assert_eq!(owners(Rule::Responder), ["token asks"]);
        assert_eq!(owners(Rule::OpenerOrResponder), ["token own", "token asks"]);
    }

    #[test]
    fn a_rule_is_for_the_opener_or_for_the_responder() {
        let check = |rule, owner, responds_to: &[&str]| scope(rule, responds_to).check(Some(owner));
        for (rule, opener, responder) in [
            (Rule::Opener, Ok(()), Err(Denied::RespondsOnly)),
            (Rule::Responder, Err(Denied::AsksOnly), Ok(())),
            (Rule::OpenerOrResponder, Ok(()), Ok(())),
        ] {
            assert_eq!(check(rule, "token own", &[]), opener, "{rule:?}");
            assert_eq!(check(rule, "token asks", &["token asks"]), responder, "{rule:?}");
            assert_eq!(check(rule, "token own", &["token own"]), Ok(()), "{rule:?}: it does both");
        }
    }
}
