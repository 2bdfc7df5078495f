//! Private files and folders, for conversations and audit logs: only their owner has access.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
#[cfg(unix)]
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt};
use std::path::Path;

/// Creates the folder and its missing parents with access for the owner only. Existing folders keep
/// their permissions.
///
/// # Errors
/// The file system's error.
pub fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    builder.mode(0o700);
    builder.create(folder)
}

/// Opens the file for appending, and creates it with access for the owner only. An existing file keeps
/// its permissions until [`restrict`].
///
/// # Errors
/// The file system's error.
pub fn open_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    options.mode(0o600);
    options.open(path)
}

/// Removes everyone else's access to a file, if it exists. Only its owner can do that, so a failure is
/// logged.
pub fn restrict(path: &Path) {
    #[cfg(unix)]
    {
        let restricted = std::fs::metadata(path).and_then(|file| {
            let is_open = file.permissions().mode() & 0o077 != 0;
            if is_open {
                std::fs::set_permissions(path, PermissionsExt::from_mode(0o600))
            } else {
                Ok(())
            }
        });
        match restricted {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                tracing::warn!("others may read {}: {error}", path.display());
            }
            _ => {}
        }
    }
    #[cfg(not(unix))]
    let _ = path;
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        path.metadata().expect("there").permissions().mode() & 0o777
    }

    #[test]
    fn new_folders_are_private_and_existing_ones_unchanged() {
        let folder = tempfile::tempdir().expect("a folder");
        let old = folder.path().join("old");
        std::fs::create_dir(&old).expect("made");
        std::fs::set_permissions(&old, PermissionsExt::from_mode(0o755)).expect("opened");
        make_folder(&old.join("new")).expect("made");
        make_folder(&old).expect("it is there");
        assert_eq!((mode(&old), mode(&old.join("new"))), (0o755, 0o700));
    }

    #[test]
    fn files_are_private_when_they_are_created_or_restricted() {
        let folder = tempfile::tempdir().expect("a folder");
        let [new, old] = ["new", "old"].map(|name| folder.path().join(name));
        open_file(&new).expect("created");
        std::fs::write(&old, "from an earlier version").expect("written");
        std::fs::set_permissions(&old, PermissionsExt::from_mode(0o644)).expect("opened");
        restrict(&old);
        restrict(&folder.path().join("none"));
        assert_eq!((mode(&new), mode(&old)), (0o600, 0o600));
    }
}
