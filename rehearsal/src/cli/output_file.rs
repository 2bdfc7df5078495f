//! [`refuse_special_file`]: files that are replaced must be files.

use std::io;
use std::path::Path;

/// Checks that replacing what is at `path` replaces nothing but a file.
///
/// # Errors
/// If it is a folder, a device, a pipe or a socket.
pub(super) fn refuse_special_file(path: &Path) -> io::Result<()> {
    let Ok(found) = std::fs::metadata(path) else { return Ok(()) };
    if found.is_dir() {
        return Err(io::Error::other("it is a folder; use a file in it"));
    }
    if !found.is_file() {
        let message = "it is a device, a pipe or a socket; redirect standard output to it instead";
        return Err(io::Error::other(message));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_are_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let socket = folder.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).expect("bound");
        for (path, reason) in [(folder.path(), "a folder"), (&socket, "redirect standard output")] {
            let refused = refuse_special_file(path).expect_err("refused").to_string();
            assert!(refused.contains(reason), "{refused}");
        }
        let file = folder.path().join("file");
        refuse_special_file(&file).expect("a new file");
        std::fs::write(&file, "").expect("written");
        refuse_special_file(&file).expect("a file");
    }
}
