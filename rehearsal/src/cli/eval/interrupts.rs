//! [`Interrupts`]: Ctrl-C, of which the first ends a run cleanly, and the next one the program at once.

use std::io;

use tokio::sync::oneshot;

/// The exit code of an interrupted program, as shells report SIGINT.
const INTERRUPTED: i32 = 130;

/// Listens for Ctrl-C as long as the program runs.
pub(super) struct Interrupts {
    first: oneshot::Receiver<()>,
}

impl Interrupts {
    /// Listens from now on, so that no Ctrl-C is lost between the first and the second.
    ///
    /// # Errors
    /// The system's, if it does not let the program listen.
    pub(super) fn listen() -> io::Result<Self> {
        let mut pressed = ctrl_c()?;
        let (sender, first) = oneshot::channel();
        tokio::spawn(async move {
            pressed.recv().await;
            // Nobody waits for it once the run is over.
            if sender.send(()).is_ok() {
                pressed.recv().await;
            }
            std::process::exit(INTERRUPTED);
        });
        Ok(Self { first })
    }

    /// Returns at the first Ctrl-C. From then on, and when this is dropped, the next one ends the program.
    pub(super) async fn first(self) {
        if self.first.await.is_err() {
            // The listener is gone, so no Ctrl-C will come.
            std::future::pending::<()>().await;
        }
    }
}

#[cfg(unix)]
fn ctrl_c() -> io::Result<tokio::signal::unix::Signal> {
    use tokio::signal::unix::{SignalKind, signal};
    signal(SignalKind::interrupt())
}

#[cfg(windows)]
use tokio::signal::windows::ctrl_c;
