//! The identifiers: UUIDs of version 4, each kind a type of its own.

use std::fmt;

use uuid::{Uuid, Version};

use crate::Invalid;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $field:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Uuid);

        impl $name {
            /// The field's name on the wire.
            pub const FIELD: &str = $field;

            /// Parses the hyphenated form.
            ///
            /// # Errors
            /// [`Invalid`] when the text is not a UUID of version 4 in that form.
            pub fn parse(text: &str) -> Result<Self, Invalid> {
                let hyphenated = text.len() == 36;
                Uuid::try_parse(text)
                    .ok()
                    .filter(|_| hyphenated)
                    .and_then(Self::from_uuid)
                    .ok_or_else(|| Invalid::new(Self::FIELD, rule(text)))
            }

            /// The identifier with this value; `None` when it is not of version 4.
            #[must_use]
            pub fn from_uuid(uuid: Uuid) -> Option<Self> {
                (uuid.get_version() == Some(Version::Random)).then_some(Self(uuid))
            }

            /// The identifier from random bytes, with version and variant set.
            #[must_use]
            pub fn from_random(bytes: [u8; 16]) -> Self {
                Self(uuid::Builder::from_random_bytes(bytes).into_uuid())
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.hyphenated().fmt(formatter)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.hyphenated().fmt(formatter)
            }
        }
    };
}

id! {
    /// One live session.
    LiveSessionId, "session_id"
}
id! {
    /// One call of an agent to its model: a request, and at most one response.
    TurnId, "turn_id"
}
id! {
    /// One event of a session.
    EventId, "event_id"
}
id! {
    /// One person's lease of a turn. It authorizes a response, so it is shown only to its owner.
    LeaseId, "lease_id"
}

fn rule(text: &str) -> String {
    let seen: String = text.chars().take(60).collect();
    format!("must be a hyphenated UUID of version 4, not {seen:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_only_hyphenated_uuids_of_version_4() {
        let good = "936da01f-9abd-4d9d-80c7-02af85c822a8";
        assert_eq!(TurnId::parse(good).expect("version 4").to_string(), good);
        assert_eq!(TurnId::parse(&good.to_uppercase()).expect("any case").to_string(), good);
        for bad in [
            "",
            "turn-1",
            "936da01f9abd4d9d80c702af85c822a8",
            "{936da01f-9abd-4d9d-80c7-02af85c822a8}",
            "00000000-0000-0000-0000-000000000000",
            "936da01f-9abd-1d9d-80c7-02af85c822a8",
            "936da01f-9abd-4d9d-80c7-02af85c822a8 ",
        ] {
            let refused = TurnId::parse(bad).expect_err(bad);
            assert_eq!(refused.field, "turn_id");
            assert!(
                refused.rule.starts_with("must be a hyphenated UUID of version 4"),
                "{refused}"
            );
        }
    }
}
