//! [`Places`]: limits the concurrent requests of unauthenticated clients, in total and for each
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
pub(super) struct Places(Mutex<HashMap<String, usize>>);

/// A permit, released on drop.
pub(super) struct Place<'p> {
    places: &'p Places,
    origin: String,
}

impl Places {
    /// A permit for `address`, unless a limit is reached.
    pub(super) fn take(&self, address: IpAddr) -> Option<Place<'_>> {
        let origin = origin(address);
        let mut taken = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let own = taken.get(&origin).copied().unwrap_or_default();
        if own >= OF_ONE || taken.values().sum::<usize>() >= ALL {
            return None;
        }
        taken.insert(origin.clone(), own + 1);
        drop(taken);
        Some(Place { places: self, origin })
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut taken = self.places.0.lock().unwrap_or_else(PoisonError::into_inner);
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
    fn one_address_leaves_room_for_others() {
        let places = Places::default();
        let held: Vec<_> = (0..OF_ONE).map(|_| places.take(address(1)).expect("free")).collect();
        assert!(places.take(address(1)).is_none());
        let other = places.take(address(2)).expect("another's place");
        drop(held);
        assert!(places.take(address(1)).is_some());
        drop(other);
        let many: Vec<_> = (0..200).filter_map(|last| places.take(address(last))).collect();
        assert_eq!(many.len(), ALL);
    }
}
