//! [`LiveTurnHost`]: the turns of live sessions: their leases and responses.

use api::{ApiError, FieldMessage, LiveId, LiveLeaseId, LivePlace, LiveResponse, LiveTarget};
use async_trait::async_trait;
use json_text::JsonText;

/// The turns of live sessions: their leases and responses. Each method is the server function of
/// the same name.
#[async_trait]
#[expect(missing_docs, reason = "each method is documented at its server function")]
pub trait LiveTurnHost: Send + Sync + 'static {
    async fn check_live_value(
        &self,
        place: LivePlace,
        target: LiveTarget,
        value: JsonText,
    ) -> Result<Vec<FieldMessage>, ApiError>;
    async fn respond_to_turn(&self, response: LiveResponse) -> Result<(), ApiError>;
    async fn take_live_lease(
        &self,
        place: LivePlace,
        lease: LiveLeaseId,
        by: String,
    ) -> Result<(), ApiError>;
    async fn hand_over_live_lease(
        &self,
        place: LivePlace,
        lease: LiveLeaseId,
        to: String,
    ) -> Result<(), ApiError>;
    async fn release_live_lease(
        &self,
        place: LivePlace,
        lease: LiveLeaseId,
    ) -> Result<(), ApiError>;
    async fn cancel_live_turn(
        &self,
        place: LivePlace,
        reason: String,
        by: String,
    ) -> Result<(), ApiError>;
    async fn complete_live_session(
        &self,
        session: LiveId,
        cancel_waiting: bool,
        by: String,
    ) -> Result<(), ApiError>;
    async fn delete_live_session(&self, session: LiveId, by: String) -> Result<(), ApiError>;
}
