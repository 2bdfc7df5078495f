//! Writes folders that are part of the binary to disk, such as Python packages and examples.
//!
//! Each is in the user's cache, in a folder named by its contents, so that releases do not share files. If the
//! cache cannot be written, a temporary folder is used.

#[cfg(unix)]
use std::fs::DirBuilder;
use std::hash::{DefaultHasher, Hash, Hasher};
#[cfg(unix)]
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt};
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use rust_embed::RustEmbed;

/// Writes the package as a folder `name`, and returns the folder that contains it.
///
/// # Errors
/// The operating system's, when neither the cache nor a temporary folder can be written.
pub fn unpacked<Package: RustEmbed>(name: &str) -> io::Result<PathBuf> {
    let files = files::<Package>();
    let mut hasher = DefaultHasher::new();
    files.hash(&mut hasher);
    let holder = format!("{name}-{:016x}", hasher.finish());
    if let Some(cache) = user_cache() {
        let folder = cache.join("rehearsal").join(&holder);
        match unpack_at(&folder.join(name), &files) {
            Ok(()) => return Ok(folder),
            Err(error) => tracing::debug!("{}: {error}", folder.display()),
        }
    }
    let folder = private_temporary_folder(&env::temp_dir())?.join(&holder);
    unpack_at(&folder.join(name), &files)?;
    Ok(folder)
}

/// This user's folder in `temporary`: the same one each time, so that no host leaves another behind. One with a random
/// name if someone else has access to it, who could have put files there.
fn private_temporary_folder(temporary: &Path) -> io::Result<PathBuf> {
    #[cfg(unix)]
    {
        let user = rustix::process::geteuid().as_raw();
        let folder = temporary.join(format!("rehearsal-{user}"));
        match DirBuilder::new().mode(0o700).create(&folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        let found = fs::symlink_metadata(&folder)?;
        if found.is_dir() && found.uid() == user && found.mode() & 0o077 == 0 {
            return Ok(folder);
        }
    }
    let mut builder = tempfile::Builder::new();
    builder.prefix("rehearsal-");
    #[cfg(unix)]
    builder.permissions(PermissionsExt::from_mode(0o700));
    Ok(builder.tempdir_in(temporary)?.keep())
}

fn files<Package: RustEmbed>() -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<(String, Vec<u8>)> = Package::iter()
        .filter_map(|path| {
            Package::get(&path).map(|file| (path.into_owned(), file.data.into_owned()))
        })
        .collect();
    files.sort();
    files
}

/// Writes the files to `package`, unless the same files are there.
fn unpack_at(package: &Path, files: &[(String, Vec<u8>)]) -> io::Result<()> {
    let is_there = |(name, bytes): &(String, Vec<u8>)| {
        fs::read(package.join(name)).is_ok_and(|found| found == *bytes)
    };
    if files.iter().all(is_there) {
        return Ok(());
    }
    for (name, bytes) in files {
        let path = package.join(name);
        let folder = path.parent().unwrap_or(package);
        fs::create_dir_all(folder)?;
        // Written beside and renamed: another host may be importing the folder now.
        let beside = tempfile::NamedTempFile::new_in(folder)?;
        fs::write(beside.path(), bytes)?;
        beside.persist(&path).map_err(|error| error.error)?;
    }
    Ok(())
}

fn user_cache() -> Option<PathBuf> {
    let named = |key: &str| env::var_os(key).filter(|value| !value.is_empty()).map(PathBuf::from);
    if cfg!(windows) {
        return named("LOCALAPPDATA");
    }
    if let Some(cache) = named("XDG_CACHE_HOME").filter(|cache| cache.is_absolute()) {
        return Some(cache);
    }
    let under_home = if cfg!(target_os = "macos") { "Library/Caches" } else { ".cache" };
    Some(named("HOME")?.join(under_home))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(RustEmbed)]
    #[folder = "python/rehearsal_adk"]
    #[include = "*.py"]
    struct Package;

    #[cfg(unix)]
    #[test]
    fn the_temporary_folder_is_the_same_until_others_have_access() {
        let temporary = tempfile::tempdir().expect("made");
        let first = private_temporary_folder(temporary.path()).expect("made");
        assert_eq!(private_temporary_folder(temporary.path()).expect("found"), first);
        fs::set_permissions(&first, PermissionsExt::from_mode(0o777)).expect("opened");
        let other = private_temporary_folder(temporary.path()).expect("made");
        assert_ne!(other, first);
        assert_eq!(other.metadata().expect("there").mode() & 0o077, 0);
        fs::remove_dir(&first).expect("removed");
        std::os::unix::fs::symlink(&other, &first).expect("linked");
        assert_ne!(private_temporary_folder(temporary.path()).expect("made"), first);
    }

    #[test]
    fn writes_a_package_and_repairs_a_changed_copy() {
        let files = files::<Package>();
        assert!(files.iter().any(|(name, _)| name == "worker.py"));
        assert!(files.iter().all(|(name, _)| !name.contains("__pycache__")));
        let root = tempfile::tempdir().expect("made");
        let folder = root.path().join("deep").join("inside");
        unpack_at(&folder, &files).expect("written");
        let worker = folder.join("worker.py");
        let whole = fs::read(&worker).expect("read");
        fs::write(&worker, "changed").expect("written");
        unpack_at(&folder, &files).expect("written");
        assert_eq!(fs::read(&worker).expect("read"), whole);
    }
}
