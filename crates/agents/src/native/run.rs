//! Runs a native tool in a thread of its own, because it may block, panic or never end.

use std::any::Any;
use std::io::{self, Write};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use adk_core::{AdkError, Tool, ToolContext};
use futures::FutureExt;
use json_text::JsonText;
use serde_json::Value;
use session::ToolError;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::{MAX_RESULT_BYTES, ToolFailure};

/// How long a canceled tool may take to end before its thread is abandoned.
const GRACE: Duration = Duration::from_millis(200);

/// Runs `tool`. Returns its result and its duration in milliseconds.
///
/// When `cancel` fires, an asynchronous tool is dropped at its next await. A blocking one is abandoned: its
/// thread continues, and its result is dropped.
pub(super) async fn run_tool(
    tool: Arc<dyn Tool>,
    context: Arc<dyn ToolContext>,
    arguments: Value,
    cancel: CancellationToken,
) -> (Result<JsonText, ToolFailure>, f64) {
    let began = Instant::now();
    let (done, ended) = oneshot::channel();
    let inside = cancel.clone();
    let thread =
        std::thread::Builder::new().name(format!("tool {}", tool.name())).spawn(move || {
            // The caller may be gone.
            let _ = done.send(run_here(tool.as_ref(), context, arguments, &inside));
        });
    if let Err(error) = thread {
        let failure = ToolFailure::new("OSError", format!("no thread could be started: {error}"));
        return (Err(failure), 0.0);
    }
    let result = tokio::select! {
        ended = ended => ended.unwrap_or_else(|_| Err(ToolFailure::cancelled())),
        () = async { cancel.cancelled().await; tokio::time::sleep(GRACE).await } => {
            Err(ToolFailure::abandoned())
        }
    };
    (result, began.elapsed().as_secs_f64() * 1_000.0)
}

fn run_here(
    tool: &dyn Tool,
    context: Arc<dyn ToolContext>,
    arguments: Value,
    cancel: &CancellationToken,
) -> Result<JsonText, ToolFailure> {
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
        Some(Ok(Ok(value))) => text_of(&value),
        Some(Ok(Err(error))) => Err(ToolFailure {
            error_type: category(&error),
            message: error.message.clone(),
            traceback: std::error::Error::source(&error)
                .map(|source| format!("{error}\n\ncaused by: {source}")),
        }),
        Some(Err(panic)) => Err(ToolFailure::new("Panic", panic_message(panic.as_ref()))),
    }
}

/// The error type of a tool's error. It differs from the types for failures of a call itself.
fn category(error: &AdkError) -> String {
    let name = format!("{:?}", error.category);
    if ToolError::OF_THE_CALL.contains(&name.as_str()) { format!("adk_core.{name}") } else { name }
}

/// The result as text, unless that is too long.
fn text_of(value: &Value) -> Result<JsonText, ToolFailure> {
    match serde_json::to_writer(ByteLimit { left: MAX_RESULT_BYTES }, value) {
        Ok(()) => Ok(JsonText::from_value(value)),
        Err(_) => Err(ToolFailure::new(
            ToolError::INVALID_OUTPUT,
            format!(
                "The tool's result is longer than the limit of {} MB of JSON. Return less.",
                MAX_RESULT_BYTES / 1024 / 1024
            ),
        )),
    }
}

/// Counts bytes up to a limit.
struct ByteLimit {
    left: usize,
}

impl Write for ByteLimit {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.left = self.left.checked_sub(bytes.len()).ok_or(io::ErrorKind::FileTooLarge)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned());
    format!("the tool panicked: {}", text.unwrap_or_else(|| "no message".to_owned()))
}
