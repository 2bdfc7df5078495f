//! Scans a file with several threads. Each assumes that it starts between two cases; its result is used
//! only if the previous thread ends at the same offset and state.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

use super::masks::BLOCK;
use super::structure::Structure;
use super::tokens::{BATCH, Batch};
use super::{CHUNK, Outline, Sink, SyntaxFault, block_of, read, whole};

/// How far from an even split a boundary is searched.
const SEAM_WITHIN: u64 = 8 << 20;

type Scanned<S> = Result<(Outline, Vec<S>), SyntaxFault>;

/// Scans the file with several threads; `None` if it cannot be split.
pub(super) fn scan<S: Sink + Send>(
    file: &File,
    length: u64,
    threads: usize,
    of_adk: bool,
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
    Ok(Some(whole(&so_far, length, of_adk).map(|outline| (outline, sinks))))
}

/// Offsets between two cases that split the file about evenly: each is the byte after
/// a comma. Guessed from the separator of the first two cases.
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
            // The pattern may cross the end of the chunk.
            at += (wanted - pattern.len() + 1) as u64;
        }
    }
    Ok(seams)
}

/// `}`, comma, whitespace with a line feed, `{`: the separator of the first two cases. The line feed
/// cannot be in a string, so a match is between tokens.
fn seam_pattern(file: &File, length: u64) -> io::Result<Option<Vec<u8>>> {
    struct NoSink;
    impl Sink for NoSink {
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
            if structure.take(std::slice::from_ref(block), &mut batch, &mut NoSink)?.is_err() {
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
    use super::*;
    use crate::scan::tests::{CaseEvents, file_of, scanned};

    /// A file that is large enough for several threads.
    fn long_text(cases: usize, odd: &str) -> String {
        let cases: Vec<_> = (0..cases)
            .map(|number| {
                let text = "x\\\"}, é".repeat(number % 40);
                format!("  {{\n    \"eval_id\": \"{number}\",\n    \"conversation\": [],\n    \"t\": \"{text}\"\n  }}")
            })
            .collect();
        format!(
            "{{\n \"eval_set_id\": \"s\",\n \"eval_cases\": [\n{}\n ]{odd}}}",
            cases.join(",\n")
        )
    }

    #[test]
    fn parallel_scan_matches_single_thread() {
        let text = long_text(12_000, ", \"after\": {\"x\": [1, 2]}");
        let file = file_of(text.as_bytes());
        let length = text.len() as u64;
        let (outline, alone) = scanned(text.as_bytes()).expect("an eval set");
        for threads in 2..=5 {
            let shared = scan(&file, length, threads, true, &CaseEvents::default).expect("read");
            let (shared, events) = shared.expect("shared").expect("an eval set");
            assert_eq!(shared, outline);
            assert_eq!(events.len(), threads);
            let events: Vec<_> = events.into_iter().flat_map(|events| events.0).collect();
            assert_eq!(events, alone[0].0);
        }
    }

    #[test]
    fn parallel_scan_finds_the_same_errors() {
        let text = long_text(12_000, "");
        for at in [5, 200_000, text.len() / 2, text.len() - 40, text.len() - 2] {
            let mut bytes = text.clone().into_bytes();
            bytes[at] = 0x01;
            let file = file_of(&bytes);
            let alone = scanned(&bytes).expect_err("broken");
            let shared =
                scan(&file, bytes.len() as u64, 3, true, &CaseEvents::default).expect("read");
            match shared {
                None => assert!(at < 200_000, "no seam is found before the second case"),
                Some(shared) => assert_eq!(shared.expect_err("broken"), alone),
            }
        }
    }

    #[test]
    fn wrong_chunk_guess_is_discarded() {
        // Lists that look like the list of cases, so that every seam is in one of them.
        let inner = long_text(12_000, "");
        let list = &inner[inner.find('[').expect("there")..inner.len() - 1];
        // Longer than a block, so that each of the two is seen to end.
        let long = "y".repeat(100);
        let case = format!(
            "  {{\n    \"eval_id\": \"a\",\n    \"conversation\": [],\n    \"t\": \"{long}\"\n  }}"
        );
        let text = format!(
            "{{\n \"eval_set_id\": \"s\",\n \"eval_cases\": [\n{case},\n{case}\n ],\n \"x\": {list}}}"
        );
        let padding = " ".repeat(CHUNK);
        let text = text.replacen("\"eval_set_id\"", &format!("{padding}\"eval_set_id\""), 1);
        let file = file_of(text.as_bytes());
        assert!(!seams(&file, text.len() as u64, 3).expect("read").is_empty());
        let shared = scan(&file, text.len() as u64, 3, true, &CaseEvents::default).expect("read");
        assert!(shared.is_none());
        assert_eq!(scanned(text.as_bytes()).expect("an eval set").0.cases, 2);
    }
}
