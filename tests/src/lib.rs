//! Acceptance tests: see `tests/`.
