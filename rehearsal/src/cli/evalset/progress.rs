//! Progress of reading a file: a bar on a terminal, nothing elsewhere.

use std::io::IsTerminal as _;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A progress bar over a number of bytes, on standard error. It appears after a delay, so short
/// reads show none.
pub(in crate::cli) fn bar(bytes: u64, what: &str) -> ProgressBar {
    let quiet = !std::io::stderr().is_terminal() || std::env::var_os("CI").is_some();
    if quiet || bytes < SHORT {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(Some(bytes), ProgressDrawTarget::stderr_with_hz(10));
    let style = "{msg} {wide_bar} {bytes}/{total_bytes} {eta}";
    let bar = match ProgressStyle::with_template(style) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    };
    bar.set_message(what.to_owned());
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// Shorter files are read too fast for a bar.
const SHORT: u64 = 16 << 20;
