//! Returns freed memory to the system.
//!
//! glibc keeps what was freed for later allocations, in the largest amount that was ever in use: after
//! one request of tens of megabytes, the process stays at more than a gigabyte.

use std::time::Duration;

/// How often the amount is checked.
const PAUSE: Duration = Duration::from_secs(5);
/// How much freed memory the process may keep, in bytes.
const KEPT: u64 = 64 * 1024 * 1024;

/// Runs until the host stops.
pub(crate) async fn return_freed() {
    loop {
        tokio::time::sleep(PAUSE).await;
        // A small process needs no count.
        let Some(resident) = resident().filter(|bytes| *bytes > 2 * KEPT) else { continue };
        let trimmed = tokio::task::spawn_blocking(move || {
            if freed(resident) > KEPT {
                trim();
            }
        });
        let _ = trimmed.await;
    }
}

/// The process's memory apart from mapped files, in bytes.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}

/// The part of the process's memory that glibc keeps for later, in bytes: less than 4 GiB, because glibc
/// counts what is in use in 32 bits.
fn freed(resident: u64) -> u64 {
    #[expect(unsafe_code, reason = "glibc's counters, which have no other interface")]
    // SAFETY: it has no preconditions and takes glibc's own locks.
    let counters = unsafe { libc::mallinfo() };
    let used = counters.uordblks.cast_unsigned().wrapping_add(counters.hblkhd.cast_unsigned());
    #[expect(clippy::cast_possible_truncation, reason = "the difference counts")]
    let freed = u64::from((resident as u32).wrapping_sub(used));
    // What is allocated and not yet written is not resident.
    if freed > resident { 0 } else { freed }
}

fn trim() {
    #[expect(unsafe_code, reason = "glibc returns freed memory to the system on request only")]
    // SAFETY: it has no preconditions and takes glibc's own locks.
    unsafe {
        libc::malloc_trim(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn returns_what_was_freed_below_something_in_use() {
        let mut all: Vec<_> = (0..200_000_u32).map(|_| Box::new([1_u8; 1_000])).collect();
        let above_the_others = all.pop();
        drop(all);
        let before = resident().expect("Linux");
        assert!(freed(before) > 2 * KEPT, "{} of {before} are freed", freed(before));
        trim();
        let after = resident().expect("Linux");
        assert!(after + 2 * KEPT < before, "{before} before, {after} after");
        assert!(freed(after) < KEPT, "{} of {after} are freed", freed(after));
        drop(above_the_others);
    }
}
