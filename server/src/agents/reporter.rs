//! [`Reporter`]: how a source tells what happens unasked.

use std::sync::Arc;

use app::api::HostEvent;

/// Passes events of a source's sessions on to the pages that show them.
#[derive(Clone)]
pub struct Reporter(Arc<dyn Fn(HostEvent) + Send + Sync>);

impl Reporter {
    /// Passes every event to `listener`, which must not block.
    #[must_use]
    pub fn new(listener: impl Fn(HostEvent) + Send + Sync + 'static) -> Self {
        Self(Arc::new(listener))
    }

    /// Nobody listens.
    #[must_use]
    pub fn silent() -> Self {
        Self::new(drop)
    }

    /// Tells one event. Only those that name a session reach a page.
    pub fn tell(&self, event: HostEvent) {
        (self.0)(event);
    }
}
