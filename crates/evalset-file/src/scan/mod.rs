//! Scans an eval-set file: checks it, and finds its cases and ids.
//!
//! The scan checks the whole file as UTF-8 and as JSON with one chunk of it in memory, and passes the id
//! of every case and invocation to a [`Sink`].
//! Several threads scan a large file (`shared`).

mod grammar;
mod masks;
mod outline;
mod reader;
mod scalar;
mod shared;
mod single;
mod structure;
mod syntax_fault;
mod tokens;
mod utf8;
mod walk;

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

use masks::BLOCK;
pub(crate) use outline::{LastCase, Outline, Sink};
pub use reader::{CaseReader, CaseTokens, ReadCase};
pub use single::OneCase;
use structure::Structure;
pub(crate) use syntax_fault::{SyntaxFault, SyntaxFaultKind};
use tokens::{BATCH, Batch};
use utf8::Utf8;
pub(crate) use walk::Walk;

/// Bytes read at a time; a multiple of the block.
const CHUNK: usize = 128 << 10;

/// How far ahead of the reads the system should prefetch.
const AHEAD: u64 = 16 << 20;

/// A file shorter than this is read by one thread.
const SHARED_FROM: u64 = 8 << 20;

/// Scans the first `length` bytes of `file`, a set. With `of_adk`, ADK must be able to load it: each case
/// needs an id, and a conversation or a scenario.
///
/// `sink` makes a sink for each thread; all are returned, except those of threads whose result was
/// discarded.
///
/// # Errors
/// The outer error is an I/O error; the inner one is a fault of the file.
pub(crate) fn scan<S: Sink + Send>(
    file: &File,
    length: u64,
    threads: usize,
    of_adk: bool,
    sink: impl Fn() -> S + Sync,
) -> io::Result<Result<(Outline, Vec<S>), SyntaxFault>> {
    if threads > 1
        && length >= SHARED_FROM
        && let Some(scanned) = shared::scan(file, length, threads, of_adk, &sink)?
    {
        return Ok(scanned);
    }
    let mut only = sink();
    let read = read(file, Structure::new(), 0, 0..length, &mut only)?;
    Ok(read
        .and_then(|structure| whole(&structure, length, of_adk))
        .map(|outline| (outline, vec![only])))
}

/// The outline of a file, after it is read completely.
fn whole(structure: &Structure, length: u64, of_adk: bool) -> Result<Outline, SyntaxFault> {
    let outline = structure.finish(length)?;
    let incomplete = structure.incomplete().filter(|_| of_adk);
    let faults = [structure.no_object(), incomplete].into_iter().flatten();
    faults.min_by_key(|fault| fault.at).map_or(Ok(outline), Err)
}

/// Scans one case, given as text for the offset `at`.
///
/// # Errors
/// The sink's, or the text is not a JSON object.
pub(crate) fn scan_case<S: Sink>(text: &[u8], at: u64, mut sink: S) -> io::Result<S> {
    let skip = usize::try_from(at - block_of(at)).unwrap_or(0);
    let mut padded = vec![b' '; (skip + text.len()).next_multiple_of(BLOCK)];
    padded[skip..skip + text.len()].copy_from_slice(text);
    let mut structure = Structure::between_cases(block_of(at), at.saturating_sub(1));
    let mut batch = Batch::of(BATCH);
    for blocks in padded.as_chunks::<BLOCK>().0.chunks(BATCH) {
        if let Err(fault) = structure.take(blocks, &mut batch, &mut sink)? {
            return Err(io::Error::other(format!("{:?} at byte {}", fault.kind, fault.at - at)));
        }
    }
    match structure.last() {
        Some(last) if (last.start, last.end) == (at, at + text.len() as u64) => Ok(sink),
        _ => Err(io::Error::other("the text is not exactly one object")),
    }
}

/// Scans from the case that begins at `case`, until the sink stops with
/// [`io::ErrorKind::Interrupted`].
///
/// # Errors
/// Read errors.
pub(crate) fn scan_from<S: Sink>(file: &File, case: u64, sink: &mut S) -> io::Result<()> {
    let length = file.metadata()?.len();
    let structure = Structure::between_cases(block_of(case), case.saturating_sub(1));
    match read(file, structure, case, case..length, sink) {
        Err(error) if error.kind() != io::ErrorKind::Interrupted => Err(error),
        _ => Ok(()),
    }
}

/// Hints the system to prefetch `range`; errors are ignored.
fn ask_for(file: &File, range: std::ops::Range<u64>) {
    #[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
    {
        let length = std::num::NonZero::new(range.end.saturating_sub(range.start));
        let _ = rustix::fs::fadvise(file, range.start, length, rustix::fs::Advice::WillNeed);
    }
    #[cfg(not(any(target_os = "linux", target_os = "android", target_os = "freebsd")))]
    let _ = (file, range);
}

fn block_of(at: u64) -> u64 {
    at - at % BLOCK as u64
}

/// Reads `range`, whose first byte is in the block that `structure` wants next; what is before
/// it in that block, and after the range in the last one, counts as white space.
fn read<S: Sink>(
    file: &File,
    mut structure: Structure,
    from: u64,
    range: std::ops::Range<u64>,
    sink: &mut S,
) -> io::Result<Result<Structure, SyntaxFault>> {
    let mut buffer = vec![0_u8; CHUNK];
    let mut batch = Batch::of(BATCH);
    let mut utf8 = Utf8::default();
    let mut at = block_of(from);
    let mut skip = usize::try_from(from - at).unwrap_or(0);
    let mut asked = at;
    while at < range.end {
        if asked < range.end && asked - at <= AHEAD / 2 {
            ask_for(file, asked..(at + AHEAD).min(range.end));
            asked = at + AHEAD;
        }
        let wanted = usize::try_from(range.end - at).unwrap_or(CHUNK).min(CHUNK);
        file.read_exact_at(&mut buffer[..wanted], at)?;
        let padded = wanted.next_multiple_of(BLOCK);
        buffer[wanted..padded].fill(b' ');
        buffer[..skip].fill(b' ');
        skip = 0;
        let mut high = false;
        let (blocks, _) = buffer[..padded].as_chunks::<BLOCK>();
        for blocks in blocks.chunks(BATCH) {
            match structure.take(blocks, &mut batch, sink)? {
                Ok(seen) => high |= seen,
                Err(fault) => return Ok(Err(SyntaxFault { at: fault.at.min(range.end), ..fault })),
            }
        }
        // Only then can a character be pending or beginning.
        if (high || !utf8.is_between())
            && let Err(index) = utf8.take(&buffer[..wanted])
        {
            return Ok(Err(SyntaxFault::invalid(at + index as u64, "the text is not UTF-8")));
        }
        at += wanted as u64;
    }
    if !utf8.is_between() {
        return Ok(Err(SyntaxFault::invalid(range.end, "the text is not UTF-8")));
    }
    Ok(Ok(structure))
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use proptest::prelude::*;

    use super::*;

    #[derive(Debug, Default, Clone, PartialEq)]
    pub(super) struct CaseEvents(pub(super) Vec<(String, u64, u64)>);

    impl Sink for CaseEvents {
        fn eval_id(&mut self, id: &str, at: u64, case: u64) -> io::Result<()> {
            self.0.push((id.to_owned(), at, case));
            Ok(())
        }
        fn invocation_id(&mut self, id: &str, at: u64, case: u64) -> io::Result<()> {
            self.eval_id(id, at, case)
        }
    }

    pub(super) fn file_of(bytes: &[u8]) -> File {
        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(bytes).expect("written");
        file
    }

    pub(super) fn scanned(bytes: &[u8]) -> Result<(Outline, Vec<CaseEvents>), SyntaxFault> {
        scan(&file_of(bytes), bytes.len() as u64, 1, true, CaseEvents::default).expect("read")
    }

    #[test]
    fn outline_gives_offsets() {
        let text = br#"{"eval_cases": [{"eval_id": "a", "conversation": []}, {"conversationScenario": null, "conversation": [{"invocation_id": "i"}], "evalId": "b"}], "eval_set_id": ""}"#;
        let (outline, events) = scanned(text).expect("an eval set");
        assert_eq!(
            outline,
            Outline {
                list_open: 15,
                list_close: 141,
                last: Some(LastCase { parting: 52, start: 54, end: 141 }),
                cases: 2
            }
        );
        let found = |id: &str, at, case| (id.to_owned(), at, case);
        assert_eq!(events[0].0, [found("a", 28, 16), found("i", 120, 54), found("b", 137, 54)]);
    }

    #[test]
    fn nested_eval_ids_are_ignored() {
        let text = br#"{"eval_id": "no", "eval_set_id": "s", "x": {"eval_cases": [{"eval_id": "no"}]},
            "eval_cases": [{"x": {"eval_id": "no", "conversation": [{"invocation_id": "no"}]},
            "conversation": [[{"invocation_id": "no"}], {"y": [{"invocation_id": "no"}], "invocationId": "yes"}],
            "e\u0076alId": "y\u0065s", "eval_id": null, "text": "\"eval_id\": \"no\""}]}"#;
        let (_, events) = scanned(text).expect("an eval set");
        let ids: Vec<_> = events[0].0.iter().map(|(id, ..)| id.as_str()).collect();
        assert_eq!(ids, ["yes", "yes"]);
    }

    #[test]
    fn nesting_is_followed_and_bounded() {
        let nested = |depth: usize| {
            let (open, close) = ("[".repeat(depth), "]".repeat(depth));
            format!("{{\"x\":{open}{close},\"eval_set_id\":\"s\",\"eval_cases\":[]}}")
        };
        assert!(scanned(nested(100_000).as_bytes()).is_ok());
        assert!(scanned(nested(1 << 20).as_bytes()).is_err());
    }

    fn json_like() -> impl Strategy<Value = Vec<u8>> {
        let token = prop::sample::select(vec![
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            "\"",
            "\\",
            "\"a\"",
            "\"a\":",
            "null",
            "true",
            "1",
            "-",
            "0",
            ".5",
            "e3",
            " ",
            "\n",
            "\\u00e9",
            "\\n",
            "é",
            "\u{1}",
            "x",
            "\"\\\\\"",
            "{\"b\":[1,2]}",
            "                                                                ",
        ]);
        prop::collection::vec(token, 0..40).prop_map(|tokens| tokens.concat().into_bytes())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn grammar_matches_serde_json(middle in json_like(), flip in any::<(u16, u8)>(), lead in 0_usize..70) {
            let mut valid = format!("{{\"eval_set_id\":\"s\",{}\"x\":", " ".repeat(lead)).into_bytes();
            valid.extend_from_slice(&middle);
            valid.extend_from_slice(b",\"eval_cases\":[]}");
            let mut flipped = br#"{"eval_set_id":"s","x":[{"k":"v\u00e9\n","n":-1.5e+3,"l":[true,null]},"\\"],"eval_cases":[]}"#.to_vec();
            flipped.splice(18..18, std::iter::repeat_n(b' ', lead));
            let at = usize::from(flip.0) % flipped.len();
            flipped[at] = flip.1;
            for text in [valid, flipped] {
                let expected = std::str::from_utf8(&text).is_ok()
                    && serde_json::from_slice::<serde::de::IgnoredAny>(&text).is_ok();
                let found = match scanned(&text) {
                    Ok(_) => true,
                    Err(SyntaxFault { kind: SyntaxFaultKind::Invalid(_), .. }) => false,
                    // The rest of the file was not scanned.
                    Err(_) => continue,
                };
                prop_assert_eq!(found, expected, "{}", String::from_utf8_lossy(&text));
            }
        }
    }
}
