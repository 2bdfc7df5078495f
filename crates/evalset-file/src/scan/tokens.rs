//! [`Tokens`]: finds the offsets of tokens in blocks of bytes.
//!
//! Strings are separated from structure with bit masks (the method is Langdale and Lemire's, "Parsing
//! Gigabytes of JSON per Second"); `structure` checks the grammar.

use super::masks::{BLOCK, Masks, running_parity};
#[cfg(target_arch = "x86_64")]
use super::masks::{avx2, avx512, clmul, sse2};
use super::scalar::Scalar;
use super::syntax_fault::SyntaxFault;

/// The state between two blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tokens {
    /// Offset of the next block.
    pub(super) at: u64,
    /// The first byte of the next block is escaped: 0 or 1.
    escaped: u64,
    /// All ones inside a string, else zero.
    in_string: u64,
    /// The last byte belonged to a number or literal: 0 or 1.
    in_scalar: u64,
    scalar: Scalar,
    /// The number of missing hexadecimal digits of a `\u`.
    hex_owed: usize,
}

/// The default number of blocks whose tokens are found at a time.
pub(super) const BATCH: usize = 32;

/// The tokens of some blocks.
#[derive(Debug)]
pub(super) struct Batch {
    starts: Vec<u32>,
    /// The blocks with an escape in a string, by their first byte.
    escapes: Vec<u32>,
}

impl Batch {
    /// For up to this many blocks at a time. Unused memory is never touched.
    pub(super) fn of(blocks: usize) -> Self {
        Self { starts: vec![0; (blocks + 1) * BLOCK], escapes: Vec::new() }
    }

    /// Finds the tokens of as many blocks as fit, up to a fault. Returns the number of blocks, and whether
    /// they have a byte from 0x80 on.
    #[cfg(target_arch = "x86_64")]
    pub(super) fn fill(
        &mut self,
        blocks: &[[u8; BLOCK]],
        tokens: &mut Tokens,
    ) -> (usize, Result<bool, SyntaxFault>) {
        #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,bmi1,bmi2,popcnt,pclmulqdq")]
        fn with_avx512(
            batch: &mut Batch,
            blocks: &[[u8; BLOCK]],
            tokens: &mut Tokens,
        ) -> (usize, Result<bool, SyntaxFault>) {
            let spread = |bits: u64, first, places: &mut [u32], count: usize| {
                if let Some(places) = places.get_mut(count..).and_then(<[u32]>::first_chunk_mut) {
                    avx512::spread(bits, first, places);
                }
                count + bits.count_ones() as usize
            };
            let parity = |bits| clmul::running_parity(bits);
            fill_with(batch, blocks, tokens, |block| avx512::masks_of(block), parity, spread)
        }
        #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,pclmulqdq")]
        fn with_avx2(
            batch: &mut Batch,
            blocks: &[[u8; BLOCK]],
            tokens: &mut Tokens,
        ) -> (usize, Result<bool, SyntaxFault>) {
            let parity = |bits| clmul::running_parity(bits);
            fill_with(batch, blocks, tokens, |block| avx2::masks_of(block), parity, spread)
        }
        #[target_feature(enable = "sse2")]
        fn with_sse2(
            batch: &mut Batch,
            blocks: &[[u8; BLOCK]],
            tokens: &mut Tokens,
        ) -> (usize, Result<bool, SyntaxFault>) {
            fill_with(batch, blocks, tokens, |block| sse2::masks_of(block), running_parity, spread)
        }
        let has_avx2 = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("popcnt")
            && is_x86_feature_detected!("pclmulqdq");
        let has_avx512 = has_avx2
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vbmi2");
        #[expect(unsafe_code, reason = "the processor has been asked; SSE2 is part of x86-64")]
        unsafe {
            if has_avx512 {
                with_avx512(self, blocks, tokens)
            } else if has_avx2 {
                with_avx2(self, blocks, tokens)
            } else {
                with_sse2(self, blocks, tokens)
            }
        }
    }

    /// Finds the tokens of as many blocks as fit, up to a fault. Returns the number of blocks, and whether
    /// they have a byte from 0x80 on.
    #[cfg(not(target_arch = "x86_64"))]
    pub(super) fn fill(
        &mut self,
        blocks: &[[u8; BLOCK]],
        tokens: &mut Tokens,
    ) -> (usize, Result<bool, SyntaxFault>) {
        fill_with(self, blocks, tokens, super::masks::masks_by_table, running_parity, spread)
    }

    /// The offsets of tokens, from the first block on.
    pub(super) fn starts(&self, count: usize) -> &[u32] {
        self.starts.get(..count).unwrap_or_default()
    }

    /// The offsets of blocks with an escape in a string, from the first block on.
    pub(super) fn escapes(&self) -> &[u32] {
        &self.escapes
    }
}

#[expect(clippy::inline_always, reason = "compiled separately for each instruction set")]
#[inline(always)]
fn fill_with(
    batch: &mut Batch,
    blocks: &[[u8; BLOCK]],
    tokens: &mut Tokens,
    masks_of: impl Fn(&[u8; BLOCK]) -> Masks,
    running_parity: impl Fn(u64) -> u64,
    spread: impl Fn(u64, u32, &mut [u32], usize) -> usize,
) -> (usize, Result<bool, SyntaxFault>) {
    let Batch { starts: places, escapes } = batch;
    let mut count = 0;
    let mut high = 0;
    escapes.clear();
    for (block, first) in blocks.iter().zip((0_u32..).step_by(BLOCK)) {
        let masks = masks_of(block);
        high |= masks.high;
        let (starts, escaped) = match tokens.take(block, &masks, &running_parity) {
            Ok(found) => found,
            Err(fault) => return (count, Err(fault)),
        };
        if escaped != 0 {
            escapes.push(first);
        }
        count = spread(starts, first, places, count);
    }
    (count, Ok(high != 0))
}

/// Offsets written at a time, even if there are fewer: cheaper than a mispredicted branch.
const UNROLLED: usize = 8;

/// Writes the offsets of the set bits, plus `first`, from index `count` on; returns the next index.
#[expect(clippy::inline_always, reason = "compiled separately for each instruction set")]
#[inline(always)]
fn spread(mut bits: u64, first: u32, places: &mut [u32], count: usize) -> usize {
    let after = count + bits.count_ones() as usize;
    let mut at = count;
    while bits != 0 {
        let Some(places) = places.get_mut(at..at + UNROLLED) else { break };
        for place in places {
            *place = first + bits.trailing_zeros();
            bits &= bits.wrapping_sub(1);
        }
        at += UNROLLED;
    }
    after
}

impl Tokens {
    pub(super) fn at(at: u64) -> Self {
        Self { at, escaped: 0, in_string: 0, in_scalar: 0, scalar: Scalar::Start, hex_owed: 0 }
    }

    /// Whether the last byte was outside of strings, numbers and literals.
    pub(super) fn is_between(&self) -> bool {
        self.in_string == 0 && self.in_scalar == 0 && self.escaped == 0
    }

    /// Reads the next block, and returns masks of the token starts and of the escaped bytes in strings.
    #[expect(clippy::inline_always, reason = "compiled separately for each instruction set")]
    #[inline(always)]
    fn take(
        &mut self,
        block: &[u8; BLOCK],
        masks: &Masks,
        running_parity: impl Fn(u64) -> u64,
    ) -> Result<(u64, u64), SyntaxFault> {
        let escaped = self.escapes(masks.backslash);
        let quotes = masks.quote & !escaped;
        let in_string = running_parity(quotes) ^ self.in_string;
        self.in_string = (in_string.cast_signed() >> 63).cast_unsigned();

        let controls = masks.blank & !masks.space;
        if controls & (in_string | !masks.line_feed) != 0 {
            self.control_characters(block, controls, in_string)?;
        }
        if escaped & in_string != 0 || self.hex_owed != 0 {
            self.escape_sequences(block, escaped & in_string)?;
        }

        let scalars = !(masks.operator | masks.blank | quotes | in_string);
        let scalar_starts = scalars & !(scalars << 1 | self.in_scalar);
        if scalars != 0 || self.in_scalar != 0 {
            self.scalars(block, scalars, scalar_starts)?;
        }
        self.at += BLOCK as u64;
        let starts = (masks.operator & !in_string) | (quotes & in_string) | scalar_starts;
        Ok((starts, escaped & in_string))
    }

    /// The end of the file.
    pub(super) fn finish(&self) -> Result<(), SyntaxFault> {
        if self.in_string != 0 {
            return Err(SyntaxFault::invalid(self.at, "the file ends inside a string"));
        }
        Ok(())
    }

    /// Which bytes are escaped by a backslash.
    fn escapes(&mut self, backslashes: u64) -> u64 {
        let mut escaped = std::mem::take(&mut self.escaped);
        let mut escaping = backslashes & !escaped;
        while escaping != 0 {
            let next = escaping.trailing_zeros() + 1;
            if next == 64 {
                self.escaped = 1;
                break;
            }
            escaped |= 1 << next;
            // Neither the backslash nor the escaped byte can escape another one.
            escaping &= !(0b11 << (next - 1));
        }
        escaped
    }

    /// Checks characters below the space that are in a string or are not whitespace.
    fn control_characters(
        &self,
        block: &[u8; BLOCK],
        mut controls: u64,
        in_string: u64,
    ) -> Result<(), SyntaxFault> {
        while controls != 0 {
            let index = controls.trailing_zeros() as usize;
            controls &= controls - 1;
            let reason = match (block[index], in_string >> index & 1 == 1) {
                (b'\n' | b'\r', true) => {
                    "a string runs past the end of its line; close it with a quote, or write \\n"
                }
                (_, true) => "an unescaped control character in a string",
                (b'\n' | b'\r' | b'\t', false) => continue,
                (_, false) => "a control character between tokens",
            };
            return Err(SyntaxFault::invalid(self.at + index as u64, reason));
        }
        Ok(())
    }

    fn escape_sequences(
        &mut self,
        block: &[u8; BLOCK],
        mut escaped: u64,
    ) -> Result<(), SyntaxFault> {
        let owed = std::mem::take(&mut self.hex_owed);
        self.hex_digits(block, 0, owed)?;
        while escaped != 0 {
            let index = escaped.trailing_zeros() as usize;
            match block[index] {
                b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => {}
                b'u' => self.hex_digits(block, index + 1, 4)?,
                _ => {
                    return Err(SyntaxFault::invalid(
                        self.at + index as u64,
                        "an invalid escape sequence",
                    ));
                }
            }
            escaped &= escaped - 1;
        }
        Ok(())
    }

    fn hex_digits(
        &mut self,
        block: &[u8; BLOCK],
        from: usize,
        count: usize,
    ) -> Result<(), SyntaxFault> {
        let here = &block[from..(from + count).min(BLOCK)];
        self.hex_owed = count - here.len();
        match here.iter().position(|byte| !byte.is_ascii_hexdigit()) {
            None => Ok(()),
            Some(index) => Err(SyntaxFault::invalid(
                self.at + (from + index) as u64,
                "\\u needs four hexadecimal digits",
            )),
        }
    }

    /// Checks the numbers and literals of a block, first the end of one that began in an earlier block.
    fn scalars(
        &mut self,
        block: &[u8; BLOCK],
        scalars: u64,
        mut starts: u64,
    ) -> Result<(), SyntaxFault> {
        if self.in_scalar == 1 {
            let length = scalars.trailing_ones() as usize;
            self.scalar = self.scalar.take(&block[..length]);
            if length == BLOCK {
                return if self.scalar == Scalar::Bad { Err(self.bad_scalar(0)) } else { Ok(()) };
            }
            if !self.scalar.is_whole() {
                return Err(self.bad_scalar(0));
            }
        }
        self.in_scalar = scalars >> 63;
        while starts != 0 {
            let start = starts.trailing_zeros() as usize;
            let end = start + (scalars >> start).trailing_ones() as usize;
            let token = &block[start..end];
            if end == BLOCK {
                self.scalar = Scalar::Start.take(token);
                if self.scalar == Scalar::Bad {
                    return Err(self.bad_scalar(start));
                }
            } else if !Scalar::is_common(token) && !Scalar::Start.take(token).is_whole() {
                return Err(self.bad_scalar(start));
            }
            starts &= starts - 1;
        }
        Ok(())
    }

    fn bad_scalar(&self, index: usize) -> SyntaxFault {
        SyntaxFault::invalid(
            self.at + index as u64,
            "neither a number nor true, false, null; a string needs double quotes",
        )
    }
}
