//! [`Replaceable`]: a part of the configuration that a running host can exchange.

use std::sync::{Arc, PoisonError, RwLock};

/// A value that its readers take as it is now. Copies share it.
pub(crate) struct Replaceable<T>(Arc<RwLock<Arc<T>>>);

impl<T> Replaceable<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(Arc::new(RwLock::new(Arc::new(value))))
    }

    pub(crate) fn get(&self) -> Arc<T> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn set(&self, value: T) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(value);
    }
}

impl<T> Clone for Replaceable<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}
