//! One pass over an eval-set file: is it one, where does its last case end, which ids are taken.
//!
//! The pass checks the whole file as UTF-8 and as JSON, holds one chunk of it at a time, and
//! reports every case's and invocation's id to a [`Sink`].
//! A large file is read by several threads: each supposes that it starts between two cases, and is
//! believed only when the one before it arrives at just that place and state.

mod fault;
mod grammar;
mod masks;
mod outline;
mod reader;
mod scalar;
mod single;
mod structure;
mod tokens;
mod utf8;
mod walk;

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

pub(crate) use fault::{Fault, FaultKind};
use masks::BLOCK;
pub(crate) use outline::{LastCase, Outline, Sink};
pub use reader::{CaseReader, CaseTokens, ReadCase};
pub use single::OneCase;
use structure::Structure;
use tokens::{BATCH, Batch};
use utf8::Utf8;
pub(crate) use walk::Walk;

/// Bytes read at a time; a multiple of the block.
const CHUNK: usize = 128 << 10;

/// How far ahead of the reading the system is told to fetch from the disk.
const AHEAD: u64 = 16 << 20;

/// A file shorter than this is read by one thread.
const SHARED_FROM: u64 = 8 << 20;

/// How far from an even share a place to part the file is looked for.
const SEAM_WITHIN: u64 = 8 << 20;

/// Reads the first `length` bytes of `file`.
///
/// `sink` makes a sink for each thread; all of them are returned, those of threads that were not
/// believed excepted.
///
/// # Errors
/// The outer error is the reading's or a sink's; the inner one says what is wrong with the file.
pub(crate) fn scan<S: Sink + Send>(
    file: &File,
    length: u64,
    threads: usize,
    sink: impl Fn() -> S + Sync,
) -> io::Result<Result<(Outline, Vec<S>), Fault>> {
    if threads > 1
        && length >= SHARED_FROM
        && let Some(scanned) = scan_shared(file, length, threads, &sink)?
    {
        return Ok(scanned);
    }
    let mut only = sink();
    let read = read(file, Structure::new(), 0, 0..length, &mut only)?;
    Ok(read.and_then(|structure| structure.finish(length)).map(|outline| (outline, vec![only])))
}

type Scanned<S> = Result<(Outline, Vec<S>), Fault>;

fn scan_shared<S: Sink + Send>(
    file: &File,
    length: u64,
    threads: usize,
    sink: &(impl Fn() -> S + Sync),
) -> io::Result<Option<Scanned<S>>> {
    let seams = seams(file, length, threads)?;
    if seams.is_empty() {
        return Ok(None);
    }
    let ends = seams.iter().copied().skip(1).chain([length]);
    let (first, rest) = std::thread::scope(|scope| {
        let others: Vec<_> = seams
            .iter()
            .copied()
            .zip(ends)
            .map(|(start, end)| {
                scope.spawn(move || {
                    let mut sink = sink();
                    let supposed = Structure::between_cases(block_of(start), start - 1);
                    read(file, supposed, start, start..end, &mut sink).map(|read| (read, sink))
                })
            })
            .collect();
        let mut own = sink();
        let first = read(file, Structure::new(), 0, 0..seams[0], &mut own).map(|read| (read, own));
        (first, others.into_iter().map(|other| other.join()).collect::<Vec<_>>())
    });

    let (mut so_far, own) = match first? {
        (Ok(structure), sink) => (structure, sink),
        (Err(fault), _) => return Ok(Some(Err(fault))),
    };
    let mut sinks = vec![own];
    for (start, other) in seams.into_iter().zip(rest) {
        if !so_far.is_between_cases(start - 1) {
            return Ok(None);
        }
        let Ok(other) = other else {
            return Err(io::Error::other("a thread that read the eval set panicked"));
        };
        match other? {
            (Ok(later), sink) => {
                so_far = so_far.continued_by(later);
                sinks.push(sink);
            }
            (Err(fault), _) => return Ok(Some(Err(fault))),
        }
    }
    Ok(Some(so_far.finish(length).map(|outline| (outline, sinks))))
}

/// Reads one case, given as text that is to stand at `at`.
///
/// # Errors
/// The sink's, or the text is no JSON object.
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

/// Reads on from the case that begins at `case`, until the sink has enough and says so with
/// [`io::ErrorKind::Interrupted`].
///
/// # Errors
/// The reading's.
pub(crate) fn scan_from<S: Sink>(file: &File, case: u64, sink: &mut S) -> io::Result<()> {
    let length = file.metadata()?.len();
    let structure = Structure::between_cases(block_of(case), case.saturating_sub(1));
    match read(file, structure, case, case..length, sink) {
        Err(error) if error.kind() != io::ErrorKind::Interrupted => Err(error),
        _ => Ok(()),
    }
}

/// Tells the system that `range` will be read soon; only a hint, so its failure is none.
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

/// Reads `range`, whose first byte is in the block that `structure` wants next; what stands before
/// it in that block, and behind the range in the last one, counts as white space.
fn read<S: Sink>(
    file: &File,
    mut structure: Structure,
    from: u64,
    range: std::ops::Range<u64>,
    sink: &mut S,
) -> io::Result<Result<Structure, Fault>> {
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
                Err(fault) => return Ok(Err(Fault { at: fault.at.min(range.end), ..fault })),
            }
        }
        // Only then can a character be pending or beginning.
        if (high || !utf8.is_between())
            && let Err(index) = utf8.take(&buffer[..wanted])
        {
            return Ok(Err(Fault::invalid(at + index as u64, "the text is not UTF-8")));
        }
        at += wanted as u64;
    }
    if !utf8.is_between() {
        return Ok(Err(Fault::invalid(range.end, "the text is not UTF-8")));
    }
    Ok(Ok(structure))
}

/// Places between two cases at which to part the file, about evenly spread: each is the byte behind
/// a comma. A guess from how the first two cases are parted.
fn seams(file: &File, length: u64, threads: usize) -> io::Result<Vec<u64>> {
    let Some(pattern) = seam_pattern(file, length)? else { return Ok(Vec::new()) };
    let finder = memchr::memmem::Finder::new(&pattern);
    let share = length / threads as u64;
    let mut seams = Vec::new();
    let mut buffer = vec![0; CHUNK];
    for number in 1..threads as u64 {
        let mut at = share * number;
        let end = (at + SEAM_WITHIN).min(length);
        while at + pattern.len() as u64 <= end {
            let wanted = usize::try_from(end - at).unwrap_or(CHUNK).min(CHUNK);
            file.read_exact_at(&mut buffer[..wanted], at)?;
            if let Some(found) = finder.find(&buffer[..wanted]) {
                let comma = at + found as u64 + 1;
                if seams.last().is_none_or(|&last| last < comma) {
                    seams.push(comma + 1);
                }
                break;
            }
            // Whatever of the pattern the chunk ended with is read again.
            at += (wanted - pattern.len() + 1) as u64;
        }
    }
    Ok(seams)
}

/// `}`, comma, white space with a line feed, `{`: as the first two cases are parted. The line feed
/// cannot stand in a string, so a match is between tokens.
fn seam_pattern(file: &File, length: u64) -> io::Result<Option<Vec<u8>>> {
    struct Nobody;
    impl Sink for Nobody {
        fn eval_id(&mut self, _: &str, _: u64, _: u64) -> io::Result<()> {
            Ok(())
        }
        fn invocation_id(&mut self, _: &str, _: u64, _: u64) -> io::Result<()> {
            Ok(())
        }
    }
    let mut structure = Structure::new();
    let mut batch = Batch::of(BATCH);
    let mut first_end = None;
    let mut buffer = vec![0; CHUNK];
    let mut at = 0;
    while at + CHUNK as u64 <= length.min(SEAM_WITHIN) {
        file.read_exact_at(&mut buffer, at)?;
        for block in buffer.as_chunks::<BLOCK>().0 {
            if structure.take(std::slice::from_ref(block), &mut batch, &mut Nobody)?.is_err() {
                return Ok(None);
            }
            let Some(last) = structure.last() else { continue };
            let first = *first_end.get_or_insert(last.end);
            if last.end == first {
                continue;
            }
            let Ok(width) = usize::try_from(last.start + 2 - first) else { return Ok(None) };
            if last.parting < first || width > 256 {
                return Ok(None);
            }
            let mut pattern = vec![0; width];
            file.read_exact_at(&mut pattern, first - 1)?;
            let regular = pattern.starts_with(b"},") && pattern.contains(&b'\n');
            return Ok(regular.then_some(pattern));
        }
        at += CHUNK as u64;
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use proptest::prelude::*;

    use super::*;

    #[derive(Debug, Default, Clone, PartialEq)]
    struct Heard(Vec<(String, u64, u64)>);

    impl Sink for Heard {
        fn eval_id(&mut self, id: &str, at: u64, case: u64) -> io::Result<()> {
            self.0.push((id.to_owned(), at, case));
            Ok(())
        }
        fn invocation_id(&mut self, id: &str, at: u64, case: u64) -> io::Result<()> {
            self.eval_id(id, at, case)
        }
    }

    fn file_of(bytes: &[u8]) -> File {
        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(bytes).expect("written");
        file
    }

    fn scanned(bytes: &[u8]) -> Result<(Outline, Vec<Heard>), Fault> {
        scan(&file_of(bytes), bytes.len() as u64, 1, Heard::default).expect("read")
    }

    #[test]
    fn an_outline_says_where_things_stand() {
        let text = br#"{"eval_cases": [{"eval_id": "a"}, {"conversation": [{"invocation_id": "i"}]}], "eval_set_id": ""}"#;
        let (outline, heard) = scanned(text).expect("an eval set");
        assert_eq!(
            outline,
            Outline {
                list_open: 15,
                list_close: 76,
                last: Some(LastCase { parting: 32, start: 34, end: 76 }),
                cases: 2
            }
        );
        assert_eq!(heard[0].0, [("a".to_owned(), 28, 16), ("i".to_owned(), 70, 34)]);
    }

    #[test]
    fn only_ids_in_their_place_count() {
        let text = br#"{"eval_id": "no", "eval_set_id": "s", "x": {"eval_cases": [{"eval_id": "no"}]},
            "eval_cases": [{"x": {"eval_id": "no", "conversation": [{"invocation_id": "no"}]},
            "conversation": [[{"invocation_id": "no"}], {"y": [{"invocation_id": "no"}], "invocationId": "yes"}],
            "e\u0076alId": "y\u0065s", "eval_id": null, "text": "\"eval_id\": \"no\""}]}"#;
        let (_, heard) = scanned(text).expect("an eval set");
        let ids: Vec<_> = heard[0].0.iter().map(|(id, ..)| id.as_str()).collect();
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

    /// A file with enough in it for several threads.
    fn long_text(cases: usize, odd: &str) -> String {
        let cases: Vec<_> = (0..cases)
            .map(|number| {
                let text = "x\\\"}, é".repeat(number % 40);
                format!("  {{\n    \"eval_id\": \"{number}\",\n    \"t\": \"{text}\"\n  }}")
            })
            .collect();
        format!(
            "{{\n \"eval_set_id\": \"s\",\n \"eval_cases\": [\n{}\n ]{odd}}}",
            cases.join(",\n")
        )
    }

    #[test]
    fn several_threads_see_what_one_sees() {
        let text = long_text(12_000, ", \"after\": {\"x\": [1, 2]}");
        let file = file_of(text.as_bytes());
        let length = text.len() as u64;
        let (outline, alone) = scanned(text.as_bytes()).expect("an eval set");
        for threads in 2..=5 {
            let shared = scan_shared(&file, length, threads, &Heard::default).expect("read");
            let (shared, heard) = shared.expect("shared").expect("an eval set");
            assert_eq!(shared, outline);
            assert_eq!(heard.len(), threads);
            let heard: Vec<_> = heard.into_iter().flat_map(|heard| heard.0).collect();
            assert_eq!(heard, alone[0].0);
        }
    }

    #[test]
    fn several_threads_find_what_one_finds_wrong() {
        let text = long_text(12_000, "");
        for at in [5, 200_000, text.len() / 2, text.len() - 40, text.len() - 2] {
            let mut bytes = text.clone().into_bytes();
            bytes[at] = 0x01;
            let file = file_of(&bytes);
            let alone = scanned(&bytes).expect_err("broken");
            let shared = scan_shared(&file, bytes.len() as u64, 3, &Heard::default).expect("read");
            match shared {
                None => assert!(at < 200_000, "no seam is found before the second case"),
                Some(shared) => assert_eq!(shared.expect_err("broken"), alone),
            }
        }
    }

    #[test]
    fn a_wrong_guess_is_not_believed() {
        // Lists that look like the list of cases, so that every seam is in one of them.
        let inner = long_text(12_000, "");
        let list = &inner[inner.find('[').expect("there")..inner.len() - 1];
        // Longer than a block, so that each of the two is seen to end.
        let long = "y".repeat(100);
        let case = format!("  {{\n    \"eval_id\": \"a\",\n    \"t\": \"{long}\"\n  }}");
        let text = format!(
            "{{\n \"eval_set_id\": \"s\",\n \"eval_cases\": [\n{case},\n{case}\n ],\n \"x\": {list}}}"
        );
        let padding = " ".repeat(CHUNK);
        let text = text.replacen("\"eval_set_id\"", &format!("{padding}\"eval_set_id\""), 1);
        let file = file_of(text.as_bytes());
        assert!(!seams(&file, text.len() as u64, 3).expect("read").is_empty());
        let shared = scan_shared(&file, text.len() as u64, 3, &Heard::default).expect("read");
        assert!(shared.is_none());
        assert_eq!(scanned(text.as_bytes()).expect("an eval set").0.cases, 2);
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
        fn json_is_what_serde_json_takes_for_json(middle in json_like(), flip in any::<(u16, u8)>(), lead in 0_usize..70) {
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
                    Err(Fault { kind: FaultKind::Invalid(_), .. }) => false,
                    // The rest of the file has not been looked at.
                    Err(_) => continue,
                };
                prop_assert_eq!(found, expected, "{}", String::from_utf8_lossy(&text));
            }
        }
    }
}
