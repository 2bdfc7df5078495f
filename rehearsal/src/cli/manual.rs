//! `rehearsal man`: the manual pages, for packages.

use std::io;
use std::path::Path;

use clap::CommandFactory as _;

use super::CommandLine;

/// Writes a manual page for each command into `folder`, which is created: `rehearsal.1`, `rehearsal-serve.1`, and so on.
///
/// # Errors
/// The folder or a file in it cannot be written.
pub fn write_manual(folder: &Path) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    clap_mangen::generate_to(CommandLine::command(), folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_command_has_a_page() {
        let folder = tempfile::tempdir().expect("a folder");
        write_manual(&folder.path().join("man1")).expect("written");
        for name in ["rehearsal", "rehearsal-serve", "rehearsal-token-add", "rehearsal-backup"] {
            let page = folder.path().join("man1").join(format!("{name}.1"));
            let text = std::fs::read_to_string(&page).expect(name);
            assert!(text.contains(".SH SYNOPSIS"), "{text}");
        }
    }
}
