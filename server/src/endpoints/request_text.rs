//! [`RequestText`]: the body of a request, read where a large one keeps nobody waiting.

use axum::body::Bytes;
use model_wire::{ApiFault, FaultKind};

use crate::parsing::parse;

/// The body of a request.
pub(super) struct RequestText(Bytes);

impl RequestText {
    pub(super) fn new(body: Bytes) -> Self {
        Self(body)
    }

    /// Reads the text, a large one on a blocking thread.
    pub(super) async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&str) -> Result<T, ApiFault> + Send + 'static,
    ) -> Result<T, ApiFault> {
        let body = self.0.clone();
        parse(body.len(), move || {
            let text = std::str::from_utf8(&body);
            read(text.map_err(|_| ApiFault::new(FaultKind::Invalid, "body: must be UTF-8"))?)
        })
        .await
    }
}
