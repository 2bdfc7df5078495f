//! Runs of ASCII letters and digits, found 64 bytes at a time.

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
#[inline]
fn alphanumeric(chunk: &[u8]) -> u64 {
    if let Some(block) = chunk.first_chunk() {
        return alphanumeric_of_block(block);
    }
    let mut block = [0; 64];
    for (to, from) in block.iter_mut().zip(chunk) {
        *to = *from;
    }
    alphanumeric_of_block(&block)
}

/// The same for a whole block: what each byte is, which compilers do for many at a time, and then
/// the lowest bits of eight bytes gathered by a product.
#[inline]
fn alphanumeric_of_block(block: &[u8; 64]) -> u64 {
    let found = block.map(|byte| {
        let is_letter = (byte | 0x20).wrapping_sub(b'a') < 26;
        let is_digit = byte.wrapping_sub(b'0') < 10;
        u8::from(is_letter | is_digit)
    });
    let [a, b, c, d, e, f, g, h] = std::array::from_fn(|place| {
        let eight = found.as_chunks::<8>().0.get(place).copied().unwrap_or_default();
        // The highest byte of the product has a bit of each.
        u64::from_le_bytes(eight).wrapping_mul(0x0102_0408_1020_4080).to_be_bytes()[0]
    });
    u64::from_le_bytes([a, b, c, d, e, f, g, h])
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
