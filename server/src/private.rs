//! Private folders, for conversations and audit logs.

use std::fs::DirBuilder;
use std::io;
#[cfg(unix)]
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;

/// Creates the folder and its missing parents with access for the owner only. Existing folders keep
/// their permissions.
///
/// # Errors
/// The file system's error.
pub(crate) fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    builder.mode(0o700);
    builder.create(folder)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn new_folders_are_private_and_existing_ones_unchanged() {
        let folder = tempfile::tempdir().expect("a folder");
        let mode = |path: &Path| path.metadata().expect("there").permissions().mode() & 0o777;
        let old = folder.path().join("old");
        std::fs::create_dir(&old).expect("made");
        std::fs::set_permissions(&old, PermissionsExt::from_mode(0o755)).expect("opened");
        make_folder(&old.join("new")).expect("made");
        make_folder(&old).expect("it is there");
        assert_eq!((mode(&old), mode(&old.join("new"))), (0o755, 0o700));
    }
}
