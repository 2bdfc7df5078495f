//! Files that commands write under a name that somebody gave: they replace nothing but files, and have the ordinary
//! permissions.

use std::fs::Permissions;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
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

/// The permissions of the file that is replaced, or those with which programs create files, of which the process's
/// mask takes away some. Who asks for a file by name decides by the mask and the folder who reads it.
pub(super) fn permissions(path: &Path) -> Permissions {
    match std::fs::metadata(path) {
        Ok(replaced) => replaced.permissions(),
        Err(_) => Permissions::from_mode(0o666),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_file_has_the_ordinary_permissions_and_a_replaced_one_keeps_its_own() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("file");
        let mut draft = tempfile::Builder::new();
        let draft = draft.permissions(permissions(&file)).tempfile_in(folder.path()).expect("made");
        std::fs::write(&file, "").expect("written");
        let mode =
            |path: &Path| std::fs::metadata(path).expect("there").permissions().mode() & 0o777;
        assert_eq!(mode(draft.path()), mode(&file));
        std::fs::set_permissions(&file, Permissions::from_mode(0o640)).expect("changed");
        assert_eq!(permissions(&file).mode() & 0o777, 0o640);
    }

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
