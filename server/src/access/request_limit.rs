//! [`RequestLimit`]: limits the concurrent requests of unauthenticated clients, in total and for each
//! address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

use super::login_rate_limit::origin;

/// The most concurrent requests.
const ALL: usize = 64;
/// The most concurrent requests of one address.
const OF_ONE: usize = 8;

/// The permits in use, by address.
#[derive(Default)]
pub(super) struct RequestLimit(Mutex<HashMap<String, usize>>);

/// A permit, released on drop.
pub(super) struct Permit<'p> {
    limit: &'p RequestLimit,
    origin: String,
}

impl RequestLimit {
    /// A permit for `address`, unless a limit is reached.
    pub(super) fn acquire(&self, address: IpAddr) -> Option<Permit<'_>> {
        let origin = origin(address);
        let mut taken = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let own = taken.get(&origin).copied().unwrap_or_default();
        if own >= OF_ONE || taken.values().sum::<usize>() >= ALL {
            return None;
        }
        taken.insert(origin.clone(), own + 1);
        drop(taken);
        Some(Permit { limit: self, origin })
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        let mut taken = self.limit.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = taken.get_mut(&self.origin) {
            *own -= 1;
            if *own == 0 {
                taken.remove(&self.origin);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    fn address(last: u8) -> IpAddr {
        IpAddr::V4(Ipv4Addr::new(192, 0, 2, last))
    }

    #[test]
    fn requests_of_one_address_leave_permits_for_others() {
        let limit = RequestLimit::default();
        let held: Vec<_> = (0..OF_ONE).map(|_| limit.acquire(address(1)).expect("free")).collect();
        assert!(limit.acquire(address(1)).is_none());
        let other = limit.acquire(address(2)).expect("another address");
        drop(held);
        assert!(limit.acquire(address(1)).is_some());
        drop(other);
        let many: Vec<_> = (0..200).filter_map(|last| limit.acquire(address(last))).collect();
        assert_eq!(many.len(), ALL);
    }
}
