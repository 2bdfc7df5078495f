//! What draws.
