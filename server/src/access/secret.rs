//! Secrets and their hashes. The configuration holds the hash; a secret is shown once.

use std::fmt;
use std::sync::LazyLock;

use argon2::Argon2;
use argon2::password_hash::rand_core::{OsRng, RngCore};
use argon2::password_hash::{self, PasswordHash, PasswordHasher, PasswordVerifier, SaltString};

/// The prefix of every token.
const PREFIX: &str = "rehearsal_";
/// How many random bytes a token's id and its secret part have.
const ID_BYTES: usize = 4;
const SECRET_BYTES: usize = 32;

/// The Argon2 hash of a password or a token, in the PHC string format.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretHash(String);

impl SecretHash {
    /// Hashes a secret with a fresh salt.
    ///
    /// # Errors
    /// The system has no randomness or too little memory.
    pub fn of(secret: &str) -> Result<Self, password_hash::Error> {
        let salt = SaltString::generate(&mut OsRng);
        let hash = Argon2::default().hash_password(secret.as_bytes(), &salt)?;
        Ok(Self(hash.to_string()))
    }

    /// Parses the text that [`SecretHash::as_str`] returned.
    ///
    /// # Errors
    /// The text is not an Argon2 hash in the PHC string format.
    pub fn parse(text: &str) -> Result<Self, password_hash::Error> {
        let hash = PasswordHash::new(text)?;
        argon2::Algorithm::try_from(hash.algorithm)?;
        argon2::Params::try_from(&hash)?;
        if hash.hash.is_none() || hash.salt.is_none() {
            return Err(password_hash::Error::PhcStringField);
        }
        Ok(Self(text.to_owned()))
    }

    /// The text for the configuration.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Verifies a secret. Takes tens of milliseconds, whether or not it matches.
    #[must_use]
    pub fn fits(&self, secret: &str) -> bool {
        let parsed = PasswordHash::new(&self.0);
        parsed.is_ok_and(|hash| Argon2::default().verify_password(secret.as_bytes(), &hash).is_ok())
    }

    /// A hash that matches no secret, for checks that must take the usual time.
    pub(super) fn matching_nothing() -> &'static Self {
        static MATCHING_NOTHING: LazyLock<SecretHash> = LazyLock::new(|| {
            let mut bytes = [0; SECRET_BYTES];
            OsRng.fill_bytes(&mut bytes);
            SecretHash::of(&hex(&bytes)).unwrap_or_else(|_| SecretHash(String::new()))
        });
        &MATCHING_NOTHING
    }
}

impl fmt::Debug for SecretHash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SecretHash(…)")
    }
}

/// A new token. Only its hash is stored.
pub struct FreshToken {
    /// The token, for the program.
    pub token: String,
    /// Its public id, the key of its hash.
    pub id: String,
    /// The hash, for the configuration.
    pub hash: SecretHash,
}

impl FreshToken {
    /// A token of 256 random bits.
    ///
    /// # Errors
    /// The system has no randomness or too little memory.
    pub fn new() -> Result<Self, password_hash::Error> {
        let mut bytes = [0; ID_BYTES + SECRET_BYTES];
        OsRng.try_fill_bytes(&mut bytes).map_err(|_| password_hash::Error::Crypto)?;
        let (id, secret) = bytes.split_at(ID_BYTES);
        let id = hex(id);
        let token = format!("{PREFIX}{id}_{}", hex(secret));
        Ok(Self { hash: SecretHash::of(&token)?, token, id })
    }
}

/// The public id in a token.
pub(super) fn token_id(token: &str) -> Option<&str> {
    token.strip_prefix(PREFIX)?.split_once('_').map(|(id, _)| id)
}

/// Random bytes as hexadecimal digits.
pub(super) fn random(bytes: &mut [u8; SECRET_BYTES]) -> String {
    OsRng.fill_bytes(bytes);
    hex(bytes)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_secret_itself_matches_its_hash() {
        let hash = SecretHash::of("correct horse").expect("hashes");
        let read = SecretHash::parse(hash.as_str()).expect("reads its own");
        assert!(read.fits("correct horse"));
        assert!(!read.fits("correct hors"));
        assert!(!SecretHash::matching_nothing().fits(""));
        assert_ne!(hash, SecretHash::of("correct horse").expect("hashes"), "salted");
        assert_eq!(format!("{hash:?}"), "SecretHash(…)");
    }

    #[test]
    fn parses_only_argon2_hashes() {
        for wrong in
            ["", "correct horse", "$2b$12$abc", "$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHQ"]
        {
            assert!(SecretHash::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_token_contains_its_id() {
        let fresh = FreshToken::new().expect("makes");
        assert_eq!(token_id(&fresh.token), Some(fresh.id.as_str()));
        assert!(fresh.hash.fits(&fresh.token));
        assert_eq!(token_id("sk-other"), None);
    }
}
