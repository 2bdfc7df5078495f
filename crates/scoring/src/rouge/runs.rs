//! Runs of ASCII letters and digits, found 64 bytes at a time.

/// The byte `value` eight times.
const fn eight(value: u8) -> u64 {
    u64::from_le_bytes([value; 8])
}

/// Hands the begin and end of every run of letters and digits to `each`, in order. All bytes must
/// be ASCII.
pub(super) fn each_run(bytes: &[u8], mut each: impl FnMut(usize, usize)) {
    // Where the run began that goes on beyond its block.
    let mut open = None;
    for (block, chunk) in bytes.chunks(64).enumerate() {
        let base = 64 * block;
        let mut mask = alphanumeric(chunk);
        if let Some(begin) = open {
            let more = mask.trailing_ones();
            if more == 64 {
                continue;
            }
            each(begin, base + more as usize);
            open = None;
            mask &= u64::MAX << more;
        }
        while mask != 0 {
            let begin = mask.trailing_zeros();
            let end = begin + (mask >> begin).trailing_ones();
            if end == 64 {
                open = Some(base + begin as usize);
                break;
            }
            each(base + begin as usize, base + end as usize);
            mask &= u64::MAX << end;
        }
    }
    if let Some(begin) = open {
        each(begin, bytes.len());
    }
}

/// A bit for each of up to 64 ASCII bytes, set for letters and digits.
fn alphanumeric(chunk: &[u8]) -> u64 {
    let (words, rest) = chunk.as_chunks::<8>();
    let mut mask = 0;
    for (place, word) in words.iter().enumerate() {
        mask |= alphanumeric_of_eight(u64::from_le_bytes(*word)) << (8 * place);
    }
    if !rest.is_empty() {
        let mut word = [0; 8];
        for (to, from) in word.iter_mut().zip(rest) {
            *to = *from;
        }
        mask |= alphanumeric_of_eight(u64::from_le_bytes(word)) << (8 * words.len());
    }
    mask
}

/// The same for eight bytes in one number: a sum per byte carries into its highest bit, which ASCII
/// leaves free, exactly when the byte is at least some letter.
fn alphanumeric_of_eight(bytes: u64) -> u64 {
    let at_least = |bytes: u64, least: u8| bytes + eight(0x80 - least);
    let lower = bytes | eight(0x20);
    let letters = at_least(lower, b'a') & !at_least(lower, b'z' + 1);
    let digits = at_least(bytes, b'0') & !at_least(bytes, b'9' + 1);
    let found = ((letters | digits) & eight(0x80)) >> 7;
    // Gathers the lowest bits of all bytes in the highest byte.
    found.wrapping_mul(0x0102_0408_1020_4080) >> 56
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn slow(bytes: &[u8]) -> Vec<(usize, usize)> {
        let mut runs = Vec::new();
        let mut begin = None;
        for (place, byte) in bytes.iter().chain([&b' ']).enumerate() {
            match (byte.is_ascii_alphanumeric(), begin) {
                (true, None) => begin = Some(place),
                (false, Some(from)) => {
                    runs.push((from, place));
                    begin = None;
                }
                _ => {}
            }
        }
        runs
    }

    fn check(bytes: &[u8]) {
        let mut runs = Vec::new();
        each_run(bytes, |begin, end| runs.push((begin, end)));
        assert_eq!(runs, slow(bytes), "{bytes:?}");
    }

    #[test]
    fn every_byte_at_every_place() {
        for byte in 0..128 {
            for place in 0..130 {
                let mut bytes = [b'.'; 130];
                bytes[place] = byte;
                check(&bytes);
                let mut bytes = [b'k'; 130];
                bytes[place] = byte;
                check(&bytes);
            }
        }
        for length in 0..200 {
            check(&vec![b'a'; length]);
        }
    }

    proptest! {
        #[test]
        fn runs_are_those_of_a_plain_loop(text in "[ -~\n]{0,400}") {
            check(text.as_bytes());
        }
    }
}
