//! Runs work on files on a blocking thread.

use api::ApiError;

/// Runs `work` on a blocking thread; `what` names it in the log.
pub(crate) async fn run_blocking<T: Send + 'static>(
    what: &'static str,
    work: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    tokio::task::spawn_blocking(work).await.map_err(|error| {
        tracing::error!("{what}: {error}");
        ApiError::Internal(what.to_owned())
    })?
}
