//! What passes here, google-adk reads: Google's files with a few bytes changed.

use crate::common::{adk_rewrites, google_files};
use evalset::{Format, read};

/// Bytes that change the structure or the type of a value, or the name of a field.
const BYTES: &[u8] = b"{}[]\",:\\ \n0123456789-+.eEtfnu_sxA\xc3\xa9";

/// How many mutants are made; `REHEARSAL_TEST_MUTANTS` overrides the number.
fn count() -> usize {
    let given = std::env::var("REHEARSAL_TEST_MUTANTS").ok();
    given.and_then(|text| text.parse().ok()).unwrap_or(1500)
}

/// Numbers that look random, the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        usize::try_from(self.0 >> 33).expect("31 bits") % end
    }
}

fn mutant(original: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = original.to_vec();
    for _ in 0..=random.below(2) {
        let at = random.below(bytes.len());
        let byte = BYTES[random.below(BYTES.len())];
        match random.below(5) {
            0 => bytes[at] = byte,
            1 => bytes.insert(at, byte),
            2 => drop(bytes.remove(at)),
            3 => {
                let end = (at + 1 + random.below(60)).min(bytes.len());
                let copy = bytes[at..end].to_vec();
                bytes.splice(at..at, copy);
            }
            _ => {
                let end = (at + 1 + random.below(60)).min(bytes.len());
                bytes.drain(at..end);
            }
        }
    }
    bytes
}

#[test]
fn adk_reads_every_mutant_that_passes() {
    let Some(python) = test_needs::python() else { return };
    let mut originals: Vec<Vec<u8>> =
        google_files().iter().map(|path| std::fs::read(path).expect("read")).collect();
    if originals.is_empty() {
        return;
    }
    originals.push(include_bytes!("../fixtures/adk/every_field.evalset.json").to_vec());
    let mut random = Random(1);
    let mutants = (0..count()).map(|at| mutant(&originals[at % originals.len()], &mut random));
    let passed: Vec<(String, Option<Format>)> = mutants
        .filter_map(|bytes| {
            let reading = read(&bytes);
            let text = String::from_utf8(bytes).ok()?;
            (!reading.has_errors()).then_some((text, reading.format))
        })
        .collect();
    assert!(passed.len() > count() / 20, "{} passed", passed.len());
    let texts: Vec<_> = passed.iter().map(|(text, _)| text.clone()).collect();
    let mut refused = Vec::new();
    for ((text, format), read) in passed.iter().zip(adk_rewrites(&python, &texts)) {
        // Personas can be registered, so their names are not checked.
        if let Err(error) = read
            && !error.ends_with("not found in registry.")
        {
            refused.push(format!("{format:?}: {error}\n{text}"));
        }
    }
    let of = passed.len();
    assert!(refused.is_empty(), "{} of {of} refused:\n{}", refused.len(), refused.join("\n---\n"));
}
