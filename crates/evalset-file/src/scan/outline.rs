//! [`Outline`] and [`Span`]: the offsets in an eval-set file that a write needs.

/// Byte offsets from the start of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Outline {
    /// The `[` of `eval_cases`.
    pub(crate) list_open: u64,
    /// The `]` of `eval_cases`.
    pub(crate) list_close: u64,
    /// The last case, if there is one.
    pub(crate) last: Option<Span>,
    /// How many cases there are.
    pub(crate) cases: u64,
}

/// The offsets of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    /// The `,` or `[` before it.
    pub(crate) parting: u64,
    /// Its first byte.
    pub(crate) start: u64,
    /// The byte after its last one.
    pub(crate) end: u64,
}

/// A case found by the scan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ScannedCase {
    pub(crate) span: Span,
    pub(crate) eval_id: Option<String>,
    pub(crate) turns: u64,
    /// Whether one of its turns has an invocation id that the scan looks for.
    pub(crate) has_wanted_turn: bool,
}
