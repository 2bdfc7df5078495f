//! [`LoginRateLimit`]: limits failed authentication attempts.
//!
//! The limit is five attempts for one name from one address, and fifty from one address for all
//! names. A caller that is logged in, or that has sent a valid token before, is not limited, even
//! behind a shared address.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

const WINDOW: Duration = Duration::from_secs(5 * 60);
const FOR_A_NAME: u32 = 5;
const FROM_AN_ADDRESS: u32 = 50;
/// The number of entries above which expired ones are removed.
const MANY: usize = 4096;

/// Failed attempts, by address and name, and by address alone.
#[derive(Debug, Default)]
pub(super) struct LoginRateLimit(Mutex<HashMap<(String, Option<String>), Failures>>);

#[derive(Debug)]
struct Failures {
    count: u32,
    first: Instant,
}

impl LoginRateLimit {
    /// Whether another attempt is allowed.
    ///
    /// # Errors
    /// The number of seconds until the next attempt is allowed.
    pub(super) fn allow(&self, from: &str, name: &str) -> Result<(), u64> {
        let failures = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let limits = [(Some(name.to_owned()), FOR_A_NAME), (None, FROM_AN_ADDRESS)];
        for (name, most) in limits {
            if let Some(failures) = failures.get(&(from.to_owned(), name))
                && failures.count >= most
                && let Some(left) = WINDOW.checked_sub(failures.first.elapsed())
            {
                return Err(left.as_secs() + 1);
            }
        }
        Ok(())
    }

    pub(super) fn record_failure(&self, from: &str, name: &str) {
        let mut failures = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if failures.len() > MANY {
            failures.retain(|_, failures| failures.first.elapsed() < WINDOW);
        }
        for name in [Some(name.to_owned()), None] {
            let fresh = || Failures { count: 0, first: Instant::now() };
            let entry = failures.entry((from.to_owned(), name)).or_insert_with(fresh);
            if entry.first.elapsed() >= WINDOW {
                *entry = fresh();
            }
            entry.count += 1;
        }
    }

    /// Resets the count after a successful attempt.
    pub(super) fn reset(&self, from: &str, name: &str) {
        let mut failures = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        failures.remove(&(from.to_owned(), Some(name.to_owned())));
    }
}

/// The key for an address: for IPv6 its network, because one owner holds the whole network.
pub(super) fn origin(address: IpAddr) -> String {
    match address.to_canonical() {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).to_string()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_a_name_after_five_failures_until_a_success() {
        let rate_limit = LoginRateLimit::default();
        for _ in 0..5 {
            assert_eq!(rate_limit.allow("1.2.3.4", "Ann"), Ok(()));
            rate_limit.record_failure("1.2.3.4", "Ann");
        }
        assert!(rate_limit.allow("1.2.3.4", "Ann").is_err_and(|seconds| seconds <= 301));
        assert_eq!(rate_limit.allow("1.2.3.4", "Bob"), Ok(()), "another name");
        assert_eq!(rate_limit.allow("4.3.2.1", "Ann"), Ok(()), "another address");
        rate_limit.reset("1.2.3.4", "Ann");
        assert_eq!(rate_limit.allow("1.2.3.4", "Ann"), Ok(()));
    }

    #[test]
    fn rejects_an_address_after_fifty_failures() {
        let rate_limit = LoginRateLimit::default();
        for number in 0..50 {
            rate_limit.record_failure("1.2.3.4", &format!("name {number}"));
        }
        assert!(rate_limit.allow("1.2.3.4", "one more").is_err());
        assert_eq!(rate_limit.allow("4.3.2.1", "one more"), Ok(()));
    }

    #[test]
    fn counts_an_ipv6_network_as_one_address() {
        let one = origin("2001:db8:1:2:3:4:5:6".parse().expect("an address"));
        assert_eq!(one, origin("2001:db8:1:2::1".parse().expect("an address")));
        assert_eq!(origin("::ffff:1.2.3.4".parse().expect("an address")), "1.2.3.4");
    }
}
