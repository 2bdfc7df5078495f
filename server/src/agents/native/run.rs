//! One native tool run, in a thread of its own: it may block, panic or never end.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use adk_core::{Tool, ToolContext};
use futures::FutureExt;
use serde_json::Value;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::agents::ToolFailure;

/// How long a cancelled tool may take to notice before its thread is left to itself.
const GRACE: Duration = Duration::from_millis(200);

/// Runs `tool` and tells what came of it and how many milliseconds it took.
///
/// An asynchronous tool is dropped at its next await when `cancel` fires. A blocking one is
/// abandoned: its thread goes on and what it returns is thrown away.
pub(super) async fn run_tool(
    tool: Arc<dyn Tool>,
    context: Arc<dyn ToolContext>,
    arguments: Value,
    cancel: CancellationToken,
) -> (Result<Value, ToolFailure>, f64) {
    let began = Instant::now();
    let (done, ended) = oneshot::channel();
    let inside = cancel.clone();
    let thread =
        std::thread::Builder::new().name(format!("tool {}", tool.name())).spawn(move || {
            // The thread is the tool's alone; whoever waited may be gone.
            let _ = done.send(run_here(tool.as_ref(), context, arguments, &inside));
        });
    if let Err(error) = thread {
        let failure = ToolFailure::new("OSError", format!("no thread could be started: {error}"));
        return (Err(failure), 0.0);
    }
    let result = tokio::select! {
        ended = ended => ended.unwrap_or_else(|_| Err(ToolFailure::cancelled())),
        () = async { cancel.cancelled().await; tokio::time::sleep(GRACE).await } => {
            Err(ToolFailure::cancelled())
        }
    };
    (result, began.elapsed().as_secs_f64() * 1_000.0)
}

fn run_here(
    tool: &dyn Tool,
    context: Arc<dyn ToolContext>,
    arguments: Value,
    cancel: &CancellationToken,
) -> Result<Value, ToolFailure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| ToolFailure::new("OSError", format!("no runtime: {error}")))?;
    let result = runtime.block_on(async {
        let run = AssertUnwindSafe(async { tool.execute(context, arguments).await }).catch_unwind();
        tokio::select! {
            ended = run => Some(ended),
            () = cancel.cancelled() => None,
        }
    });
    runtime.shutdown_background();
    match result {
        None => Err(ToolFailure::cancelled()),
        Some(Ok(Ok(value))) => Ok(value),
        Some(Ok(Err(error))) => Err(ToolFailure {
            error_type: format!("{:?}", error.category),
            message: error.message.clone(),
            traceback: std::error::Error::source(&error)
                .map(|source| format!("{error}\n\ncaused by: {source}")),
        }),
        Some(Err(panic)) => Err(ToolFailure::new("Panic", panic_message(panic.as_ref()))),
    }
}

fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned());
    format!("the tool panicked: {}", text.unwrap_or_else(|| "no message".to_owned()))
}
