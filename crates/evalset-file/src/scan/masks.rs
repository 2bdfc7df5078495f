//! Classifies 64 bytes at a time as JSON tokens.
//!
//! On x86-64 the comparisons use vectors; elsewhere a table does the same byte by byte.

/// The bytes of one block.
pub(super) const BLOCK: usize = 64;

/// One bit for each byte of a block, the first byte lowest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Masks {
    /// `"`
    pub(super) quote: u64,
    /// `\`
    pub(super) backslash: u64,
    /// `{ } [ ] , :`
    pub(super) operator: u64,
    /// Every byte up to and with the space: white space and control characters.
    pub(super) blank: u64,
    /// The space alone.
    pub(super) space: u64,
    /// The line feed alone.
    pub(super) line_feed: u64,
    /// Bytes from 0x80 on.
    pub(super) high: u64,
}

#[cfg(target_arch = "x86_64")]
pub(super) mod sse2 {
    //! Sixteen bytes at a time, on every x86-64.

    use std::arch::x86_64::{
        __m128i, _mm_cmpeq_epi8, _mm_cmpgt_epi8, _mm_movemask_epi8, _mm_or_si128, _mm_set_epi64x,
        _mm_set1_epi8, _mm_xor_si128,
    };

    use super::{BLOCK, Masks, word};

    #[inline]
    #[target_feature(enable = "sse2")]
    fn bits(lanes: __m128i) -> u64 {
        u64::from(_mm_movemask_epi8(lanes).cast_unsigned())
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    pub(in super::super) fn masks_of(block: &[u8; BLOCK]) -> Masks {
        let space = _mm_set1_epi8(0x20);
        let mut masks = Masks::default();
        for (index, part) in block.as_chunks::<16>().0.iter().enumerate() {
            let lanes = _mm_set_epi64x(word(part, 1), word(part, 0));
            let is = |byte: u8| _mm_cmpeq_epi8(lanes, _mm_set1_epi8(byte.cast_signed()));
            // `[` and `]` become `{` and `}` when this bit is set, and nothing else does.
            let folded = _mm_or_si128(lanes, space);
            let open = _mm_cmpeq_epi8(folded, _mm_set1_epi8(0x7b));
            let close = _mm_cmpeq_epi8(folded, _mm_set1_epi8(0x7d));
            let parting = _mm_or_si128(is(b','), is(b':'));
            // There is only a signed comparison: 0x80 inverts the order.
            let flipped = _mm_xor_si128(lanes, _mm_set1_epi8(i8::MIN));
            let blank =
                _mm_cmpgt_epi8(_mm_set1_epi8(0x21_u8.wrapping_sub(0x80).cast_signed()), flipped);
            let shift = index * 16;
            masks.quote |= bits(is(b'"')) << shift;
            masks.backslash |= bits(is(b'\\')) << shift;
            masks.operator |= bits(_mm_or_si128(_mm_or_si128(open, close), parting)) << shift;
            masks.blank |= bits(blank) << shift;
            masks.space |= bits(is(b' ')) << shift;
            masks.line_feed |= bits(is(b'\n')) << shift;
            masks.high |= bits(lanes) << shift;
        }
        masks
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) mod avx2 {
    //! Thirty-two bytes at a time, on most x86-64 since 2013.

    use std::arch::x86_64::{
        __m256i, _mm256_cmpeq_epi8, _mm256_cmpgt_epi8, _mm256_movemask_epi8, _mm256_or_si256,
        _mm256_set_epi64x, _mm256_set1_epi8, _mm256_shuffle_epi8, _mm256_xor_si256,
    };

    use super::{BLOCK, Masks, word};

    #[inline]
    #[target_feature(enable = "avx2")]
    fn bits(lanes: __m256i) -> u64 {
        u64::from(_mm256_movemask_epi8(lanes).cast_unsigned())
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(in super::super) fn masks_of(block: &[u8; BLOCK]) -> Masks {
        let space = _mm256_set1_epi8(0x20);
        let half = i64::from_le_bytes([0, 0, b':', b'{', b',', b'}', 0, 0]);
        let table = _mm256_set_epi64x(half, 0, half, 0);
        let mut masks = Masks::default();
        for (index, part) in block.as_chunks::<32>().0.iter().enumerate() {
            let lanes =
                _mm256_set_epi64x(word(part, 3), word(part, 2), word(part, 1), word(part, 0));
            let is = |byte: u8| _mm256_cmpeq_epi8(lanes, _mm256_set1_epi8(byte.cast_signed()));
            // Looked up by the low half of the byte, and compared with the byte as above. Form feed
            // and 0x1a pass too, and are taken out below.
            let folded = _mm256_or_si256(lanes, space);
            let operators = _mm256_cmpeq_epi8(_mm256_shuffle_epi8(table, lanes), folded);
            // There is only a signed comparison: 0x80 inverts the order.
            let flipped = _mm256_xor_si256(lanes, _mm256_set1_epi8(i8::MIN));
            let blank = _mm256_cmpgt_epi8(
                _mm256_set1_epi8(0x21_u8.wrapping_sub(0x80).cast_signed()),
                flipped,
            );
            let shift = index * 32;
            masks.quote |= bits(is(b'"')) << shift;
            masks.backslash |= bits(is(b'\\')) << shift;
            masks.operator |= (bits(operators) & !bits(blank)) << shift;
            masks.blank |= bits(blank) << shift;
            masks.space |= bits(is(b' ')) << shift;
            masks.line_feed |= bits(is(b'\n')) << shift;
            masks.high |= bits(lanes) << shift;
        }
        masks
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) mod avx512 {
    //! All sixty-four at once, on servers since 2017 and AMD's since 2022: a comparison gives the
    //! mask itself.

    use std::arch::x86_64::{
        __m512i, _mm512_add_epi32, _mm512_cmpeq_epi8_mask, _mm512_cmple_epu8_mask,
        _mm512_cvtepu8_epi32, _mm512_extracti32x4_epi32, _mm512_maskz_compress_epi8,
        _mm512_movepi8_mask, _mm512_or_si512, _mm512_set_epi64, _mm512_set1_epi8,
        _mm512_set1_epi32, _mm512_storeu_epi32,
    };

    use super::{BLOCK, Masks, word};

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn lanes_of(block: &[u8; BLOCK]) -> __m512i {
        let [a, b, c, d, e, f, g, h] = std::array::from_fn(|index| word(block, index));
        _mm512_set_epi64(h, g, f, e, d, c, b, a)
    }

    /// Writes the offsets of the set bits, plus `first`; the rest of the output is unspecified.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2")]
    pub(in super::super) fn spread(bits: u64, first: u32, places: &mut [u32; BLOCK]) {
        const PLACES: [u8; BLOCK] = {
            let mut places = [0; BLOCK];
            let mut place = 0;
            while place < BLOCK {
                #[expect(clippy::cast_possible_truncation, reason = "below 64")]
                let byte = place as u8;
                places[place] = byte;
                place += 1;
            }
            places
        };
        let found = _mm512_maskz_compress_epi8(bits, lanes_of(&PLACES));
        let first = _mm512_set1_epi32(first.cast_signed());
        let parts = [
            _mm512_extracti32x4_epi32::<0>(found),
            _mm512_extracti32x4_epi32::<1>(found),
            _mm512_extracti32x4_epi32::<2>(found),
            _mm512_extracti32x4_epi32::<3>(found),
        ];
        let (sixteens, _) = places.as_chunks_mut::<16>();
        let wanted = bits.count_ones().div_ceil(16) as usize;
        for (places, part) in sixteens.iter_mut().zip(parts).take(wanted) {
            let numbers = _mm512_add_epi32(_mm512_cvtepu8_epi32(part), first);
            #[expect(unsafe_code, reason = "sixteen numbers are written where sixteen are")]
            unsafe {
                _mm512_storeu_epi32(places.as_mut_ptr().cast(), numbers);
            }
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(in super::super) fn masks_of(block: &[u8; BLOCK]) -> Masks {
        let lanes = lanes_of(block);
        let space = _mm512_set1_epi8(0x20);
        let is = |byte: u8| _mm512_cmpeq_epi8_mask(lanes, _mm512_set1_epi8(byte.cast_signed()));
        // `[` and `]` become `{` and `}` when this bit is set, and nothing else does.
        let folded = _mm512_or_si512(lanes, space);
        let bracket =
            |byte: u8| _mm512_cmpeq_epi8_mask(folded, _mm512_set1_epi8(byte.cast_signed()));
        Masks {
            quote: is(b'"'),
            backslash: is(b'\\'),
            operator: bracket(b'{') | bracket(b'}') | is(b',') | is(b':'),
            blank: _mm512_cmple_epu8_mask(lanes, space),
            space: is(b' '),
            line_feed: is(b'\n'),
            high: _mm512_movepi8_mask(lanes),
        }
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) mod clmul {
    //! One product where others take six steps, on most x86-64 since 2010.

    use std::arch::x86_64::{_mm_clmulepi64_si128, _mm_cvtsi128_si64, _mm_set_epi64x};

    /// Bit n of the result is the parity of bits 0 to n.
    #[inline]
    #[target_feature(enable = "sse2,pclmulqdq")]
    pub(in super::super) fn running_parity(bits: u64) -> u64 {
        let bits = _mm_set_epi64x(0, bits.cast_signed());
        let product = _mm_clmulepi64_si128::<0>(bits, _mm_set_epi64x(0, -1));
        _mm_cvtsi128_si64(product).cast_unsigned()
    }
}

/// Bit n of the result is the parity of bits 0 to n.
pub(super) fn running_parity(mut bits: u64) -> u64 {
    bits ^= bits << 1;
    bits ^= bits << 2;
    bits ^= bits << 4;
    bits ^= bits << 8;
    bits ^= bits << 16;
    bits ^= bits << 32;
    bits
}

/// The `index`th eight bytes as a number.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn word(bytes: &[u8], index: usize) -> i64 {
    bytes.as_chunks::<8>().0.get(index).map_or(0, |word| i64::from_le_bytes(*word))
}

#[cfg(any(test, not(target_arch = "x86_64")))]
pub(super) fn masks_by_table(block: &[u8; BLOCK]) -> Masks {
    const CLASSES: [u8; 256] = classes();
    let mut masks = Masks::default();
    for (index, &byte) in block.iter().enumerate() {
        let class = CLASSES[usize::from(byte)];
        let bit = |number: u8| u64::from(class >> number & 1) << index;
        masks.quote |= bit(0);
        masks.backslash |= bit(1);
        masks.operator |= bit(2);
        masks.blank |= bit(3);
        masks.space |= bit(4);
        masks.line_feed |= bit(5);
        masks.high |= bit(6);
    }
    masks
}

#[cfg(any(test, not(target_arch = "x86_64")))]
const fn classes() -> [u8; 256] {
    let mut classes = [0; 256];
    let mut byte = 0_usize;
    while byte < 256 {
        classes[byte] = match byte {
            0x20 => 0b1_1000,
            0x0a => 0b10_1000,
            0..=0x1f => 0b1000,
            0x22 => 0b1,
            0x5c => 0b10,
            0x7b | 0x7d | 0x5b | 0x5d | 0x2c | 0x3a => 0b100,
            0x80.. => 0b100_0000,
            _ => 0,
        };
        byte += 1;
    }
    classes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(block: &[u8], byte: u8) -> usize {
        block.iter().filter(|&&other| other == byte).count()
    }

    #[test]
    fn parities_agree() {
        let mut bits = 1_u64;
        for _ in 0..1000 {
            bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let expected = (0..64).fold(0, |found, place| {
                let ones = (bits << (63 - place)).count_ones();
                found | u64::from(ones % 2 == 1) << place
            });
            assert_eq!(running_parity(bits), expected);
            #[cfg(target_arch = "x86_64")]
            if is_x86_feature_detected!("pclmulqdq") {
                #[expect(unsafe_code, reason = "the processor has been asked")]
                let found = unsafe { clmul::running_parity(bits) };
                assert_eq!(found, expected);
            }
        }
    }

    #[test]
    fn all_implementations_agree_on_every_byte() {
        for first in 0..=255_u8 {
            let mut block = [b'a'; BLOCK];
            for (index, byte) in block.iter_mut().enumerate() {
                let step = u8::try_from(index).expect("below 64");
                *byte = first.wrapping_add(step.wrapping_mul(7));
            }
            let expected = masks_by_table(&block);
            #[cfg(target_arch = "x86_64")]
            #[expect(unsafe_code, reason = "SSE2 always, the others where detected")]
            unsafe {
                assert_eq!(sse2::masks_of(&block), expected, "{block:?}");
                if is_x86_feature_detected!("avx2") {
                    assert_eq!(avx2::masks_of(&block), expected, "{block:?}");
                }
                if is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512vbmi2") {
                    assert_eq!(avx512::masks_of(&block), expected, "{block:?}");
                    let bits = expected.quote | expected.operator | expected.blank | expected.high;
                    let mut places = [u32::MAX; BLOCK];
                    avx512::spread(bits, 1000, &mut places);
                    let set = (0..64).filter(|bit| bits >> bit & 1 == 1).map(|bit| 1000 + bit);
                    assert!(set.eq(places.into_iter().take(bits.count_ones() as usize)));
                }
            }
            assert_eq!(expected.quote.count_ones() as usize, count(&block, b'"'));
        }
    }
}
