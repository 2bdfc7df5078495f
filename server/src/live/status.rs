//! Maps each error to a gRPC status.

use live::Refusal;
use tonic::{Code, Status};

use super::error::LiveError;
use live_store::StoreError;

impl From<LiveError> for Status {
    fn from(error: LiveError) -> Self {
        let code = code(&error);
        if code == Code::Internal || error.is_unopened() {
            tracing::error!("{error}");
        }
        Self::new(code, error.to_string())
    }
}

fn code(error: &LiveError) -> Code {
    match error {
        LiveError::Invalid(_) | LiveError::TooLarge(_) => Code::InvalidArgument,
        LiveError::UnknownSession(_) => Code::NotFound,
        LiveError::SessionTaken(_) => Code::AlreadyExists,
        LiveError::Denied(_) => Code::PermissionDenied,
        LiveError::StillWaiting { .. } => Code::FailedPrecondition,
        LiveError::Stopping => Code::Unavailable,
        LiveError::Refused(refusal) => match refusal {
            Refusal::UnknownTurn(_) => Code::NotFound,
            Refusal::TurnTaken(_) | Refusal::EventTaken(_) | Refusal::AlreadyAnswered { .. } => {
                Code::AlreadyExists
            }
            Refusal::Completed
            | Refusal::AlreadyCancelled { .. }
            | Refusal::NotAtHead { .. }
            | Refusal::LeaseHeld { .. }
            | Refusal::LeaseNotHeld
            | Refusal::TurnsPending { .. } => Code::FailedPrecondition,
        },
        LiveError::Store(error) => match **error {
            StoreError::Full => Code::ResourceExhausted,
            StoreError::InUse { .. } | StoreError::Unreachable { .. } | StoreError::Closed => {
                Code::Unavailable
            }
            // A retry cannot succeed: somebody has to repair the file.
            StoreError::Unopened { .. } | StoreError::OtherVersion { .. } => {
                Code::FailedPrecondition
            }
            StoreError::Damaged(_) | StoreError::Database(_) => Code::Internal,
        },
    }
}
