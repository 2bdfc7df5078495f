//! [`Destination`]: the output of a report. A file is written atomically.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use indicatif::ProgressBar;
use tempfile::NamedTempFile;

use super::error::ScoreError;
use crate::cli::output_file::{permissions, refuse_special_file};

/// A file being written.
#[derive(Debug)]
struct Draft {
    draft: BufWriter<NamedTempFile>,
    /// The given path, and the path with links resolved.
    named: PathBuf,
    real: PathBuf,
}

/// The output of a report.
#[derive(Debug)]
pub(in crate::cli) struct Destination<'o, W> {
    file: Option<Draft>,
    out: &'o mut W,
    /// The progress bar, which is hidden while text is written.
    bar: ProgressBar,
}

impl<'o, W: Write> Destination<'o, W> {
    /// Opens the output, which must be none of `inputs`.
    pub(in crate::cli) fn open<'p>(
        path: Option<&Path>,
        inputs: impl IntoIterator<Item = &'p PathBuf>,
        out: &'o mut W,
        bar: ProgressBar,
    ) -> Result<Self, ScoreError> {
        let Some(path) = path else { return Ok(Self { file: None, out, bar }) };
        let unwritable = |cause| ScoreError::Unwritable { path: path.to_owned(), cause };
        // Writes to the target of a link.
        let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        if inputs.into_iter().any(|input| input.canonicalize().is_ok_and(|input| input == real)) {
            return Err(ScoreError::OutputIsInput { path: path.to_owned() });
        }
        refuse_special_file(&real).map_err(unwritable)?;
        let folder = real.parent().filter(|folder| *folder != Path::new(""));
        let folder = folder.unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder).map_err(unwritable)?;
        let draft = tempfile::Builder::new()
            .prefix(".rehearsal-")
            .permissions(permissions(&real))
            .tempfile_in(folder)
            .map_err(unwritable)?;
        let draft = Draft { draft: BufWriter::new(draft), named: path.to_owned(), real };
        Ok(Self { file: Some(draft), out, bar })
    }

    /// Finishes the report and flushes the output.
    pub(in crate::cli) fn keep(self) -> Result<Option<(&'o mut W, PathBuf)>, ScoreError> {
        let Some(Draft { draft, named, real }) = self.file else {
            self.out.flush()?;
            return Ok(None);
        };
        let unwritable = |cause| ScoreError::Unwritable { path: named.clone(), cause };
        let draft = draft.into_inner().map_err(|error| unwritable(error.into_error()))?;
        draft.persist(&real).map_err(|error| unwritable(error.error))?;
        Ok(Some((self.out, named)))
    }
}

impl<W: Write> Write for Destination<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.file {
            Some(file) => file.draft.write(bytes),
            None if self.bar.is_hidden() => self.out.write(bytes),
            None => self.bar.suspend(|| self.out.write(bytes)),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.file {
            Some(file) => file.draft.flush(),
            None => self.out.flush(),
        }
    }
}
